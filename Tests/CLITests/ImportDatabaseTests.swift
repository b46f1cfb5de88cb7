import FaultHarness
import Foundation
import PostgresSupport
import SeededNumbers
import Testing
import TidelogJSON
import TidelogPlatform

@Suite("tidelog import --database", .enabled(if: PostgresCluster.isInstalled), .timeLimit(.minutes(5)))
struct ImportDatabaseTests {
    private static let schema = """
        enum Level { LOW HIGH }
        type Item @model @auth(rules: [{allow: public}]) {
          id: ID!
          number: Int @validate(type: gte, value: "0", errorMessage: "No negative numbers.")
          level: Level
          note: String @index(name: "byNote")
          tags: [String!]
          mail: AWSEmail
          count: Int! @default(value: "7")
        }

        """

    private let shop: Shop
    private let database: String

    init() throws {
        shop = try Shop()
        try shop.write(Self.schema, to: "items.graphql")
        database = try PostgresCluster.makeDatabase()
    }

    private func `import`(_ lines: [String], _ arguments: String...) throws -> Outcome {
        try shop.write(lines.map { $0 + "\n" }.joined(), to: "items.ndjson")
        return try Tool.run(
            ["import", "--database", database, "--json", "Item", shop.file("items.ndjson")] + arguments)
    }

    private func withSchema(_ lines: [String], _ arguments: String...) throws -> Outcome {
        try shop.write(lines.map { $0 + "\n" }.joined(), to: "items.ndjson")
        return try Tool.run(
            [
                "import", "--database", database, "--json", "--schema", shop.file("items.graphql"), "Item",
                shop.file("items.ndjson"),
            ] + arguments)
    }

    private func sql(_ text: String) throws -> [String] {
        try PostgresCluster.run(text, on: database).split(separator: "\n").map(String.init)
    }

