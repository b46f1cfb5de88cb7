import ServerSupport
import TestStores
import Testing
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Relations in requests", .databaseToo)
struct RelationTests {
    static let sdl = """
        type Blog @model { id: ID! name: String posts: [Post] @hasMany }
        type Post @model { id: ID! title: String blog: Blog @belongsTo cover: Cover @hasOne }
        type Cover @model { id: ID! path: String }
        """

    private static func blogs(_ served: ServedSchema) async throws {
        for blog in ["a", "b"] {
            _ = try await served.data("mutation { createBlog(input: {id: \"\(blog)\", name: \"\(blog)\"}) { id } }")
            for number in 1...5 {
                _ = try await served.data(
                    "mutation { createPost(input: {id: \"\(blog)\(number)\", blogPostsId: \"\(blog)\"}) { id } }")
            }
        }
    }

    @Test(
        "a connection contains only its own records, and refuses a page token of another record's connection",
        arguments: Adapter.persistent)
    func connections(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        try await Self.blogs(served)
        let first = try await served.data(
            #"{ getBlog(id: "a") { posts(limit: 2) { items { id blog { name } } nextToken } } }"#)
        let posts = try #require(first["getBlog"]?["posts"])
        #expect(posts["items"]?.elements.map { $0["id"]?.text } == ["a1", "a2"])
        #expect(posts["items"]?.elements.map { $0["blog"]?["name"]?.text } == ["a", "a"])
        let token = try #require(posts["nextToken"]?.text)
        let second = try await served.data(
            "{ getBlog(id: \"a\") { posts(limit: 3, nextToken: \"\(token)\") { items { id } nextToken } } }")
        #expect(second["getBlog"]?["posts"]?["items"]?.elements.map { $0["id"]?.text } == ["a3", "a4", "a5"])
        #expect(second["getBlog"]?["posts"]?["nextToken"] == .null)
        let other = try await served.ask("{ getBlog(id: \"b\") { posts(nextToken: \"\(token)\") { items { id } } } }")
        #expect(other.contains("Invalid pagination token"))
    }

    @Test("a reference returns its record, null if there is none, or the tombstone if the record is deleted")
    func references() async throws {
        let served = try await ServedSchema(Self.sdl)
        try await Self.blogs(served)
        _ = try await served.data(#"mutation { createCover(input: {id: "c", path: "p"}) { id } }"#)
        _ = try await served.data(
            #"mutation { updatePost(input: {id: "a1", postCoverId: "c", _version: 1}) { cover { path } } }"#)
        _ = try await served.data(#"mutation { deleteBlog(input: {id: "b", _version: 1}) { id } }"#)
        let query = """
            { one: getPost(id: "a1") { cover { path } blog { name } }
              two: getPost(id: "b1") { cover { id } blog { _deleted } } }
            """
        let data = try await served.data(query)
        #expect(
            data["one"] == .object(["cover": .object(["path": .string("p")]), "blog": .object(["name": .string("a")])]))
        #expect(data["two"] == .object(["cover": .null, "blog": .object(["_deleted": .bool(true)])]))
    }

    @Test("reads beyond a request's limit are refused field by field, and the fields before them are returned")
    func budget() async throws {
        let served = try await ServedSchema(Self.sdl)
        _ = try await served.data(#"mutation { createBlog(input: {id: "a"}) { id } }"#)
        for number in 1...100 {
            _ = try await served.data(
                "mutation { createPost(input: {id: \"\(number)\", blogPostsId: \"a\"}) { id } }")
        }
        let posts = { (inner: String) in "posts { items { \(inner) } }" }
        // The service reads depth first: two reads for the blog and its posts, and then 102 reads for each post. The reads for
        // 98 posts are within the limit. The other two posts exceed it.
        let query = "{ getBlog(id: \"a\") { \(posts("blog { \(posts("id blog { name }")) }")) } }"
        let response = try await served.service.respond(to: ServiceRequest(query), from: .apiKey)
        let types = Set(response.errors.map(\.errorType))
        #expect(types == ["LimitExceededException"])
        #expect(response.errors.count == 2 + 102 * 99 - RequestBudget.maximumReads + 1)
        let first = response.data["getBlog"]?["posts"]?["items"]?.elements.first
        #expect(first?["blog"]?["posts"]?["items"]?.elements.first?["blog"] == .object(["name": .null]))
    }
}
