import ServerSupport
import TestStores
import Testing
import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Clients that know no versions", .databaseToo)
struct UnconditionalTests {
    private static let sdl = """
        type Post @model { id: ID! title: String rating: Int tags: [String] comments: [Comment] @hasMany }
        type Comment @model { id: ID! text: String post: Post @belongsTo }
        """

    /// The requests of Amplify's `generateClient().models`, byte for byte.
    private enum Client {
        static let fields = "id title rating tags createdAt updatedAt"
        static let create = "mutation($input: CreatePostInput!) { createPost(input: $input) { \(fields) } }"
        static let update = "mutation($input: UpdatePostInput!) { updatePost(input: $input) { \(fields) } }"
        static let delete = "mutation($input: DeletePostInput!) { deletePost(input: $input) { \(fields) } }"
        static let get = "query($id: ID!) { getPost(id: $id) { \(fields) } }"
        static let list =
            "query($filter: ModelPostFilterInput,$limit: Int,$nextToken: String) { "
            + "listPosts(filter: $filter,limit: $limit,nextToken: $nextToken) { items { \(fields) } nextToken __typename } }"
    }

    private static func served(
        _ strategy: ConflictStrategy = .unconditional, on adapter: Adapter = Adapter(factory: .inMemory())
    ) async throws -> ServedSchema {
        var options = ServiceOptions()
        options.strategy = strategy
        return try await ServedSchema(sdl, on: adapter, options: options)
    }

    private static func input(_ members: (String, InputValue)...) -> InputObject {
        InputObject([.init(name: "input", value: .object(InputObject(members.map { .init(name: $0, value: $1) })))])
    }

    private static let id = InputObject([.init(name: "id", value: .string("1"))])