    private static func item(_ id: Int, _ rest: String = "") -> String { #"{"id":"i\#(id)","number":\#(id)\#(rest)}"# }

    @Test("subscribers and delta queries of a running server get the imported records, with versions and times")
    func heard() async throws {
        let server = try ServerProcess(shop.file("items.graphql"), database: database)
        _ = try await server.ask(#"mutation { createItem(input: {id: "i1", number: 5}) { id } }"#)
        let deletion = "deleteItem(input: {id: \"i2\", _version: 1}) { id }"
        _ = try await server.ask(#"mutation { createItem(input: {id: "i2", number: 2}) { id } \#(deletion) }"#)
        let begun = try await server.ask("{ syncItems { startedAt items { id } } }")
        let since = try #require(begun["data"]?["syncItems"]?["startedAt"]?.number)
        let created = try await SubscribedClient("onCreateItem { id number count _version }", at: server)
        let updated = try await SubscribedClient("onUpdateItem { id number _version createdAt }", at: server)
        let kept = try sql(#"SELECT "createdAt" FROM tidelog."Item" WHERE id = 'i1'"#)

        let outcome = try `import`([Self.item(1), Self.item(2), Self.item(3, #","tags":["a","b"],"level":"HIGH""#)])
        #expect(outcome.status == 0 && outcome.output.hasPrefix(#"{"imported":3,"unchanged":0,"skipped":0,"#))
        var heard: [String: JSONValue] = [:]
        for _ in 0..<2 {
            let item = try #require(try await created.next()["onCreateItem"])
            heard[item["id"]?.text ?? ""] = item
        }
        // A record that replaces a tombstone counts on from its version.
        #expect(heard["i2"]?["_version"]?.number == 3 && heard["i3"]?["_version"]?.number == 1)
        #expect(heard["i3"]?["count"]?.number == 7)
        let update = try #require(try await updated.next()["onUpdateItem"])
        #expect(update["id"]?.text == "i1" && update["_version"]?.number == 2 && update["number"]?.number == 1)
        #expect(update["createdAt"]?.text == kept.first)
        let delta = try await server.ask("{ syncItems(lastSync: \(since)) { items { id _deleted } } }")
        #expect(
            Set(delta["data"]?["syncItems"]?["items"]?.elements.compactMap { $0["id"]?.text } ?? []) == [
                "i1", "i2", "i3",
            ])

        let again = try `import`([Self.item(1), Self.item(2), Self.item(3, #","tags":["a","b"],"level":"HIGH""#)])
        #expect(again.output == #"{"imported":0,"unchanged":3,"skipped":0,"sequence":0}"#)
        // The server continues from the imported versions.
        let next = try await server.ask(
            #"mutation { updateItem(input: {id: "i3", number: 9, _version: 1}) { _version } }"#)
        #expect(next["data"]?["updateItem"]?["_version"]?.number == 2)
        #expect(try server.stop() == 0)
    }

    @Test(
        "a line that the schema or the database refuses stops the import with its number, and nothing of its batch is saved",
        arguments: [
            #"{"id":"x","number":-1}"#, #"{"id":"x","level":"MIDDLE"}"#, #"{"id":"x","mail":"nobody"}"#,
            #"{"id":"x","note":"a\u0000b"}"#, #"{"id":"x","note":"\#(Self.long)"}"#, #"{"id":"x","more":1}"#, "{",
        ])
    func badLine(line: String) throws {
        let lines = (0..<4).map { Self.item($0) } + [line] + (5..<9).map { Self.item($0) }
        let stopped = try withSchema(lines, "--batch", "3")
        #expect(stopped.status == 1)
        let message = try stopped.error()["message"]?.text ?? ""
        #expect(message.hasPrefix("Line 5"), "\(message)")
        #expect(try sql(#"SELECT id FROM tidelog."Item" ORDER BY id"#) == ["i0", "i1", "i2"])

        let skipped = try withSchema(lines, "--batch", "3", "--skip-bad")
        #expect(skipped.status == 0, "\(skipped.errors)")
        #expect(try skipped.objects().first?["line"]?.number == 5)
        #expect(try skipped.objects().last?["imported"]?.number == 5)
        #expect(try skipped.objects().last?["unchanged"]?.number == 3)
        #expect(try sql(#"SELECT count(*), max(_version) FROM tidelog."Item""#) == ["8|1"])
    }

    /// A text that is too long for an index and that PostgreSQL cannot compress.
    private static let long: String = {
        var random = SeededGenerator(7)
        let letters = (0..<20_000).map { _ in UInt8(97 + random.below(26)) }
        return String(decoding: letters, as: UTF8.self)
    }()

    @Test("an import that was killed and is run again saves each record once")
    func killed() throws {
        let total = 20_000
        #expect(try withSchema([]).status == 0)
        try shop.write((0..<total).map { Self.item($0) + "\n" }.joined(), to: "items.ndjson")
        let child = try Tool.start([
            "import", "--database", database, "--batch", "100", "--ack", "Item", shop.file("items.ndjson"),
        ])
        for _ in 0..<3 { _ = try child.readLine() }
        child.signal(SIGKILL)
        #expect(try Tool.finish(child).status == -SIGKILL)
        // A transaction that was committed while the process was killed still counts.
        let before = try Int(#require(try sql(#"SELECT count(*) FROM tidelog."Item""#).first)) ?? -1
        #expect(before >= 300 && before < total)
        let again = try Tool.run("import", "--database", database, "--json", "Item", shop.file("items.ndjson"))
        #expect(try again.object()["imported"]?.number == total - before)
        #expect(try again.object()["unchanged"]?.number == before)
        #expect(try sql(#"SELECT count(*), max(_version) FROM tidelog."Item""#) == ["\(total)|1"])
        #expect(try sql("SELECT count(*) FROM tidelog_server.change") == ["\(total)"])
    }

    @Test("--ack counts lines, and the last of several lines of a record counts")
    func acknowledged() throws {
        #expect(try withSchema([]).status == 0)
        try shop.write(
            [Self.item(1), Self.item(2), #"{"id":"i1","number":8}"#, Self.item(3)].map { $0 + "\n" }.joined(),
            to: "items.ndjson")
        let outcome = try Tool.run(
            "import", "--database", database, "--ack", "--batch", "3", "Item", shop.file("items.ndjson"))
        #expect(outcome.lines == [#"{"acknowledged":3,"sequence":3}"#, #"{"acknowledged":4,"sequence":4}"#])
        #expect(
            try sql(#"SELECT id, number, _version FROM tidelog."Item" ORDER BY id"#) == ["i1|8|2", "i2|2|1", "i3|3|1"])
    }

    @Test("a database without servers needs a schema, and options and models that do not fit are refused")
    func refused() throws {
        let unserved = try `import`([Self.item(1)])
        #expect(unserved.status == 1)
        #expect(try unserved.error()["code"]?.text == "storeNotFound")
        #expect(try withSchema([Self.item(1)], "--api", "gen2").status == 0)
        let kind = try `import`([Self.item(1)], "--api", "gen1")
        #expect(kind.status == 2)
        #expect(try kind.error()["code"]?.text == "configurationMismatch")
        #expect(try `import`([Self.item(1)], "--store", "x").status == 2)
        #expect(try `import`([Self.item(1)], "--origin", "remote").status == 2)
        #expect(try `import`([Self.item(1)], "--adapter", "lmdb").status == 2)
        let model = try Tool.run("import", "--database", database, "--json", "Itm", shop.file("items.ndjson"))
        #expect(model.status == 2)
        #expect(try model.error()["code"]?.text == "unknownModel")
        #expect(try shop.run("import", "--api", "gen1", "Item", shop.file("items.ndjson")).status == 2)
    }
}
