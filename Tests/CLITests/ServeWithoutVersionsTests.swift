import FaultHarness
import Foundation
import PostgresSupport
import Testing
import TidelogJSON

@Suite("tidelog serve --api gen2", .timeLimit(.minutes(5)))
struct ServeWithoutVersionsTests {
    private static let schema = """
        type Todo @model @auth(rules: [{allow: public}]) { content: String status: String @index(sortKeyFields: ["content"]) }
        """

    private static func shop() throws -> Shop {
        let shop = try Shop()
        try shop.write(schema, to: "served.graphql")
        return shop
    }

    @Test("a record is deleted for good, also after a restart, and the description for clients names the queries")
    func deletion() async throws {
        let shop = try Self.shop()
        let outputs = shop.file("amplify_outputs.json")
        let arguments = ["--api", "gen2", "--write-config", outputs]
        let server = try ServerProcess(shop.file("served.graphql"), store: shop.store, arguments)
        let create = #"mutation { createTodo(input: {id: "1", content: "a", status: "s"}) { id } }"#
        let answer = try await server.post(create)
        #expect(answer.text == #"{"data":{"createTodo":{"id":"1"}}}"#)
        #expect(answer.header("x-tidelog-mutation-id") == nil && answer.header("x-tidelog-records") == nil)
        #expect(try await server.post(create).text.contains("DynamoDB:ConditionalCheckFailedException"))
        let deleted = try await server.post(#"mutation { deleteTodo(input: {id: "1"}) { content } }"#)
        #expect(deleted.text == #"{"data":{"deleteTodo":{"content":"a"}}}"#)
        #expect(try server.stop() == 0)
        #expect(try Tool.run("query", "--store", shop.store, "Todo", "--count").output == "0")
        let text = try String(contentsOfFile: outputs, encoding: .utf8)
        #expect(text.contains(#""queryField":"listTodoByStatusAndContent""#))

        // The file describes the API without versions, so that a server can be started from it.
        let again = try ServerProcess(outputs, store: shop.file("other"), ["--api", "gen2"])
        #expect(
            try await again.post(#"{ listTodoByStatusAndContent(status: "s") { items { id } } }"#).text
                == #"{"data":{"listTodoByStatusAndContent":{"items":[]}}}"#)
        #expect(try again.stop() == 0)
        let restarted = try ServerProcess(shop.file("served.graphql"), store: shop.store, ["--api", "gen2"])
        #expect(restarted.ready["schemaChanges"] == nil)
        #expect(
            try await restarted.post("{ listTodos { items { id } } }").text == #"{"data":{"listTodos":{"items":[]}}}"#)
        #expect(try await restarted.post(create).text == #"{"data":{"createTodo":{"id":"1"}}}"#)
        #expect(try restarted.stop() == 0)
    }

    @Test("a store is refused with the other kind of API, and nothing is changed")
    func kinds() throws {
        for (first, other) in [(["--api", "gen1"], ["--api", "gen2"]), (["--api", "gen2"], [])] {
            let shop = try Self.shop()
            #expect(try ServerProcess(shop.file("served.graphql"), store: shop.store, first).stop() == 0)
            try shop.write(
                Self.schema.replacing("content: String", with: "content: String more: Int"), to: "more.graphql")
            let before = try Tool.run("stats", "--store", shop.store, "--json").output
            let refused = try Tool.run(
                ["serve", shop.file("more.graphql"), "--store", shop.store, "--port", "0", "--json"] + other)
            #expect(refused.status == 2 && refused.lines.isEmpty)
            #expect(try refused.error()["code"]?.text == "configurationMismatch")
            #expect(try refused.error()["recovery"]?.text?.contains(first.joined(separator: " ")) == true)
            #expect(try Tool.run("stats", "--store", shop.store, "--json").output == before)
        }
    }

    @Test(
        "a database is served without versions by two processes, and refused with the other kind of API",
        .enabled(if: PostgresCluster.isInstalled))
    func database() async throws {
        let shop = try Self.shop()
        let address = try PostgresCluster.makeDatabase()
        let file = shop.file("served.graphql")
        let servers = try [1, 2].map { _ in try ServerProcess(file, database: address, ["--api", "gen2"]) }
        let create = #"mutation { createTodo(input: {id: "1", content: "a"}) { id } }"#
        for (number, answer) in [#"{"id":"1"}"#, #"{"content":"a"}"#, "null"].enumerated() {
            let document = number == 0 ? create : #"mutation { deleteTodo(input: {id: "1"}) { content } }"#
            let field = number == 0 ? "createTodo" : "deleteTodo"
            #expect(try await servers[number % 2].post(document).text == #"{"data":{"\#(field)":\#(answer)}}"#)
        }
        #expect(try await servers[1].post(create).text == #"{"data":{"createTodo":{"id":"1"}}}"#)
        for server in servers { #expect(try server.stop() == 0) }
        let refused = try Tool.run("serve", file, "--database", address, "--port", "0", "--json")
        #expect(refused.status == 2)
        #expect(try refused.error()["code"]?.text == "configurationMismatch")
        #expect(try refused.error()["recovery"]?.text?.contains("--api gen2") == true)
    }

    @Test("options that are about versions are refused together with --api gen2")
    func options() throws {
        let shop = try Self.shop()
        for (arguments, text) in [
            (["--store", shop.store, "--conflict", "none"], "--conflict"),
            (["--store", shop.store, "--delta-ttl", "9"], "--delta-ttl"),
            (["--store", shop.store, "--tombstone-ttl", "9"], "--tombstone-ttl"),
            (["--store", shop.store, "--strict-tombstones"], "--strict-tombstones"),
        ] {
            let refused = try Tool.run(["serve", shop.file("served.graphql"), "--api", "gen2", "--json"] + arguments)
            #expect(refused.status == 2)
            #expect(try refused.error()["message"]?.text?.contains(text) == true, "\(arguments)")
        }
        let unknown = try Tool.run(
            "serve", shop.file("served.graphql"), "--store", shop.store, "--api", "gen3", "--json")
        #expect(unknown.status == 2)
        #expect(try unknown.error()["message"]?.text == "--api is gen1 or gen2.")
    }
}
