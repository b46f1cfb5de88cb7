import FaultHarness
import Foundation
import ServerSupport
import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogJSON
import TidelogSync

@Suite("Records in AppSync's tables", .enabled(if: AppSync.isInstalled, AppSync.isMissing), .timeLimit(.minutes(5)))
struct AppSyncBasicsTests {
    @Test("records that two devices create, change and delete are the same on both and in the API's tables")
    func life() async throws {
        try await AppSync.serve { api in
            let (a, b) = (try await api.device(), try await api.device())
            try await a.save("Note", #"{"id":"1","title":"Grüße \"🌊\"\n","tags":["x",null,"y"],"mood":"GOOD"}"#)
            try await a.save("Note", #"{"id":"2","title":"","rating":-3,"price":0.1,"done":false}"#)
            try await b.save("Note", #"{"id":"3","title":"c","inner":{"a":1,"list":[1,2],"deep":{"x":5,"y":2.5}}}"#)
            #expect(try await a.sync().sent == 2)
            #expect(try await b.sync().sent == 1)
            #expect(try await a.sync().received == 1)
            try await api.expectEqual(a, b)

            try await b.change("Note", "1", ["title": "b", "tags": nil, "at": "2024-02-29T12:00:00.000Z"])
            try await b.change("Note", "3", ["inner": nil])
            try await a.change("Note", "2", ["rating": 4, "price": 7])
            try await a.store.delete("Note", id: "3")
            #expect(try await a.sync().sent == 2)
            try await b.sync(setAside: 1)
            // The deletion was first, so the change of the deleted record waits for a decision.
            let entry = try #require(try await SyncOutbox(b.store).entries().first)
            #expect(entry.errorType == "RecordDeleted")
            try await SyncOutbox(b.store).discard(entry.sequence)
            try await a.sync()
            try await api.expectEqual(a, b)
            #expect(try await api.record("Note", "3")?["_deleted"] == .bool(true))
            // The API stores no value for a field that was removed.
            let first = try #require(try await api.record("Note", "1"))
            #expect(first["title"] == .string("b") && first["tags"] == nil)
        }
    }

    @Test("a deleted record is created again by a later save")
    func again() async throws {
        try await AppSync.serve { api in
            let device = try await api.device()
            try await device.save("Note", #"{"id":"1","title":"a","rating":1}"#)
            try await device.sync()
            try await device.store.delete("Note", id: "1")
            try await device.save("Note", #"{"id":"1","title":"b"}"#)
            try await device.sync()
            try await api.expectEqual(device)
            #expect(try await api.record("Note", "1")?["title"] == .string("b"))
        }
    }

    private static let thing = """
        {"id":"1","s":"text","i":-2147483648,"f":1.5,"b":true,"k":"ALPHA","ks":["BETA","ALPHA"],"ref":"r","refs":["a",null],\
        "ss":[],"is":[1,null,3],"fs":[0.25,2],"bs":[true,null,false],"d":"2024-02-29","t":"23:59:59.123",\
        "dt":"2024-02-29T23:59:59.123+05:30","ts":1700000000,"mail":"a@example.com","j":"{\\"b\\":[1,null,{}],\\"a\\":1.5}",\
        "js":["1","\\"x\\"","null","[]"],"u":"https://example.com/a?b=c","p":"+44 20 7946 0958","ip":"::1",\
        "a":{"street":"s","geo":{"lat":1,"lon":-2.5,"note":"n","tags":["t"],"kind":"BETA"},"more":[{"lat":0,"lon":0}],\
        "raw":"{\\"deep\\":true}"},"as":[{"street":"only"},{}],"type":"t","input":"i","query":"q","name":"n"}
        """

    @Test("every scalar, list and embedded type reaches another device as it was saved")
    func types() async throws {
        try await AppSync.serve("types") { api in
            let (a, b) = (try await api.device(), try await api.device())
            try await a.save("Thing", Self.thing)
            try await a.save("Thing", #"{"id":"2","s":"","ss":["x"],"name":"n"}"#)
            try await a.save("Part", #"{"tenant":"t","year":2024,"code":"c","note":"n","kind":"BETA"}"#)
            try await a.save("Part", #"{"tenant":"t","year":-1,"code":""}"#)
            try await a.save("Reading", #"{"sensor":"s","at":"2024-01-01T00:00:00.000Z","value":-0.5}"#)
            for model in ["Stamped", "NoTimes", "OneTime", "DeclaredString"] {
                try await a.save(model, #"{"id":"1","name":"n"}"#)
            }
            try await a.save("Declared", #"{"id":"1","name":"n","updatedAt":"2024-01-01T00:00:00.000Z"}"#)
            try await a.sync()
            try await b.sync()
            try await api.expectEqual(a, b)

            try await b.store.delete("Part", id: ["t", 2024, "c"])
            try await b.store.delete("Reading", id: ["s", "2024-01-01T00:00:00.000Z"])
            try await b.change("Thing", "1", ["ss": .list(["y", "z"]), "f": nil, "type": "changed", "k": "BETA"])
            try await b.change("Stamped", "1", ["name": nil])
            try await b.sync()
            try await a.sync()
            try await api.expectEqual(a, b)
        }
    }

    @Test("records with relations of every kind reach the API after their parents, and all devices")
    func relations() async throws {
        let records = [
            ("Blog", #"{"id":"b1","name":"B"}"#), ("Post", #"{"id":"p1","title":"P","blogPostsId":"b1"}"#),
            ("Tag", #"{"id":"t1","label":"T"}"#), ("PostTags", #"{"id":"pt","postId":"p1","tagId":"t1"}"#),
            ("Comment", #"{"id":"c1","postID":"p1","content":"C"}"#), ("Boss", #"{"id":"o1","name":"O"}"#),
            ("Must", #"{"id":"m1","mustBossId":"o1"}"#), ("Store", #"{"region":"r","number":1}"#),
            ("Shelf", #"{"id":"s1","storeShelvesRegion":"r","storeShelvesNumber":1,"label":"L"}"#),
            ("Book", #"{"isbn":"i","edition":2}"#),
            ("ShelfBook", #"{"id":"sb","shelfId":"s1","bookIsbn":"i","bookedition":2}"#),
            ("Node", #"{"id":"n1"}"#), ("Node", #"{"id":"n2","parentId":"n1","up":"n1"}"#),
            ("Team", #"{"id":"t"}"#), ("Member", #"{"id":"m","teamId":"t"}"#),
            ("Profile", #"{"id":"f1","bio":"x"}"#), ("Author", #"{"id":"a1","authorProfileId":"f1","bossId":"o1"}"#),
        ]
        try await AppSync.serve("relations") { api in
            let (a, b) = (try await api.device(), try await api.device())
            for (model, json) in records { try await a.save(model, json) }
            #expect(try await a.sync().sent == records.count)
            #expect(try await b.sync().received == records.count)
            try await api.expectEqual(a, b)
            for (parent, child) in [("createBlog", "createPost"), ("createPost", "createComment")] {
                let fields = try await api.log().flatMap { $0["fields"]?.elements ?? [] }
                let (first, second) = (fields.firstIndex(of: .string(parent)), fields.firstIndex(of: .string(child)))
                #expect(try #require(first) < #require(second))
            }
            // The deletion of the blog deletes its posts and what belongs to them.
            try await b.store.delete("Blog", id: "b1")
            try await b.sync()
            try await a.sync()
            try await api.expectEqual(a, b)
            #expect(try await api.record("Comment", "c1")?["_deleted"] == .bool(true))
        }
    }

    @Test("a client without a store creates, reads, lists, changes, deletes and hears of records")
    func client() async throws {
        try await AppSync.serve("note", #"{"strategy":"OPTIMISTIC_CONCURRENCY"}"#) { api in
            let client = try GraphQLClient(
                endpoint: #require(URL(string: "http://127.0.0.1:\(api.port)/graphql")),
                authorization: .apiKey(Device.key), schema: noteSchema)
            var created = try await client.subscribe(.onCreate(Note.self, where: Note.keys.rating > 1))
                .makeAsyncIterator()
            #expect(try await client.query(.get(Note.self, id: "1")) == nil)
            for number in 1...3 {
                let note = Note(id: "\(number)", title: "t", rating: number)
                #expect(try await client.mutate(.create(note)).version == 1)
            }
            #expect(try await created.next()?.value?.id == "2")
            #expect(try await created.next()?.value?.id == "3")
            let page = try await client.query(.list(Note.where(Note.keys.rating < 3)))
            #expect(page.records.compactMap(\.value?.rating).sorted() == [1, 2])

            let changed = Note(id: "1", title: "new", rating: nil)
            #expect(try await client.mutate(.update(changed, version: 1)).version == 2)
            #expect(try await client.query(.get(Note.self, id: "1"))?.value == changed)
            let stale = await clientFailure { () throws(GraphQLClientError) in
                try await client.mutate(.update(Note(id: "1", title: "stale"), version: 1))
            }
            #expect(stale?.code == .conflict)
            let unmet = await clientFailure { () throws(GraphQLClientError) in
                try await client.mutate(.delete(Note.self, id: "2", version: 1, where: Note.keys.rating > 5))
            }
            #expect(unmet?.code == .conditionFailed)
            try await client.mutate(.delete(Note.self, id: "2", version: 1))
            #expect(try await api.record("Note", "2")?["_deleted"] == .bool(true))
        }
    }

    @Test("the command line syncs with the API, and finds that both have the same records")
    func command() async throws {
        try await AppSync.serve { api in
            let directory = try TemporaryDirectory()
            let (tool, schema) = (try BuildProducts.url(of: "tidelog"), AppSync.schema("note").path)
            let port = api.port
            @Sendable func run(_ device: String, _ command: [String]) async throws -> (Int32, JSONValue) {
                let store = directory.file(device).path
                return try await onThread {
                    let arguments = [command[0], "--store", store] + command.dropFirst() + ["--json"]
                    let child = try ChildProcess(tool, arguments)
                    let exit = try child.wait()
                    let status: Int32 = if case .exited(let status) = exit { status } else { -1 }
                    #expect(child.errorText == "")
                    return (status, try JSONValue(parsing: Array((child.lines.last ?? "null").utf8)))
                }
            }
            let sync = ["sync", "--endpoint", "http://127.0.0.1:\(port)/graphql", "--api-key", Device.key]
            #expect(try await run("a", sync + ["--schema", schema]).0 == 0)
            _ = try await run("a", ["save", "Note", #"{"id":"1","title":"a","tags":["x"]}"#])
            let sent = try await run("a", sync)
            #expect(sent.0 == 0 && sent.1["sent"] == .int(1))
            let received = try await run("b", sync + ["--schema", schema, "--verify"])
            #expect(received.0 == 0 && received.1["received"] == .int(1))
            _ = try await run("b", ["delete", "Note", "1"])
            #expect(try await run("b", sync + ["--verify"]).0 == 0)
            #expect(try await api.record("Note", "1")?["_deleted"] == .bool(true))
        }
    }
}
