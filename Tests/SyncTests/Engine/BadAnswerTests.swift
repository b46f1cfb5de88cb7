import Foundation
import ServerSupport
import TestWaiting
import Testing
import Tidelog
import TidelogSDL
import TidelogSync

@Suite("Bad answers of a server", .timeLimit(.minutes(5)))
struct BadAnswerTests {
    private typealias Answer = @Sendable (ScriptedServer.Request, Int) throws(TransportError) -> TransportResponse

    private static func store(_ sdl: String = Device.sdl) async throws -> DataStore {
        try await DataStore.inMemory(schema: SchemaDocument(sdl: Array(sdl.utf8)).schema)
    }

    private static func engine(
        _ store: DataStore, _ server: ScriptedServer, _ startup: SyncEngine.Startup = .manual
    ) throws -> SyncEngine {
        try SyncEngine(
            store: store, endpoint: #require(URL(string: "https://example.com/graphql")),
            authorization: .apiKey("da2-key"), startup: startup, transport: server)
    }

    private static func count(_ store: DataStore) async throws -> Int {
        try await store.read { try $0.count(Record.all(of: "Post")) }
    }

    @Test("an answer that is not a page changes nothing, and the query is repeated", arguments: 0..<8)
    func noPage(_ kind: Int) async throws {
        let server = ScriptedServer { (_, number) throws(TransportError) in
            guard number == 1 else { return ScriptedServer.page([ScriptedServer.post("1")]) }
            switch kind {
            case 0: return ScriptedServer.json("<html>no JSON</html>")
            case 1: return ScriptedServer.json(#"{"data":{"syncPosts":{"items":null,"startedAt":1}}}"#)
            case 2: return ScriptedServer.json(#"{"data":{"syncPosts":{"items":[],"startedAt":"late"}}}"#)
            case 3: return ScriptedServer.json(#"{"data":null}"#)
            case 4: return ScriptedServer.json("", status: 503)
            case 5: return ScriptedServer.json("{}", status: 429, ["retry-after": "0"])
            case 6: return ScriptedServer.json(#"{"data":{"syncPosts":{"items":[{"id":"2","#)
            default: throw TransportError(.tooLarge, "The response has more than 16 MiB.")
            }
        }
        let store = try await Self.store()
        let report = await (try Self.engine(store, server)).runOnce()
        #expect(report.failure == nil && report.received == 1 && report.lastSync["Post"] == 1_000)
        #expect(server.requests.map(\.field) == ["syncPosts", "syncPosts"])
        #expect(try await Self.count(store) == 1)
    }

    @Test("a firewall that answers in place of the server is a failure that passes, and no refusal", arguments: 0..<4)
    func firewall(_ kind: Int) async throws {
        let server = ScriptedServer { (request, number) throws(TransportError) in
            if number == 1 {
                switch kind {
                case 0: return ScriptedServer.json("<html>Forbidden</html>", status: 403)
                case 1: return ScriptedServer.json("<html>Sign in</html>", status: 401)
                case 2: return ScriptedServer.json("{}", status: 403)
                default:
                    let error = #"{"message":"403 Forbidden","errorType":"WAFForbiddenException"}"#
                    return ScriptedServer.json(#"{"errors":[\#(error)]}"#, status: 403)
                }
            }
            if request.field == "syncPosts" { return ScriptedServer.page([]) }
            return ScriptedServer.json(#"{"data":{"\#(request.field)":\#(ScriptedServer.post("1"))}}"#)
        }
        let store = try await Self.store()
        try await store.write { try $0.save(Record(model: "Post", values: ["id": "1", "title": "t"])) }
        let report = await (try Self.engine(store, server)).runOnce()
        #expect(report.failure == nil && report.sent == 1 && report.setAside == 0 && report.pending == 0)
        // The query is sent again. Before the change is sent again, the engine finds out that the server has it already.
        #expect(server.requests.filter { $0.field == "syncPosts" }.count >= 2)
        #expect(server.requests.filter { $0.field == "getPost" }.count == 2)
    }

    @Test("a record that is null or invalid is reported and skipped, and the sync does not count as complete")
    func items() async throws {
        let server = ScriptedServer { (_, _) throws(TransportError) in
            ScriptedServer.page([
                ScriptedServer.post("1"), "null", #"{"id":7}"#, #"{"id":"3","_version":1}"#,
                #"{"id":"4","rating":"many","_version":1,"_lastChangedAt":5}"#, ScriptedServer.post("2"),
            ])
        }
        let store = try await Self.store()
        for _ in 0..<2 {
            let report = await (try Self.engine(store, server)).runOnce()
            #expect(report.failure == nil && report.queries["Post"] == .base && report.lastSync["Post"] == nil)
            #expect(report.problems == ["Post: 4 records are unusable"])
        }
        #expect(try await Self.count(store) == 2)
    }

    @Test("a field that is null on the server is null on the device, also if the schema gives it a default")
    func defaults() async throws {
        let server = ScriptedServer { (_, _) throws(TransportError) in
            ScriptedServer.page([ScriptedServer.post("1")])
        }
        let store = try await Self.store(
            Device.sdl.replacing("rating: Int", with: "rating: Int @default(value: \"3\")"))
        #expect(await (try Self.engine(store, server)).runOnce().failure == nil)
        let post = try await store.record("Post", id: "1")
        #expect(post != nil && post?["rating"] == nil)
    }

    @Test("a server that repeats a page token is reported, and the query begins again")
    func tokens() async throws {
        let server = ScriptedServer { (request, number) throws(TransportError) in
            guard request.field == "syncPosts" else { return ScriptedServer.noPost }
            return number <= 3
                ? ScriptedServer.page([ScriptedServer.post("\(number)")], next: "again")
                : ScriptedServer.page([ScriptedServer.post("1")])
        }
        let store = try await Self.store()
        let report = await (try Self.engine(store, server)).runOnce()
        #expect(report.failure == nil && report.problems.count == 1)
        #expect(report.problems.first?.contains("repeats a token") == true)
        // The query that began again had one record. The records of the failed query are therefore removed.
        #expect(try await Self.count(store) == 1)
    }

    @Test("a model that the server does not have is reported by name, and the other models are synced")
    func models() async throws {
        let store = try await Self.store(Device.sdl + "\ntype Secret @model { id: ID! }")
        let server = ScriptedServer { (request, _) throws(TransportError) in
            request.field == "syncPosts"
                ? ScriptedServer.page([ScriptedServer.post("1")])
                : ScriptedServer.json(
                    #"{"data":null,"errors":[{"message":"Validation error: there is no field syncSecrets"}]}"#)
        }
        let report = await (try Self.engine(store, server)).runOnce()
        #expect(report.failure == nil && report.received == 1)
        #expect(report.queries == ["Post": .base])
        #expect(report.problems.count == 1 && report.problems.first?.hasPrefix("Secret: ") == true)
    }

    @Test("a mutation without a usable response is sent again under the same id")
    func mutations() async throws {
        let server = ScriptedServer { (request, number) throws(TransportError) in
            switch (request.field, number) {
            case ("syncPosts", _): return ScriptedServer.page([])
            case ("getPost", _): return ScriptedServer.noPost
            case (_, 1): return ScriptedServer.json("no JSON")
            case (_, 2): return ScriptedServer.json(#"{"data":null}"#)
            case (_, 3): throw TransportError(.closed, "The connection ended.")
            default:
                return ScriptedServer.json(#"{"data":{"createPost":\#(ScriptedServer.post("1"))}}"#)
            }
        }
        let store = try await Self.store()
        try await store.save(Record(model: "Post", values: ["id": "1", "title": "t"]))
        let report = await (try Self.engine(store, server)).runOnce()
        #expect(report.failure == nil && report.sent == 1 && report.pending == 0)
        let ids = server.requests.filter { $0.field == "createPost" }.map { $0.headers["x-tidelog-mutation-id"] }
        #expect(ids.count == 4 && Set(ids).count == 1 && ids[0] != nil)
        // Only this engine decides that a mutation is sent again, never its transport.
        for request in server.requests { #expect(request.isRepeatable == (request.field != "createPost")) }
    }

    @Test("a pushed message without usable metadata leads to a query")
    func pushes() async throws {
        let server = ScriptedServer { (request, number) throws(TransportError) in
            ScriptedServer.page(number == 1 ? [] : [ScriptedServer.post("1")], at: 1_000 * number)
        }
        let store = try await Self.store()
        let engine = try Self.engine(store, server, .automatic)
        try await eventually { !server.requests.isEmpty }
        // The device subscribes before its first query, so this push reaches it.
        server.push("onCreatePost", #"{"id":"1","title":"t"}"#)
        try await eventually { try await Self.count(store) > 0 }
        #expect(server.requests.count == 2 && server.requests[1].body.contains("lastSync"))
        server.push("onUpdatePost", ScriptedServer.post("1", version: 2))
        try await eventually { try await store.read { try $0.record("Post", id: "1")?.values["title"] } == "t" }
        await engine.stop()
    }
}