    @Test(
        "generateClient creates, updates, lists and deletes a record without a version", arguments: Adapter.persistent)
    func changes(adapter: Adapter) async throws {
        let served = try await Self.served(on: adapter)
        _ = try await served.data(
            Client.create,
            Self.input(
                ("id", .string("1")), ("title", .string("a")), ("rating", .int(1)), ("tags", .list([.string("x")]))))
        for number in 2...5 {
            let post = try await served.data(
                Client.update, Self.input(("id", .string("1")), ("rating", .int(Int64(number)))))
            #expect(post["updatePost"]?["rating"]?.number == Int64(number))
            #expect(post["updatePost"]?["title"]?.text == "a")
        }
        // Lists are replaced, and not merged.
        let replaced = try await served.data(
            Client.update, Self.input(("id", .string("1")), ("title", .null), ("tags", .list([.string("y")]))))
        #expect(replaced["updatePost"]?["tags"]?.elements.map(\.text) == ["y"])
        #expect(replaced["updatePost"]?["title"]?.isNull == true)
        #expect(try await served.data(Client.list)["listPosts"]?["items"]?.elements.count == 1)
        #expect(
            try await served.data("{ getPost(id: 1) { _version } }")["getPost"]?["_version"]?.number == 6,
            "each change is a version for the clients that know versions")
        let deleted = try await served.data(Client.delete, Self.input(("id", .string("1"))))
        #expect(deleted["deletePost"]?["rating"]?.number == 5)
        #expect(try await served.data(Client.list)["listPosts"]?["items"]?.elements.isEmpty == true)
        #expect(try await served.data(Client.get, Self.id)["getPost"]?.isNull == true)
    }

    @Test("without the strategy, an update without a version changes no value, and a deletion is refused")
    func withoutStrategy() async throws {
        let served = try await Self.served(.autoMerge)
        _ = try await served.data(Client.create, Self.input(("id", .string("1")), ("rating", .int(1))))
        let post = try await served.data(Client.update, Self.input(("id", .string("1")), ("rating", .int(2))))
        #expect(post["updatePost"]?["rating"]?.number == 1)
        #expect(try await served.ask(Client.delete, Self.input(("id", .string("1")))).contains("ConflictUnhandled"))
    }

    @Test(
        "a record that was deleted, or that never existed, cannot be changed without a version; a creation replaces it")
    func deleted() async throws {
        let served = try await Self.served()
        let input = Self.input(("id", .string("1")))
        for text in [Client.update, Client.delete] {
            #expect(try await served.ask(text, input).contains("ConditionalCheckFailedException"))
        }
        _ = try await served.data(Client.create, input)
        _ = try await served.data(Client.delete, input)
        for text in [Client.update, Client.delete] {
            let refused = try await served.ask(text, input)
            // The error does not show the tombstone, because the record is not there for this client.
            #expect(refused.contains(#""data":null,"errorType":"ConditionalCheckFailedException""#), "\(refused)")
        }
        _ = try await served.data(Client.create, input)
        #expect(try await served.data(Client.get, Self.id)["getPost"]?["id"]?.text == "1")
    }

    @Test("a client that names a version is protected from an old one, and a condition is checked for every client")
    func versions() async throws {
        let served = try await Self.served()
        _ = try await served.data(Client.create, Self.input(("id", .string("1")), ("rating", .int(1))))
        _ = try await served.data(Client.update, Self.input(("id", .string("1")), ("rating", .int(2))))
        for version in [1, 3] as [Int64] {
            let old = Self.input(("id", .string("1")), ("rating", .int(9)), ("_version", .int(version)))
            #expect(try await served.ask(Client.update, old).contains("ConflictUnhandled"))
            let deletion = Self.input(("id", .string("1")), ("_version", .int(version)))
            #expect(try await served.ask(Client.delete, deletion).contains("ConflictUnhandled"))
        }
        let current = Self.input(("id", .string("1")), ("rating", .int(3)), ("_version", .int(2)))
        #expect(try await served.data(Client.update, current)["updatePost"]?["rating"]?.number == 3)
        #expect(
            try await served.ask(
                "mutation { updatePost(input: {id: 1, rating: 4}, condition: {rating: {eq: 1}}) { rating } }"
            ).contains("ConditionalCheckFailedException"))
        let none = Self.input(("id", .string("1")), ("rating", .int(4)), ("_version", .null))
        #expect(try await served.data(Client.update, none)["updatePost"]?["rating"]?.number == 4)
    }

    @Test("a client that selects _deleted sees deleted records, in get, lists, relations and sync queries")
    func tombstones() async throws {
        let served = try await Self.served()
        _ = try await served.data(Client.create, Self.input(("id", .string("1"))))
        _ = try await served.data(#"mutation { createComment(input: {id: "c", postCommentsId: "1"}) { id } }"#)
        _ = try await served.data(#"mutation { createComment(input: {id: "d", postCommentsId: "1"}) { id } }"#)
        _ = try await served.data(#"mutation { deleteComment(input: {id: "d"}) { id } }"#)
        let comments = { (fields: String) in
            try await served.data("{ getPost(id: 1) { comments { items { \(fields) } } } }")["getPost"]?["comments"]?[
                "items"]?.elements.count
        }
        #expect(try await comments("id") == 1)
        #expect(try await comments("id _deleted") == 2)
        _ = try await served.data(Client.delete, Self.input(("id", .string("1"))))
        for (fields, isShown) in [("id", false), ("id _deleted", true)] {
            let answer = try await served.data(
                """
                { getPost(id: 1) { \(fields) } getComment(id: "c") { post { \(fields) } }
                  listPosts { items { \(fields) } } }
                """)
            #expect(answer["getPost"]?.isNull == !isShown, "\(fields)")
            #expect(answer["getComment"]?["post"]?.isNull == !isShown, "\(fields)")
            #expect(answer["listPosts"]?["items"]?.elements.isEmpty == !isShown, "\(fields)")
        }
        let sync = try await served.data("{ syncPosts(lastSync: 0) { items { id _deleted _version } } }")
        #expect(sync["syncPosts"]?["items"]?.elements.count == 1)
    }

    @Test("the strategy of one model leaves the other models as they are")
    func oneModel() async throws {
        var options = ServiceOptions()
        options.strategies["Comment"] = .unconditional
        let served = try await ServedSchema(Self.sdl, options: options)
        _ = try await served.data(#"mutation { createPost(input: {id: "1"}) { id } }"#)
        _ = try await served.data(#"mutation { createComment(input: {id: "1"}) { id } }"#)
        #expect(
            try await served.ask(#"mutation { deletePost(input: {id: "1"}) { id } }"#).contains("ConflictUnhandled"))
        _ = try await served.data(#"mutation { deleteComment(input: {id: "1"}) { id } }"#)
    }
}
