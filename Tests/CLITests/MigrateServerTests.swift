import FaultHarness
import Foundation
import PostgresSupport
import SeededNumbers
import Testing
import TidelogJSON
import TidelogPlatform

@Suite("tidelog migrate --from --to", .enabled(if: PostgresCluster.isInstalled), .timeLimit(.minutes(5)))
struct MigrateServerTests {
    private static let schema = """
        enum Level { LOW HIGH }
        type Place { city: String! zip: Int }
        type Item @model @auth(rules: [{allow: public}]) {
          id: ID!
          number: Int @index(name: "byNumber")
          level: Level
          note: String @index(name: "byNote")
          tags: [String]
          place: Place
          day: AWSDate
          at: AWSDateTime
          weight: Float
          isGood: Boolean
        }
        type Line @model @auth(rules: [{allow: public}]) {
          order: ID! @primaryKey(sortKeyFields: ["number", "day"])
          number: Int!
          day: AWSDate!
          text: String
        }

        """

    private let shop: Shop
    private let database: String

    init() throws {
        shop = try Shop()
        try shop.write(Self.schema, to: "items.graphql")
        database = try PostgresCluster.makeDatabase()
    }

    private var graphql: String { shop.file("items.graphql") }

    private func migrate(_ from: String, _ to: String, _ arguments: String...) throws -> Outcome {
        try Tool.run(["migrate", "--from", from, "--to", to, "--json"] + arguments)
    }

    @discardableResult
    private func sql(_ text: String) throws -> String { try PostgresCluster.run(text, on: database) }

    /// All records of a stopped server's store, with their metadata and tombstones, and its answers.
    private func content(_ store: String) throws -> [String] {
        try ["Item", "Line", "TidelogServerAnswer"].flatMap { model in
            let outcome = try Tool.run("export", "--store", store, model)
            #expect(outcome.status == 0, "\(outcome.errors)")
            // A database knows the instant of a key in an answer, and not its text.
            return model == "Item" || model == "Line"
                ? outcome.lines : outcome.lines.map { $0.replacing("Z\"]", with: "\"]") }
        }
    }

    private func expectEqual(_ lines: [String], _ others: [String]) {
        let difference = lines.difference(from: others)
        let isEqual = difference.isEmpty
        #expect(isEqual, "\(Array(difference.prefix(4)))")
    }

    /// Mutations of random records, 20 in a document, each with an id.
    private func change(_ server: ServerProcess, rounds: Int, seed: UInt64) async throws {
        var random = SeededGenerator(seed)
        for round in 0..<rounds {
            var fields: [String] = []
            for index in 0..<20 {
                let (id, version) = (random.below(60), random.below(4))
                let all = [
                    "number: \(random.below(9) - 4)", #"note: "é\#(random.below(5))\\n""#, "level: HIGH",
                    #"tags: ["a", null, "\#(random.below(9))"]"#, #"place: {city: "Bern", zip: \#(random.below(9))}"#,
                    #"day: "2026-02-2\#(random.below(9))""#, #"at: "2026-11-28T08:00:00.\#(random.below(9))+02:00""#,
                    "weight: \(random.below(99)).125", "isGood: \(random.once(in: 2))", "number: null",
                ]
                let chosen = all.filter { _ in random.once(in: 2) }
                let names = Set(chosen.map { $0.prefix { $0 != ":" } })
                let values = names.compactMap { name in chosen.first { $0.hasPrefix("\(name):") } }.sorted().joined(
                    separator: ", ")
                let key = #"order: "o\#(id % 4)", number: \#(id % 5 - 2), day: "2026-01-0\#(id % 3 + 1)""#
                let mutation =
                    switch random.below(6) {
                    case 0: #"deleteItem(input: {id: "i\#(id)", _version: \#(version)}) { id }"#
                    case 1, 2: #"updateItem(input: {id: "i\#(id)", _version: \#(version), \#(values)}) { id }"#
                    case 3: #"createLine(input: {\#(key), text: "\#(round)"}) { order }"#
                    default: #"createItem(input: {id: "i\#(id)", \#(values)}) { id }"#
                    }
                fields.append("m\(index): " + mutation)
            }
            let ids = (0..<20).map { "s\(seed)-r\(round)-\($0)" }.joined(separator: ",")
            let response = try await server.post(
                "mutation { \(fields.joined(separator: " ")) }",
                ["x-api-key": ServerProcess.key, "x-tidelog-mutation-id": ids])
            #expect(response.status == 200 && response.text.contains(#""data":{"m0""#), "\(response.text)")
        }
    }

