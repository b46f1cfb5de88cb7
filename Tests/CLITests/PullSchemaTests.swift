import Foundation
import RawServer
import Testing
import TidelogJSON

@Suite("tidelog pull-schema", .timeLimit(.minutes(5)))
struct PullSchemaTests {
    private static let schema = """
        enum Status { ACTIVE, GONE }
        # A comment, and blanks at the end.  \n
        "An address."
        type Address { street: String! zip: [Int!] }

        "A blog \\"with\\" posts."
        type Blog @model {
          id: ID!
          name: String!
          address: Address
          posts: [Post] @hasMany
        }

        type Post @model {
          id: ID!
          title: String!
          status: Status
          rating: Int @index(name: "postsByRatingAndTitle", sortKeyFields: ["title"], queryField: "postsByRatingAndTitle")
          blog: Blog @belongsTo
          comments: [Comment] @hasMany(indexName: "commentsByPost", fields: ["id"])
        }

        type Comment @model {
          id: ID!
          postID: ID! @index(name: "commentsByPost", queryField: "commentsByPost")
          text: String
          writtenAt: AWSDateTime
          post: Post @belongsTo(fields: ["postID"])
        }

        type Volume @model {
          isbn: String! @primaryKey(sortKeyFields: ["edition"])
          edition: Int!
          kind: String! @default(value: "paper")
        }

        """

    /// Starts a server of ``schema``. `body` gets the directory, the server, and the arguments that name the server.
    private func serving(
        _ text: String = schema, _ body: (Shop, ServerProcess, [String]) async throws -> Void
    ) async throws {
        let shop = try Shop()
        try shop.write(text, to: "served.graphql")
        let server = try ServerProcess(shop.file("served.graphql"), store: shop.store)
        try await body(shop, server, ["--endpoint", server.endpoint.absoluteString, "--api-key", ServerProcess.key])
        #expect(try server.stop() == 0)
    }

