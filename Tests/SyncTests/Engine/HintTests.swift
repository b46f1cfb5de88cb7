import Foundation
import TestWaiting
import Testing
import Tidelog
import TidelogSDL
import TidelogServer
import TidelogSync

@Suite("Servers that push or return a part of a record", .timeLimit(.minutes(5)))
struct HintTests {
    private static let exact = ["x-tidelog-records": "exact"]

    @Test("a device keeps the fields that an older app on another device does not select")
    func olderApp() async throws {
        var options = ServiceOptions()
        options.isSelectionStrict = true
        try await Device.serve(options) { port in
            let new = try await Device(port)
            let old = try await Device(port, sdl: "type Post @model { id: ID! title: String }")
            try await new.save("1", ["title": "first", "rating": 5, "tags": .list(["a"])])
            let engine = try new.engine(startup: .automatic)
            try await engine.catchUp()
            try await old.sync()
            var post = try #require(try await old.store.record("Post", id: "1"))
            #expect(post["rating"] == nil)
            post["title"] = "second"
            try await old.store.save(post)
            try await old.sync()
            try await eventually { try await new.post("1")?.hasPrefix("second") ?? false }
            #expect(try await new.post("1") == "second 5 a")
            await engine.stop()
            // The engine that is started next has nothing to repair.
            #expect(try await new.sync().received == 0)
            #expect(try await new.post("1") == "second 5 a")
            try await new.store.close()
            try await old.store.close()
        }
    }

    @Test("a delta query asks for a minute before the last sync, unless the server's queries see every change")
    func overlap() async throws {
        for isExact in [true, false] {
            let server = ScriptedServer { (_, _) throws(TransportError) in
                ScriptedServer.json(
                    #"{"data":{"syncPosts":{"items":[],"nextToken":null,"startedAt":1000000}}}"#,
                    isExact ? Self.exact : [:])
            }
            let store = try await DataStore.inMemory(schema: SchemaDocument(sdl: Array(Device.sdl.utf8)).schema)
            for _ in 0..<2 {
                let engine = try SyncEngine(
                    store: store, endpoint: #require(URL(string: "https://example.com/graphql")),
                    authorization: .apiKey("da2-key"), startup: .manual, transport: server)
                #expect(await engine.runOnce().failure == nil)
            }
            let time = isExact ? "1000000" : "940000"
            #expect(server.requests.count == 2)
            #expect(server.requests.last?.body.contains(#""lastSync":\#(time)"#) == true)
        }
    }

    /// Creates a post with a rating on a server that hides the rating in the response. Returns the post's rating after the
    /// sync, and the fields of the requests.
    private func create(_ headers: [String: String]) async throws -> (rating: FieldValue?, fields: [String]) {
        let metadata = #""tags":null,"_version":1,"_lastChangedAt":5,"_deleted":null"#
        let server = ScriptedServer { (request, _) throws(TransportError) in
            switch request.field {
            case "createPost":
                ScriptedServer.json(
                    #"{"data":{"createPost":{"id":"1","title":"t","rating":null,\#(metadata)}}}"#, headers)
            case "getPost":
                ScriptedServer.json(#"{"data":{"getPost":{"id":"1","title":"t","rating":6,\#(metadata)}}}"#, headers)
            default:
                ScriptedServer.json(
                    #"{"data":{"syncPosts":{"items":[],"nextToken":null,"startedAt":1000}}}"#, headers)
            }
        }
        let store = try await DataStore.inMemory(schema: SchemaDocument(sdl: Array(Device.sdl.utf8)).schema)
        try await store.save(Record(model: "Post", values: ["id": "1", "title": "t", "rating": 5]))
        let engine = try SyncEngine(
            store: store, endpoint: #require(URL(string: "https://example.com/graphql")),
            authorization: .apiKey("da2-key"), startup: .manual, transport: server)
        let report = await engine.runOnce()
        #expect(report.failure == nil && report.sent == 1 && report.pending == 0)
        let rating = try await store.record("Post", id: "1")?["rating"]
        try await store.close()
        return (rating, server.requests.map(\.field))
    }

    @Test("a record of which a response hides a field is asked for before a sync ends")
    func hidden() async throws {
        let (rating, fields) = try await create([:])
        #expect(rating == 6 && fields == ["syncPosts", "createPost", "getPost"])
    }

    @Test("a null in a response of an exact server is a null")
    func exactNull() async throws {
        let (rating, fields) = try await create(Self.exact)
        #expect(rating == nil && fields == ["syncPosts", "createPost"])
    }

    @Test(
        "the server says that its records are exact, unless messages have only selected fields",
        arguments: [false, true])
    func header(isStrict: Bool) async throws {
        var options = ServiceOptions()
        options.isSelectionStrict = isStrict
        try await Device.serve(options) { port in
            let url = try #require(URL(string: "http://127.0.0.1:\(port)/graphql"))
            let response = try await CurlTransport().send(
                TransportRequest(
                    "POST", url, headers: ["x-api-key": Device.key],
                    body: Array(#"{"query":"{ syncPosts { startedAt } }"}"#.utf8)))
            #expect(response.headers["x-tidelog-records"] == (isStrict ? nil : "exact"))
        }
    }
}
