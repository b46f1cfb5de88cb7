import FaultHarness
import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Documents with several mutations")
struct MutationBatchTests {
    private static let sdl = """
        type Blog @model @auth(rules: [{allow: public}]) { id: ID! title: String posts: [Post] @hasMany }
        type Post @model @auth(rules: [{allow: public}]) { id: ID! title: String! blog: Blog @belongsTo }
        type Private @model @auth(rules: [{allow: private}]) { id: ID! }
        """

    /// A document with the mutations `fields`, with the aliases `m0`, `m1` and so on.
    private static func document(_ fields: [String]) -> String {
        "mutation { \(fields.enumerated().map { "m\($0): \($1)" }.joined(separator: " ")) }"
    }

    private static func syncCount(_ served: ServedSchema) async throws -> Int {
        try await served.store.metrics().syncCount
    }

    @Test("the mutations of a document share one sync, and a parent may be created in the same document")
    func oneSync() async throws {
        let served = try await ServedSchema(Self.sdl, durability: .full)
        let posts = (1..<25).map {
            "createPost(input: {id: \"p\($0)\", title: \"t\", blogPostsId: \"b\"}) { id blogPostsId _version _lastChangedAt }"
        }
        let document = Self.document([#"createBlog(input: {id: "b"}) { id _version }"#] + posts)
        var before = try await Self.syncCount(served)
        let data = try await served.data(document)
        #expect(try await Self.syncCount(served) - before == 1)
        #expect(data["m0"]?["_version"] == .int(1) && data["m24"]?["blogPostsId"] == .string("b"))
        #expect(
            try await served.data(#"{ getBlog(id: "b") { posts { items { id } } } }"#)["getBlog"]?["posts"]?["items"]?
                .elements.count == 24)
        before = try await Self.syncCount(served)
        for number in 0..<5 {
            _ = try await served.data("mutation { createBlog(input: {id: \"s\(number)\"}) { id } }")
        }
        #expect(try await Self.syncCount(served) - before == 5)
    }

    @Test("the related records of a mutation are read before the next mutation of the document is made")
    func related() async throws {
        let served = try await ServedSchema(Self.sdl, durability: .full)
        let before = try await Self.syncCount(served)
        let data = try await served.data(
            Self.document([
                #"createBlog(input: {id: "b", title: "one"}) { title posts { items { id } } }"#,
                #"createPost(input: {id: "p", title: "t", blogPostsId: "b"}) { blog { title } }"#,
                #"updateBlog(input: {id: "b", title: "two", _version: 1}) { title }"#,
                #"deletePost(input: {id: "p", _version: 1}) { blog { title } }"#,
            ]))
        #expect(data["m0"]?["posts"]?["items"] == .list([]))
        #expect(data["m1"]?["blog"]?["title"] == .string("one"))
        #expect(data["m3"]?["blog"]?["title"] == .string("two"))
        // The third and the fourth mutation share a sync.
        #expect(try await Self.syncCount(served) - before == 3)
    }

    @Test("a mutation that is refused, conflicts or is unauthorized is an error of its alias alone")
    func refused() async throws {
        var options = ServiceOptions()
        options.strategy = .optimistic
        let served = try await ServedSchema(Self.sdl, options: options, durability: .full)
        _ = try await served.ask(#"mutation { createBlog(input: {id: "known"}) { id } }"#, mutations: ["taken"])
        let before = try await Self.syncCount(served)
        let fields = [
            #"createBlog(input: {id: "1"}) { id }"#, #"createBlog(input: {id: "1"}) { id }"#,
            #"updateBlog(input: {id: "1", title: "x", _version: 7}) { id }"#,
            #"updateBlog(input: {id: "1", title: "y", _version: 1}, condition: {title: {eq: "z"}}) { id }"#,
            #"createPrivate(input: {id: "1"}) { id }"#, #"createBlog(input: {id: "2"}) { id }"#,
            #"createPost(input: {id: "3", title: "t"}) { id }"#,
            #"updateBlog(input: {id: "1", title: "w", _version: 1}) { id title _version }"#,
        ]
        let ids = ["a", "b", "c", "d", "e", "taken", "g", "h"]
        var request = ServiceRequest(Self.document(fields))
        try request.setMutations(header: ids.joined(separator: ","))
        let response = try await served.service.respond(to: request, from: .apiKey)
        #expect(
            response.errors.map { error in
                guard case .field(let alias)? = error.path.first else { return error.message }
                return "\(alias) \(error.errorType ?? "")"
            } == [
                "m1 ConditionalCheckFailedException", "m2 ConflictUnhandled", "m3 ConditionalCheckFailedException",
                "m4 Unauthorized", "m5 MutationIDTaken",
            ])
        for alias in ["m1", "m2", "m3", "m4", "m5"] { #expect(response.data[alias]?.isNull == true, "\(alias)") }
        #expect(response.data["m0"]?["id"] == .string("1") && response.data["m6"]?["id"] == .string("3"))
        #expect(response.data["m7"]?["title"] == .string("w") && response.data["m7"]?["_version"] == .int(2))
        #expect(try await Self.syncCount(served) - before == 1)
    }

    @Test("no later mutation of a document is made before a conflict handler has answered")
    func handler() async throws {
        let other = Shared<ServedSchema?>(nil)
        let seen = Shared<[String]>([])
        var options = ServiceOptions()
        options.strategy = .custom { conflict in
            for id in ["before", "after"] {
                let record = try await other.value?.versions.record("Blog", RecordID(id))
                seen.update { $0.append("\(id): \(record == nil ? "missing" : "stored")") }
            }
            var record = conflict.existingItem
            record["title"] = conflict.newItem["title"]
            return .record(record)
        }
        let served = try await ServedSchema(Self.sdl, options: options, durability: .full)
        other.set(served)
        defer { other.set(nil) }
        _ = try await served.data(#"mutation { createBlog(input: {id: "b", title: "one"}) { id } }"#)
        let before = try await Self.syncCount(served)
        let data = try await served.data(
            Self.document([
                #"createBlog(input: {id: "before"}) { id }"#,
                #"updateBlog(input: {id: "b", title: "two", _version: 9}) { title _version }"#,
                #"createBlog(input: {id: "after"}) { id }"#, #"createBlog(input: {id: "last"}) { id }"#,
            ]))
        #expect(seen.value == ["before: stored", "after: missing"])
        #expect(data["m1"]?["title"] == .string("two") && data["m1"]?["_version"] == .int(2))
        #expect(data["m3"]?["id"] == .string("last"))
        #expect(try await Self.syncCount(served) - before == 2)
    }

    // MARK: Ids

    @Test("a document that is sent again is answered as before, also if only a part of it was made")
    func again() async throws {
        let served = try await ServedSchema(Self.sdl)
        let fields = (0..<25).map { number in
            number == 7
                ? #"updateBlog(input: {id: "none", title: "x", _version: 1}) { id _version }"#
                : "createBlog(input: {title: \"t\(number)\"}) { id title _version }"
        }
        let ids = (0..<25).map { "id-\($0)" }
        let part = try await served.ask(Self.document(Array(fields[..<10])), mutations: Array(ids[..<10]))
        let partial = try served.store.head
        let whole = try await served.ask(Self.document(fields), mutations: ids)
        #expect(try served.store.head.sequence > partial.sequence)
        // The records whose keys the server made show that the first ten mutations were recognised.
        let answered = part.split(separator: ",\"m7\":")[0]
        #expect(whole.hasPrefix(answered) && whole.contains("\"m24\":{"))
        let head = try served.store.head
        #expect(try await served.ask(Self.document(fields), mutations: ids) == whole)
        #expect(try served.store.head == head)
        #expect(try await served.store.read { try $0.count(Record.all(of: "Blog")) } == 24)
    }

    @Test("a document with too few, too many or repeated ids is refused, and none of its mutations is made")
    func ids() async throws {
        let served = try await ServedSchema(Self.sdl)
        let fields = (0..<25).map { "createBlog(input: {id: \"\($0)\"}) { id }" }
        for count in [1, 24, 26] {
            let response = try await served.ask(Self.document(fields), mutations: (0..<count).map { "i\($0)" })
            #expect(response.contains("The request has 25 mutations and ids for \(count)."), "\(response)")
            #expect(response.hasPrefix(#"{"data":null,"#) && response.contains("BadRequest"))
        }
        var request = ServiceRequest(Self.document(fields))
        #expect(throws: ServiceRequest.Malformed.self) {
            try request.setMutations(header: Array(repeating: "same", count: 25).joined(separator: ","))
        }
        #expect(try await served.store.read { try $0.count(Record.all(of: "Blog")) } == 0)
    }

    // MARK: Limits

    private static let wideFields = (0..<30).map { "aFieldWithALongNameAndTheNumber\($0)" }

    private static let wide =
        "type Wide @model @auth(rules: [{allow: public}]) { id: ID! "
        + wideFields.map { "\($0): String" }.joined(separator: " ") + " }"

    /// A request for `count` mutations with all fields of a model with 30 fields, as a client sends it over HTTP.
    private static func wideRequest(_ count: Int, textLength: Int) -> (head: [(String, String)], body: String) {
        let text = String(repeating: "x", count: textLength)
        let values = wideFields.map { "\"\($0)\":\"\(text)\"" }.joined(separator: ",")
        let variables = (0..<count).map { "\"i\($0)\":{\"id\":\"\($0)\",\(values)}" }.joined(separator: ",")
        let inputs = (0..<count).map { "$i\($0): CreateWideInput!" }.joined(separator: ", ")
        let fields = (0..<count).map {
            "m\($0): createWide(input: $i\($0)) { id \(wideFields.joined(separator: " ")) _version _deleted _lastChangedAt }"
        }
        let body =
            #"{"query":"mutation Batch(\#(inputs)) { \#(fields.joined(separator: " ")) }","variables":{\#(variables)}}"#
        let ids = (0..<count).map { "0190b6a2-7d51-7bcd-8a6e-00000000\(1_000 + $0)" }.joined(separator: ",")
        return ([("x-api-key", "da2-key"), ("x-tidelog-mutation-id", ids)], body)
    }

    private static func send(
        _ port: Int, _ request: (head: [(String, String)], body: String)
    ) throws -> (status: Int, text: String) {
        var text = "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        for (name, value) in request.head { text += "\(name): \(value)\r\n" }
        return try RawClient(port).ask(text + "Content-Length: \(request.body.utf8.count)\r\n\r\n\(request.body)")
    }

    @Test(
        "a server accepts 25 mutations with all fields of a wide model, and refuses a document that is too large whole")
    func limits() async throws {
        try await RunningServer.run(Self.wide, Authenticator(apiKey: "da2-key")) { port in
            for length in [1, 1_000] {
                let response = try Self.send(port, Self.wideRequest(25, textLength: length))
                let expected = length == 1 ? 25 : 0
                #expect(response.status == 200)
                #expect(
                    response.text.split(separator: "\"_version\":1").count - 1 == expected,
                    "\(response.text.prefix(300))")
                // The second request has the ids of the first one and other values.
                #expect(response.text.contains("MutationIDTaken") == (length == 1_000))
            }
        }
        try await RunningServer.run(Self.wide, Authenticator(apiKey: "da2-key")) { port in
            let aliases = try Self.send(port, Self.wideRequest(31, textLength: 1))
            #expect(aliases.status == 200 && aliases.text.hasPrefix(#"{"data":null,"errors":["#))
            #expect(aliases.text.contains("More than 30 fields have an alias."))
            // This document has more than 64 KiB.
            let document = try Self.send(port, Self.wideRequest(80, textLength: 1))
            #expect(document.status == 400 && document.text.contains("Unable to parse GraphQL query"))
            let body = try Self.send(port, Self.wideRequest(25, textLength: 2_000))
            #expect(body.status == 413)
            let count = try RunningServer.ask(port, "{ listWides { items { id } } }")
            #expect(count.text == #"{"data":{"listWides":{"items":[]}}}"#)
        }
    }
}
