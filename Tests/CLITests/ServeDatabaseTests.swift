import FaultHarness
import Foundation
import PostgresSupport
import TestWaiting
import Testing
import TidelogJSON

@Suite("tidelog serve --database", .enabled(if: PostgresCluster.isInstalled), .timeLimit(.minutes(5)))
struct ServeDatabaseTests {
    private static let schema = """
        enum Level { LOW HIGH }
        type Item @model @auth(rules: [{allow: public}]) { id: ID! number: Int level: Level note: String }

        """

    /// Two servers over a new database.
    private struct Pair {
        let shop: Shop
        let database: String
        let first: ServerProcess
        let second: ServerProcess

        init() throws {
            shop = try Shop()
            try shop.write(ServeDatabaseTests.schema, to: "items.graphql")
            database = try PostgresCluster.makeDatabase()
            first = try ServerProcess(shop.file("items.graphql"), database: database)
            second = try ServerProcess(shop.file("items.graphql"), database: database)
        }
    }

    private static func create(_ id: String, _ number: Int, at server: ServerProcess) async throws -> JSONValue {
        try await server.ask(
            #"mutation { createItem(input: {id: "\#(id)", number: \#(number)}) { id number _version } }"#)
    }

    @Test("two servers share the records and the page tokens, and decide conflicts by one version")
    func shared() async throws {
        let pair = try Pair()
        for number in 0..<5 { _ = try await Self.create("i\(number)", number, at: pair.first) }
        let page = try await pair.first.ask("{ syncItems(limit: 2) { items { id } nextToken } }")
        let token = try #require(page["data"]?["syncItems"]?["nextToken"]?.text)
        let rest = try await pair.second.ask(
            #"{ syncItems(limit: 10, nextToken: "\#(token)") { items { id } nextToken } }"#)
        #expect(rest["data"]?["syncItems"]?["items"]?.elements.compactMap { $0["id"]?.text } == ["i2", "i3", "i4"])
        let update = #"mutation { updateItem(input: {id: "i0", number: 9, _version: 1}) { number _version } }"#
        let updated = try await pair.second.ask(update)
        #expect(updated["data"]?["updateItem"]?["_version"]?.number == 2)
        let read = try await pair.first.ask(#"{ getItem(id: "i0") { number _version } }"#)
        #expect(read["data"]?["getItem"]?["number"]?.number == 9)
        #expect(try pair.first.stop() == 0)
        #expect(try pair.second.stop() == 0)
    }

    @Test("subscribers of one server hear the changes that are made at the other, in the order of each record")
    func heard() async throws {
        let pair = try Pair()
        let subscriber = try await SubscribedClient("onUpdateItem { id number _version }", at: pair.second)
        _ = try await Self.create("a", 0, at: pair.first)
        for version in 1...20 {
            let server = version.isMultiple(of: 2) ? pair.first : pair.second
            _ = try await server.ask(
                #"mutation { updateItem(input: {id: "a", number: \#(version), _version: \#(version)}) { id } }"#)
        }
        for version in 2...21 {
            let change = try await subscriber.next()["onUpdateItem"]
            #expect(change?["_version"]?.number == version && change?["number"]?.number == version - 1)
        }
    }

    @Test("while the database is down the server says so, and after its restart it serves and tells changes by itself")
    func restarted() async throws {
        let cluster = try PostgresCluster()
        let shop = try Shop()
        try shop.write(Self.schema, to: "items.graphql")
        let server = try ServerProcess(shop.file("items.graphql"), database: cluster.makeDatabase())
        let subscriber = try await SubscribedClient("onCreateItem { id }", at: server)
        _ = try await Self.create("before", 1, at: server)
        #expect(try await subscriber.next()["onCreateItem"]?["id"]?.text == "before")
        try cluster.halt()
        let failed = try await server.post(#"mutation { createItem(input: {id: "down"}) { id } }"#)
        #expect(failed.text.contains("The server cannot do this now."))
        let health = try await server.send("GET", "/health")
        #expect(health.status == 503 && health.text.contains("databaseUnavailable"))
        try cluster.start()
        try await eventually("the server takes changes again") {
            try await Self.create("after", 2, at: server)["data"]?["createItem"]?["id"]?.text == "after"
        }
        try await eventually("the server reports that it is well") {
            try await server.send("GET", "/health").status == 200
        }
        #expect(try await server.ask(#"{ getItem(id: "before") { number } }"#)["data"]?["getItem"] != nil)
        #expect(try await server.ask(#"{ getItem(id: "down") { number } }"#)["data"]?["getItem"] == .null)
        #expect(try await subscriber.next()["onCreateItem"]?["id"]?.text == "after")
        #expect(try server.stop() == 0)
    }

    @Test("a schema with a new field is taken over, and one that removes a case in use is refused")
    func schemas() async throws {
        let shop = try Shop()
        try shop.write(Self.schema, to: "items.graphql")
        let database = try PostgresCluster.makeDatabase()
        var server = try ServerProcess(shop.file("items.graphql"), database: database)
        _ = try await server.ask(#"mutation { createItem(input: {id: "a", level: HIGH}) { id } }"#)
        #expect(try server.stop() == 0)

        try shop.write(Self.schema.replacing("{ LOW HIGH }", with: "{ LOW }"), to: "less.graphql")
        let refused = try Tool.run(["serve", shop.file("less.graphql"), "--database", database, "--port", "0"])
        #expect(refused.status == 1 && refused.errors.contains("Level.HIGH") && refused.errors.contains("1 record"))

        let more = Self.schema.replacing("note: String", with: #"note: String count: Int! @default(value: "7")"#)
        try shop.write(more, to: "more.graphql")
        server = try ServerProcess(shop.file("more.graphql"), database: database)
        #expect(server.ready["schemaChanges"]?.elements.isEmpty == false)
        let read = try await server.ask(#"{ getItem(id: "a") { level count } }"#)
        #expect(read["data"]?["getItem"]?["count"]?.number == 7)
        #expect(try server.stop() == 0)
    }

    @Test("a text with U+0000 is refused by name, and nothing is stored")
    func zero() async throws {
        let pair = try Pair()
        let refused = try await pair.first.ask(#"mutation { createItem(input: {id: "z", note: "a\u0000b"}) { id } }"#)
        #expect("\(refused)".contains("Item.note contains the character U+0000"))
        #expect(try await pair.first.ask(#"{ getItem(id: "z") { id } }"#)["data"]?["getItem"] == .null)
    }

    @Test("an address without a database is an error that says so, and does not repeat the password")
    func unreachable() throws {
        let shop = try Shop()
        try shop.write(Self.schema, to: "items.graphql")
        for address in ["postgres://user:secretword@127.0.0.1:1/none", "postgres://secretword%zz"] {
            let outcome = try Tool.run(["serve", shop.file("items.graphql"), "--database", address, "--json"])
            #expect(outcome.status != 0)
            #expect(["databaseUnavailable", "configurationMismatch"].contains(try outcome.error()["code"]?.text ?? ""))
            #expect(!outcome.errors.contains("secretword"))
        }
    }
}