    @Test("a server of this project gives the schema that it was started with, byte for byte")
    func bytes() async throws {
        try await serving { shop, server, arguments in
            let line =
                "tidelog pull-schema --endpoint \(server.endpoint) --api-key \(ServerProcess.key) > pulled.graphql"
            let outcome = try shop.shell("\(line) && cmp pulled.graphql served.graphql")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors == "")
            let json = try Tool.run(["pull-schema", "--json"] + arguments).object()
            #expect(json.keys == ["schema"])
            #expect(json["schema"]?.text == Self.schema)
        }
    }

    @Test("a wrong key and an unreachable server are exit 1, and invalid arguments are exit 2")
    func failures() async throws {
        try await serving { _, server, _ in
            let endpoint = server.endpoint.absoluteString
            let key = try Tool.run("pull-schema", "--endpoint", endpoint, "--api-key", "da2-wrong-key", "--json")
            #expect(key.status == 1)
            #expect(try key.error()["code"]?.text == "unauthorized")
            #expect(key.lines.isEmpty)
        }
        let gone = try Tool.run(
            "pull-schema", "--endpoint", "http://127.0.0.1:1/graphql", "--api-key", "da2-key", "--json")
        #expect(gone.status == 1)
        #expect(try gone.error()["code"]?.text == "unreachable")
        let plain = try Tool.run(
            "pull-schema", "--endpoint", "http://example.com/graphql", "--api-key", "da2-key", "--json")
        #expect(plain.status == 2)
        #expect(try plain.error()["code"]?.text == "unusableRequest")
        for arguments in [
            ["--api-key", "k"], ["--endpoint", "http://127.0.0.1:1/graphql"],
            ["--endpoint", "ftp://127.0.0.1/", "--api-key", "k"], ["--endpoint", "graphql", "--api-key", "k"],
        ] { #expect(try Tool.run(["pull-schema"] + arguments).status == 2, "\(arguments)") }
    }

    /// A server that answers every POST with `answer`, and any other request with 404, like a server without a route
    /// for schemas.
    private func server(_ answer: String, status: String = "200 OK") throws -> RawServer {
        try RawServer { connection in
            while true {
                let isAsked = try connection.request().hasPrefix("POST /graphql ")
                let (status, body) = isAsked ? (status, answer) : ("404 Not Found", "nothing")
                try connection.send("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
    }

    /// The response of `server` to the introspection query that `pull-schema` sends.
    private func introspection(of server: ServerProcess) async throws -> String {
        let asked = Asked()
        let listener = try RawServer { connection in
            while true {
                let request = try connection.request()
                if request.hasPrefix("POST") { asked.set(request.components(separatedBy: "\r\n\r\n")[1]) }
                try connection.send("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let outcome = try Tool.run(
            "pull-schema", "--endpoint", "http://127.0.0.1:\(listener.port)/graphql", "--api-key", "k", "--json")
        #expect(try outcome.error()["code"]?.text == "noSchema")
        let headers = ["x-api-key": ServerProcess.key, "Content-Type": "application/json"]
        return try await server.send("POST", "/graphql", headers, body: asked.value).text
    }

    @Test("pull-schema infers models, keys, indexes and relations from introspection, and lists the missing parts")
    func inference() async throws {
        try await serving { shop, server, _ in
            let other = try self.server(try await introspection(of: server))
            let arguments = ["--endpoint", "http://127.0.0.1:\(other.port)/graphql", "--api-key", "k"]
            let outcome = try Tool.run(["pull-schema"] + arguments)
            #expect(outcome.status == 0, "\(outcome.errors)")
            try shop.write(outcome.output + "\n", to: "pulled.graphql")
            let diff = try shop.shell("tidelog schema diff served.graphql pulled.graphql")
            // Introspection does not give the default value of a field.
            #expect(!diff.lines.isEmpty && diff.lines.allSatisfy { $0.contains("Volume.kind") }, "\(diff.output)")
            for fact in ["access rules of Post (@auth)", "default value of Volume.kind", "index of Comment"] {
                #expect(outcome.errors.contains(fact), "\(fact) is missing: \(outcome.errors)")
            }
            #expect(outcome.output.contains(#""A blog \"with\" posts.""#))
            let json = try Tool.run(["pull-schema", "--json"] + arguments)
            #expect(try json.object().keys == ["schema", "notInferred"])
            #expect(try json.object()["notInferred"]?.elements.isEmpty == false)
            #expect(json.errors == "")
        }
    }

    @Test("a relation that cannot be inferred and an operation of no model are left out of the schema and listed")
    func unknown() async throws {
        let sdl = """
            type Post @model {
              id: ID!
              comments: [Comment] @hasMany(indexName: "mine", fields: ["id"])
            }
            type Comment @model {
              id: ID!
              about: ID! @index(name: "mine", queryField: "commentsAbout")
              text: String
            }
            """
        try await serving(sdl) { _, server, _ in
            let answer = try await introspection(of: server)
                .replacingOccurrences(of: #""name":"commentsAbout""#, with: #""name":"echo""#)
                .replacingOccurrences(of: #""name":"deletePost""#, with: #""name":"burnPost""#)
                .replacingOccurrences(of: #""name":"onUpdatePost""#, with: #""name":"watchPost""#)
                .replacingOccurrences(of: "DeleteCommentInput", with: "EraseCommentInput")
            let other = try self.server(answer)
            let outcome = try Tool.run(
                "pull-schema", "--endpoint", "http://127.0.0.1:\(other.port)/graphql", "--api-key", "k", "--json")
            let lines = try outcome.object()["notInferred"]?.elements.compactMap(\.text) ?? []
            #expect(lines.contains { $0.contains("Post.comments") }, "\(lines)")
            #expect(lines.contains { $0.contains("Comment that the query echo uses") }, "\(lines)")
            #expect(lines.contains { $0.contains("Mutation.deleteComment") }, "\(lines)")
            #expect(lines.contains { $0.contains("Which operation of Post is its onUpdate") }, "\(lines)")
            let schema = try #require(try outcome.object()["schema"]?.text)
            for name in ["comments:", "deleteComment"] { #expect(!schema.contains(name), "\(name)") }
            // Operations are recognised under other names, and an operation that is missing is null.
            let post = #"Post @model(mutations: {delete: "burnPost"}, subscriptions: {onUpdate: null}) {"#
            #expect(schema.contains(post), "\(schema)")
            #expect(schema.contains("Comment @model(mutations: {delete: null}) {"), "\(schema)")
        }
    }

    @Test("a response without an introspected schema is the error noSchema or unauthorized")
    func noIntrospection() throws {
        let answers = [
            ("<html>", "200 OK", "noSchema"),
            (#"{"data":null,"errors":[{"message":"Switched off."}]}"#, "200 OK", "noSchema"),
            (#"{"errors":[{"message":"No."}]}"#, "401 Unauthorized", "unauthorized"),
            ("{}", "401 Unauthorized", "noSchema"), ("<html>", "403 Forbidden", "noSchema"),
            (#"{"data":{"__schema":{}}}"#, "200 OK", "noSchema"),
            (
                #"{"data":{"__schema":{"queryType":{"name":"Q"},"types":[{"kind":"OBJECT","name":"Q"}]}}}"#, "200 OK",
                "noSchema"
            ),
        ]
        for (answer, status, code) in answers {
            let server = try server(answer, status: status)
            let outcome = try Tool.run(
                "pull-schema", "--endpoint", "http://127.0.0.1:\(server.port)/graphql", "--api-key", "k", "--json")
            #expect(outcome.status == 1)
            #expect(try outcome.error()["code"]?.text == code, "\(answer)")
            #expect(outcome.lines.isEmpty)
            if answer.contains("Switched off.") {
                #expect(try outcome.error()["message"]?.text?.contains("Switched off.") == true)
            }
        }
    }
}

/// A text that the thread of a server stores for the test.
private final class Asked: @unchecked Sendable {
    private let lock = NSLock()
    private var text = ""

    var value: String { lock.withLock { text } }

    func set(_ text: String) { lock.withLock { self.text = text } }
}
