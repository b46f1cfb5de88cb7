import FaultHarness
import Foundation
import Testing
import TidelogJSON

@Suite("tidelog generate")
struct GenerateTests {
    private static let schema = """
        type Post @model { id: ID! title: String! status: Status }
        type Tag @model { id: ID! }
        enum Status { ACTIVE }
        """

    @Test("generate writes only changed files, removes the files of removed models, and leaves other files alone")
    func changes() throws {
        let directory = try TemporaryDirectory("generate")
        let (schema, output) = (directory.file("blog.graphql"), directory.file("Models"))
        try Self.schema.write(to: schema, atomically: true, encoding: .utf8)
        let command = ["generate", schema.path, "--output", output.path, "--json"]
        #expect(try Tool.run(command + ["--check"]).status == 1)
        #expect(!FileManager.default.fileExists(atPath: output.path))
        let first = try Tool.run(command)
        #expect(first.status == 0)
        #expect(first.output.hasPrefix(#"{"written":["Post.swift","Schema+App.swift","Status.swift","Tag.swift"]"#))
        #expect(try Tool.run(command).output == #"{"written":[],"removed":[],"unchanged":4}"#)
        #expect(try Tool.run(command + ["--check"]).status == 0)

        try "let mine = 1\n".write(to: output.appending(path: "Mine.swift"), atomically: true, encoding: .utf8)
        let less = Self.schema.replacingOccurrences(of: "type Tag @model { id: ID! }", with: "")
        try less.write(to: schema, atomically: true, encoding: .utf8)
        #expect(
            try Tool.run(command).output == #"{"written":["Schema+App.swift"],"removed":["Tag.swift"],"unchanged":2}"#)
        #expect(FileManager.default.fileExists(atPath: output.appending(path: "Mine.swift").path))
    }

    @Test("a file that was not generated is never overwritten")
    func foreign() throws {
        let directory = try TemporaryDirectory("generate")
        let schema = directory.file("blog.graphql")
        try Self.schema.write(to: schema, atomically: true, encoding: .utf8)
        try "struct Post {}\n".write(to: directory.file("Post.swift"), atomically: true, encoding: .utf8)
        let outcome = try Tool.run("generate", schema.path, "--output", directory.url.path)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("Post.swift was not generated"))
        #expect(!FileManager.default.fileExists(atPath: directory.file("Tag.swift").path))
    }

    @Test("the options file next to the schema applies, arguments override it, and an error in it is exit 2")
    func options() throws {
        let directory = try TemporaryDirectory("generate")
        let (schema, output) = (directory.file("blog.graphql"), directory.file("Models"))
        try Self.schema.write(to: schema, atomically: true, encoding: .utf8)
        let command = ["generate", schema.path, "--output", output.path]
        func write(_ options: String) throws {
            try options.write(to: directory.file("blog.modelgen"), atomically: true, encoding: .utf8)
        }
        try write("access: package\nschema-name: blog\n")
        #expect(try Tool.run(command).status == 0)
        let file = output.appending(path: "Schema+Blog.swift")
        #expect(try String(contentsOf: file, encoding: .utf8).contains("package static let blog = "))
        #expect(try Tool.run(command + ["--access", "public"]).status == 0)
        #expect(try String(contentsOf: file, encoding: .utf8).contains("public static let blog = "))
        try write("access: package\nschemaname: blog\n")
        let outcome = try Tool.run(command)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(#"blog.modelgen:2:1: there is no option "schemaname"; did you mean"#))
    }

    @Test("an error in the schema is exit 2 with its place and a suggestion, and writes nothing")
    func errors() throws {
        let directory = try TemporaryDirectory("generate")
        let (schema, output) = (directory.file("blog.graphql"), directory.file("Models"))
        try "type Post @model { id: ID! title: Sting }".write(to: schema, atomically: true, encoding: .utf8)
        let outcome = try Tool.run("generate", schema.path, "--output", output.path)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("blog.graphql:1:35: "))
        #expect(outcome.errors.contains("String"))
        #expect(!FileManager.default.fileExists(atPath: output.path))
        #expect(try Tool.run("generate", schema.path, "--output", output.path, "--schema-name", "9").status == 2)
        #expect(try Tool.run("generate", schema.path, "--output", output.path, "--access", "open").status == 2)
    }

    @Test("the models that a server describes in amplify_outputs.json are the models of its schema")
    func outputs() throws {
        let directory = try TemporaryDirectory("generate")
        let schema = directory.file("served.graphql")
        try """
        type Post @model @auth(rules: [{allow: public}]) {
          id: ID!
          title: String! @index(name: "byTitle", sortKeyFields: ["rating"])
          rating: Int
          status: Status
          places: [Place!]
          comments: [Comment] @hasMany
          tags: [Tag] @manyToMany(relationName: "PostTags")
        }
        type Comment @model @auth(rules: [{allow: public}]) {
          postID: ID! @primaryKey(sortKeyFields: ["number"])
          number: Int!
          post: Post @belongsTo
        }
        type Tag @model @auth(rules: [{allow: public}]) {
          id: ID!
          posts: [Post] @manyToMany(relationName: "PostTags")
        }
        enum Status { ACTIVE CLOSED }
        type Place { city: String! }
        """.write(to: schema, atomically: true, encoding: .utf8)
        let outputs = directory.file("amplify_outputs.json")
        let server = try ServerProcess(
            schema.path, store: directory.file("served").path, ["--write-config", outputs.path])
        #expect(try server.stop() == 0)
        let printed = try Tool.run(["schema", "print", outputs.path])
        #expect(printed.status == 0)
        let copy = directory.file("copy.graphql")
        try printed.output.write(to: copy, atomically: true, encoding: .utf8)
        // The two sides of a relation of many to many are described as relations to the join model.
        let difference = try Tool.run(["schema", "diff", schema.path, copy.path, "--json"])
        #expect(
            difference.output == """
                {"type":"Post","member":"tags","change":"relation to PostTags changed","lossless":true}
                {"type":"Tag","member":"posts","change":"relation to PostTags changed","lossless":true}
                """)
        let generated = try Tool.run(["generate", outputs.path, "--output", directory.file("Models").path])
        #expect(generated.status == 0 && generated.output.contains("PostTags.swift"))
    }
}