    private static let pages = """
        { syncItems(limit: 1000) { items { id number level note tags place { city zip } day at weight isGood createdAt \
        updatedAt _version _deleted _lastChangedAt } } syncLines(limit: 1000) { items { order number day text _version \
        _deleted _lastChangedAt } } }
        """

    @Test("a copy from a store to a database and back has every record with versions, times, tombstones and answers")
    func both() async throws {
        let first = try ServerProcess(graphql, store: shop.store)
        try await change(first, rounds: 8, seed: 1)
        let pages = try await first.post(Self.pages).text
        let page = try await first.ask("{ syncItems(limit: 3) { items { id } nextToken } }")
        let token = try #require(page["data"]?["syncItems"]?["nextToken"]?.text)
        #expect(try first.stop() == 0)
        let before = try content(shop.store)

        let there = try migrate(shop.store, database)
        #expect(there.status == 0, "\(there.errors)")
        let deletedCount = before.count { $0.contains(#""_deleted":true"#) }
        #expect(deletedCount > 0)
        #expect(try sql(#"SELECT count(*) FROM tidelog."Item" WHERE _deleted"#) == "\(deletedCount)")
        let second = try ServerProcess(graphql, database: database)
        #expect(try await second.post(Self.pages).text == pages)
        // A page token of the first server continues at the second one.
        let rest = try await second.ask(#"{ syncItems(limit: 3, nextToken: "\#(token)") { items { id } } }"#)
        #expect(rest["data"]?["syncItems"]?["items"]?.elements.count == 3)
        #expect(try second.stop() == 0)

        let back = try migrate(database, shop.file("again"), "--adapter", "sqlite")
        #expect(back.status == 0, "\(back.errors)")
        try expectEqual(content(shop.file("again")), before)
        // A copy that is run again finds both places equal.
        let again = try migrate(database, shop.file("again"))
        #expect(again.status == 0, "\(again.errors)")
        #expect(try again.object()["copied"]?.number == 0)
        let third = try ServerProcess(graphql, store: shop.file("again"))
        #expect(try await third.post(Self.pages).text == pages)
        try await change(third, rounds: 1, seed: 2)
        #expect(try third.stop() == 0)
        let other = try migrate(shop.file("again"), database)
        #expect(other.status == 1)
        #expect(try other.error()["code"]?.text == "alreadyExists")
        #expect(try migrate(shop.store, database).status == 0)
    }

    @Test("a copy that is killed at any time and run again ends with equal content, and no server starts before that")
    func killed() throws {
        let count = 12_000
        try shop.write(
            (0..<count).map { #"{"id":"k\#($0)","number":\#($0),"note":"n\#($0 % 7)"}"# + "\n" }.joined(),
            to: "k.ndjson")
        let filled = try Tool.run(
            "import", "--database", database, "--schema", graphql, "Item", shop.file("k.ndjson"))
        #expect(filled.status == 0, "\(filled.errors)")
        let places = [database, shop.store, try PostgresCluster.makeDatabase(), shop.file("last")]
        for (from, to) in zip(places, places.dropFirst()) {
            // The delay grows until a copy ends before its kill, so that kills meet each part of a copy on any machine.
            var delay = 0.01
            var killCount = 0
            while true {
                let child = try Tool.start(["migrate", "--from", from, "--to", to, "--json"])
                Thread.sleep(forTimeInterval: delay)
                child.signal(SIGKILL)
                guard try Tool.finish(child).status == -SIGKILL else { break }
                killCount += 1
                delay *= 1.5
            }
            #expect(killCount > 0)
            let outcome = try migrate(from, to)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        try expectEqual(content(shop.file("last")), content(shop.store))
        let rows =
            #"SELECT md5(string_agg(r::text, ' ' ORDER BY "~key")), count(*), max(_version) FROM tidelog."Item" AS r"#
        #expect(try sql(rows) == PostgresCluster.run(rows, on: places[2]))
        #expect(try sql(rows).hasSuffix("|\(count)|1"))
    }

    @Test("a copy that is not complete is continued with a changed source, and nothing else uses it")
    func continued() async throws {
        let server = try ServerProcess(graphql, store: shop.store)
        try await change(server, rounds: 6, seed: 3)
        #expect(try server.stop() == 0)
        // The copy fails at the second model.
        try shop.write("", to: "empty")
        let tables = ["--database", database, "--schema", graphql, "Item", shop.file("empty")]
        #expect(try Tool.run(["import"] + tables).status == 0)
        try sql(#"ALTER TABLE tidelog."Line" ADD CONSTRAINT no CHECK (false)"#)
        let failed = try migrate(shop.store, database)
        #expect(failed.status == 1, "\(failed.errors)")
        try sql(#"ALTER TABLE tidelog."Line" DROP CONSTRAINT no"#)
        try sql(
            """
            INSERT INTO tidelog."Item"("~key", id, _version, "_lastChangedAt") VALUES ('\\x12737472617900', 'stray', 1, 1); \
            DELETE FROM tidelog."Item" WHERE number > 2
            """)
        for arguments in [
            ["serve", graphql, "--database", database, "--port", "0"],
            ["import", "--database", database, "Item", shop.file("items.graphql")],
            ["migrate", "--from", database, "--to", shop.file("no")],
        ] {
            let refused = try Tool.run(arguments)
            #expect(refused.status == 2 && refused.errors.contains("is not complete"), "\(refused.errors)")
        }
        let again = try ServerProcess(graphql, store: shop.store)
        try await change(again, rounds: 2, seed: 4)
        #expect(try again.stop() == 0)
        let outcome = try migrate(shop.store, database)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.object()["removed"]?.number == 1)
        #expect(try migrate(database, shop.file("again")).status == 0)
        try expectEqual(content(shop.file("again")), content(shop.store))
    }

    @Test("devices that synced with one server continue with the other one, and the ids of mutations are known there")
    func devices() async throws {
        let fleet = try Fleet.shop()
        _ = try fleet.synced("phone")
        try fleet.save((0..<40).map { #"{"id":"n\#($0)","title":"first","rating":\#($0)}"# }, on: "phone")
        _ = try fleet.synced("phone")
        _ = try fleet.synced("laptop")
        let mutation = #"mutation { createNote(input: {id: "named", title: "once"}) { id _version } }"#
        let headers = ["x-api-key": ServerProcess.key, "x-tidelog-mutation-id": "one"]
        #expect(try await fleet.server.post(mutation, headers).text.contains(#""_version":1"#))

        // Both devices and the server change records before the server moves.
        try fleet.save([#"{"id":"n1","title":"phone"}"#, #"{"id":"n2","rating":99}"#], on: "phone", isPatch: true)
        _ = try fleet.run("laptop", "delete", "Note", "n3")
        _ = try await fleet.server.ask(
            #"mutation { updateNote(input: {id: "n4", title: "server", _version: 1}) { id } }"#)
        _ = try await fleet.server.ask(#"mutation { deleteNote(input: {id: "n5", _version: 1}) { id } }"#)
        try fleet.stopServer()
        #expect(try migrate(fleet.store("served"), database).status == 0)
        var server = try ServerProcess(fleet.schema, database: database, port: fleet.port)
        #expect(try await server.post(mutation, headers).text.contains(#""_version":1"#))
        try expectDelta(fleet)
        for device in ["phone", "laptop"] {
            let titles = try titles(fleet, device)
            #expect(titles["n1"] == "phone" && titles["n4"] == "server" && titles["named"] == "once")
            #expect(titles["n3"] == nil && titles["n5"] == nil && titles.count == 39)
        }

        // And back to another store.
        try fleet.save([#"{"id":"n6","title":"laptop"}"#], on: "laptop", isPatch: true)
        _ = try await server.ask(#"mutation { updateNote(input: {id: "n7", title: "database", _version: 1}) { id } }"#)
        #expect(try server.stop() == 0)
        let store = shop.file("back")
        #expect(try migrate(database, store).status == 0)
        server = try ServerProcess(fleet.schema, store: store, port: fleet.port)
        #expect(try await server.post(mutation, headers).text.contains(#""_version":1"#))
        try expectDelta(fleet)
        for device in ["phone", "laptop"] {
            let titles = try titles(fleet, device)
            #expect(titles["n6"] == "laptop" && titles["n7"] == "database" && titles.count == 39)
        }
        #expect(try server.stop() == 0)
    }

    /// Syncs both devices, the first one twice, and expects delta queries.
    private func expectDelta(_ fleet: Fleet) throws {
        for device in ["phone", "laptop", "phone"] {
            let report = try fleet.synced(device)
            #expect(report["pending"]?.number == 0)
            #expect(report["queries"]?["Note"]?.text == "delta")
        }
    }

    private func titles(_ fleet: Fleet, _ device: String) throws -> [String: String] {
        let notes = try fleet.run(device, "export", "Note").objects()
        return Dictionary(notes.map { ($0["id"]?.text ?? "", $0["title"]?.text ?? "") }) { $1 }
    }

    @Test("places in use, stores of apps, odd options and texts that PostgreSQL cannot hold are refused by name")
    func refused() async throws {
        let server = try ServerProcess(graphql, store: shop.store)
        _ = try await server.ask(#"mutation { createItem(input: {id: "zero", note: "a\u0000b"}) { id } }"#)
        _ = try await server.ask(#"mutation { createItem(input: {id: "good", note: "b"}) { id } }"#)
        #expect(try migrate(shop.store, database).status == 6)
        #expect(try server.stop() == 0)
        let zero = try migrate(shop.store, database)
        #expect(zero.status == 1)
        #expect(try zero.error()["message"]?.text?.contains("Item.note contains the character U+0000") == true)
        #expect(try zero.error()["id"]?.text == "zero")

        let again = try ServerProcess(graphql, store: shop.store)
        _ = try await again.ask(#"mutation { updateItem(input: {id: "zero", note: "ab", _version: 1}) { id } }"#)
        #expect(try again.stop() == 0)
        #expect(try migrate(shop.store, database).status == 0)
        // A server is also recognised if its address names another application.
        for address in [database, "\(database)&application_name=shop"] {
            let shared = try ServerProcess(graphql, database: address)
            let used = try migrate(database, shop.file("other"))
            #expect(used.status == 6 && !FileManager.default.fileExists(atPath: shop.file("other")))
            #expect(try shared.stop() == 0)
        }

        let app = try Shop(notes: 1)
        #expect(try migrate(app.store, database).status == 2)
        #expect(try migrate(database, app.store).status == 2)
        #expect(try migrate(shop.file("nowhere"), database).status == 1)
        #expect(try migrate(try PostgresCluster.makeDatabase(), shop.file("other")).status == 1)
        #expect(try migrate(shop.store, database, "--adapter", "lmdb").status == 2)
        #expect(try migrate(shop.store, database, "--rename", "Item=Thing").status == 2)
        #expect(try Tool.run("migrate", "--from", shop.store).status == 2)
        #expect(try Tool.run("migrate", "--store", shop.store).status == 2)
        #expect(try Tool.run("migrate", "--store", shop.store, "--from", shop.store, "--to", database).status == 2)
    }
}
