import PostgresSupport
import Testing
import TidelogCore
import TidelogServer

@testable import TidelogPostgres

@Suite("Many changes by a few statements", .enabled(if: PostgresCluster.isInstalled), .timeLimit(.minutes(5)))
struct BulkChangeTests {
    private static let schema = Schema(models: [
        ModelSchema(
            name: "Item",
            fields: [
                FieldSchema("id", .id, isRequired: true), FieldSchema("text", .string), FieldSchema("flag", .bool),
                FieldSchema("number", .int), FieldSchema("weight", .double), FieldSchema("day", .date),
                FieldSchema("list", .list(.string, elementIsRequired: false)),
            ] + Metadata.fields,
            indexes: [IndexSchema(name: "byText", fields: ["text"])])
    ])

    private static func open(_ address: String) async throws -> PostgresVersionedStore {
        try await PostgresVersionedStore(
            DatabaseAddress(address), schema: schema, source: "s", tombstoneAge: 1_000_000)
    }

    private static func record(_ number: Int, _ text: String?) throws -> Record {
        var values: [String: FieldValue] = ["id": .string("r\(number)"), "number": .int(Int64(number))]
        values["text"] = text.map { .string($0) }
        if number.isMultiple(of: 2) { values["flag"] = .bool(number.isMultiple(of: 4)) }
        if number.isMultiple(of: 3) { values["weight"] = .double(Double(number) / 8) }
        if number.isMultiple(of: 5) { values["day"] = .date(try Temporal.Date("2026-02-2\(number % 9)")) }
        if number.isMultiple(of: 7) { values["list"] = .list([.string("é\"\\"), nil, .string("")]) }
        return Record(model: "Item", values: values)
    }

    private static func save(_ record: Record) -> RequestedChange {
        RequestedChange("Item", RecordID([record["id"] ?? .string("")])) { _ in .save(record) }
    }

    @Test("many changes write the same records and changes as single ones")
    func equal() async throws {
        let addresses = [try PostgresCluster.makeDatabase(), try PostgresCluster.makeDatabase()]
        let stores = [try await Self.open(addresses[0]), try await Self.open(addresses[1])]
        for text in [nil, "a", "ü", ""] {
            let records = try (0..<300).map { try Self.record($0, text) }
            let outcome = try await stores[0].changeTogether("Item", records.map(Self.save), skipsRefused: false)
            #expect(outcome.writtenCount == 300 && outcome.refused.isEmpty)
            for result in try await stores[1].change(records.map(Self.save)) { _ = try result.get() }
        }
        let rows = #"SELECT to_jsonb(r) - '_lastChangedAt' FROM tidelog."Item" AS r ORDER BY "~key""#
        #expect(try PostgresCluster.run(rows, on: addresses[0]) == PostgresCluster.run(rows, on: addresses[1]))
        let changes = """
            SELECT model, kind, record - '_lastChangedAt' FROM tidelog_server.change \
            ORDER BY record ->> 'id', (record ->> '_version')::int
            """
        #expect(try PostgresCluster.run(changes, on: addresses[0]) == PostgresCluster.run(changes, on: addresses[1]))
    }

    @Test("many changes of several callers at once, in opposite orders and next to single changes, are all made")
    func concurrent() async throws {
        let address = try PostgresCluster.makeDatabase()
        let stores = [try await Self.open(address), try await Self.open(address)]
        let records = try (0..<200).map { try Self.record($0, "x") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    let order = task.isMultiple(of: 2) ? records : records.reversed()
                    for _ in 0..<4 {
                        // Each record occurs twice, so that the second change follows in the same transaction.
                        let outcome = try await stores[task % 2].changeTogether(
                            "Item", (order + order).map(Self.save), skipsRefused: false)
                        #expect(outcome.writtenCount == 400)
                    }
                }
                group.addTask {
                    for record in records {
                        for result in try await stores[task % 2].change([Self.save(record)]) { _ = try result.get() }
                    }
                }
            }
            for _ in 0..<20 { _ = try await stores[0].beginSync() }
            try await group.waitForAll()
        }
        let versions = try PostgresCluster.run(
            #"SELECT count(*), min(_version), max(_version) FROM tidelog."Item""#, on: address)
        #expect(versions == "200|36|36")
        #expect(try PostgresCluster.run("SELECT count(*) FROM tidelog_server.change", on: address) == "7200")
    }
}
