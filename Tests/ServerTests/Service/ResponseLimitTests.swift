import TestStores
import Testing
import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Limits of responses")
struct ResponseLimitTests {
    private static let sdl = """
        type Blog @model { id: ID! posts: [Post] @hasMany }
        type Post @model { id: ID! text: String blog: Blog @belongsTo }
        type Note @model { id: ID! text: String }
        """
    private static let limit = 200_000

    private static func served(limit: Int = limit, all: Int = 1 << 30) async throws -> ServedSchema {
        var options = ServiceOptions()
        (options.maximumResponseBytes, options.maximumResponseBytesUnderWay) = (limit, all)
        let served = try await ServedSchema(sdl, options: options)
        _ = try await served.data(#"mutation { createBlog(input: {id: "b"}) { id } }"#)
        for number in 1...20 {
            // Half of the bytes are quotation marks, and each of them takes two bytes in JSON.
            let text = String(repeating: "x\"", count: 10_000)
            _ = try await served.data(
                "mutation M($text: String) { createPost(input: {id: \"p\(number)\", text: $text, blogPostsId: \"b\"}) { id } }",
                ["text": .string(text)])
        }
        return served
    }

    private static func response(_ served: ServedSchema, _ query: String) async throws -> ServiceResponse {
        try await served.service.respond(to: ServiceRequest(query), from: .apiKey)
    }

    /// The ids on all pages. `query` makes a query with the argument for the token, and `path` leads to the page in the
    /// response.
    private static func ids(_ served: ServedSchema, _ query: (String) -> String, _ path: [String]) async throws
        -> [String]
    {
        var ids: [String] = []
        var token = ""
        var count = 0
        while true {
            let response = try await response(served, query(token))
            #expect(response.errors.isEmpty, "\(response.errors.map(\.message))")
            #expect(response.boundedJSON.count <= limit)
            let page = path.reduce(Optional(response.data)) { $0?[$1] }
            ids += page?["items"]?.elements.compactMap { $0["id"]?.text } ?? []
            count += 1
            guard let next = page?["nextToken"]?.text else { break }
            token = "nextToken: \"\(next)\", "
        }
        #expect(count > 3)
        return ids
    }

    @Test("a page ends before the response is too long, and the next one continues after it")
    func pages() async throws {
        let served = try await Self.served()
        let expected = Set((1...20).map { "p\($0)" })
        for name in ["listPosts", "syncPosts"] {
            let ids = try await Self.ids(
                served, { "{ \(name)(\($0)limit: 1000) { items { id text } nextToken } }" }, [name])
            #expect(Set(ids) == expected && ids.count == 20)
        }
        let ofBlog = try await Self.ids(
            served,
            { "{ getBlog(id: \"b\") { id posts(\($0)limit: 1000) { items { id text again: text } nextToken } } }" },
            ["getBlog", "posts"])
        #expect(Set(ofBlog) == expected && ofBlog.count == 20)
        // Fields that the query does not select do not count.
        let short = try await served.data("{ listPosts(limit: 1000) { items { id } nextToken } }")["listPosts"]
        #expect(short?["items"]?.elements.count == 20 && short?["nextToken"] == .null)
    }

    @Test("a page also ends before the response is too long if the query selects every text of the records")
    func wholeRecords() async throws {
        let served = try await Self.served()
        for number in 1...40 {
            let text: InputValue = number <= 20 ? .string(String(repeating: "x\"", count: 10_000)) : .null
            _ = try await served.data(
                "mutation M($text: String) { createNote(input: {id: \"n\(number)\", text: $text}) { id } }",
                ["text": text])
        }
        let ids = try await Self.ids(
            served, { "{ listNotes(\($0)limit: 1000) { items { id text createdAt } nextToken } }" }, ["listNotes"])
        #expect(Set(ids) == Set((1...40).map { "n\($0)" }) && ids.count == 40)
    }

    @Test("all pages and records of one request share the limit, and the data within the limit is returned")
    func aliases() async throws {
        let served = try await Self.served()
        let pages = (1...8).map { "a\($0): listPosts(limit: 1000) { items { id text } nextToken }" }.joined(
            separator: " ")
        let records = (1...12).map { "g\($0): getPost(id: \"p\($0)\") { text }" }.joined(separator: " ")
        let related = "listPosts { items { id blog { id posts { items { text } } } } }"
        for document in [pages, records, related] {
            let response = try await Self.response(served, "{ \(document) }")
            #expect(response.json.count <= Self.limit)
            #expect(Set(response.errors.map(\.errorType)) == ["LimitExceededException"])
            #expect(response.data != .null)
        }
    }

    @Test("a record that is longer than the limit gives an error, and not an endless row of empty pages")
    func longRecord() async throws {
        let served = try await Self.served(limit: 20_000)
        let response = try await Self.response(served, "{ listPosts { items { id text } nextToken } }")
        #expect(response.errors.map(\.errorType) == ["LimitExceededException"])
        #expect(response.errors.first?.message.contains("a response of more than 20000 bytes") ?? false)
        #expect(try await Self.response(served, "{ listPosts { items { id } nextToken } }").errors.isEmpty)
    }

    @Test("a response that proves too long when it is written is an error, which says if the changes were made")
    func uncounted() async throws {
        let served = try await Self.served(limit: 5_000)
        let query = try await Self.response(served, "{ __schema { types { name fields { name description } } } }")
        #expect(query.json.count > 5_000 && query.boundedJSON.count < 1_000)
        #expect(String(decoding: query.boundedJSON, as: UTF8.self).contains("LimitExceededException"))
        let aliases = (1...25).map { "n\($0): __typename" }.joined(separator: " ")
        let document = "mutation { createBlog(input: {id: \"new\"}) { id \(aliases) } }"
        let short = try await Self.served(limit: 300)
        let mutation = try await Self.response(short, document)
        let json = String(decoding: mutation.boundedJSON, as: UTF8.self)
        #expect(json.contains("The changes of the mutation are written."), "\(json)")
        #expect(try await short.versions.record("Blog", "new") != nil)
    }

    @Test("all responses together have a limit; above it, queries are refused until earlier responses are released")
    func underWay() async throws {
        let served = try await Self.served(all: 300_000)
        let query = "{ listPosts(limit: 4) { items { text } } }"
        var held: [ServiceResponse] = []
        while true {
            let response = try await Self.response(served, query)
            if response.isOverloaded { break }
            held.append(response)
            #expect(held.count < 10)
        }
        #expect(!held.isEmpty && served.service.responses.usedCount <= 300_000)
        held = []
        #expect(served.service.responses.usedCount == 0)
        #expect(try await Self.response(served, query).errors.isEmpty)
    }
}
