import PostgresSupport
import Testing
import TidelogCore
import TidelogServer

@testable import TidelogPostgres

@Suite("The kinds of APIs of a database", .enabled(if: PostgresCluster.isInstalled))
struct DatabaseKindTests {
    private static let schema = Schema(models: [
        ModelSchema(
            name: "Item",
            fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("text", .string)] + Metadata.fields,
            indexes: [IndexSchema(name: "byLastChangedAt", fields: [Metadata.lastChangedAt])])
    ])

    private static func open(
        _ address: String, _ kind: APIKind, clock: (@Sendable () -> Int64)? = nil
    ) async throws -> PostgresVersionedStore {
        try await PostgresVersionedStore(
            DatabaseAddress(address), schema: schema, source: "s", kind: kind, tombstoneAge: 1_000_000, clock: clock)
    }

    @Test("a database that was served with one kind of API is refused with the other kind")
    func kinds() async throws {
        for (first, other) in [(APIKind.versioned, APIKind.timestamps), (.timestamps, .versioned)] {
            let address = try PostgresCluster.makeDatabase()
            _ = try await Self.open(address, first)
            let error = await #expect(throws: DataStoreError.self) { _ = try await Self.open(address, other) }
            #expect(error?.code == .configurationMismatch)
            _ = try await Self.open(address, first)
        }
    }

    @Test("the database of an earlier server has versions, and gets the column and the index of changes")
    func earlierServers() async throws {
        let address = try PostgresCluster.makeDatabase()
        _ = try await Self.open(address, .versioned)
        _ = try PostgresCluster.run(
            """
            DELETE FROM tidelog_server.fact WHERE name = 'api'; ALTER TABLE tidelog_server.change DROP COLUMN selected; \
            DROP INDEX tidelog_server.change_sequence
            """,
            on: address)
        await #expect(throws: DataStoreError.self) { _ = try await Self.open(address, .timestamps) }
        let store = try await Self.open(address, .versioned)
        let record = Record(model: "Item", values: ["id": "1", "text": "a"])
        let changes = try await store.changes()
        let made = try await store.change([
            RequestedChange("Item", "1", selected: ["text", "id"]) { _ in .save(record) },
            RequestedChange("Item", "2") { _ in .save(Record(model: "Item", values: ["id": "2"])) },
        ])
        for result in made { #expect(try result.get().kind == .written) }
        #expect(try await Self.seen(changes, 2).map(\.selected) == [["id", "text"], nil])
        #expect(
            try PostgresCluster.run("SELECT text FROM tidelog_server.fact WHERE name = 'api'", on: address)
                .contains("versioned"))
    }

    @Test("a deletion without versions removes the row, and its change has the record at a time that does not decrease")
    func deletion() async throws {
        let address = try PostgresCluster.makeDatabase()
        let store = try await Self.open(address, .timestamps, clock: { 1_000 })
        let slow = try await Self.open(address, .timestamps, clock: { 900 })
        let changes = try await slow.changes()
        let record = Record(model: "Item", values: ["id": "1", "text": "a"])
        for _ in 1...2 {
            _ = try await store.change([RequestedChange("Item", "1") { _ in .save(record) }])[0].get()
            let name = StoredChange.Name("n", subject: "s", content: "c")
            let outcome = try await slow.change([
                RequestedChange("Item", "1", name: name, selected: ["id"]) { stored in
                    stored.map { .delete($0) } ?? .keep
                }
            ])[0].get()
            #expect(outcome.record?["text"] == "a" && outcome.record?.isTombstone == true)
            #expect(outcome.record?.version == 2 && outcome.record?.lastChangedAt == 1_000)
            #expect(try await store.record("Item", "1") == nil)
            #expect(try PostgresCluster.run("SELECT count(*) FROM tidelog.\"Item\"", on: address).contains("0"))
            _ = try PostgresCluster.run("DELETE FROM tidelog_server.answer", on: address)
        }
        let seen = try await Self.seen(changes, 4)
        #expect(seen.map(\.kind) == [.created, .deleted, .created, .deleted])
        #expect(seen.map { $0.record["text"] } == ["a", "a", "a", "a"])
        #expect(seen.map(\.record.version) == [1, 2, 1, 2])
        #expect(seen.map(\.record.lastChangedAt) == [1_000, 1_000, 1_000, 1_000])
        #expect(seen.map(\.selected) == [nil, ["id"], nil, ["id"]])
    }

    private static func seen(
        _ changes: some AsyncSequence<StoredChange, any Error>, _ count: Int
    ) async throws -> [StoredChange] {
        var seen: [StoredChange] = []
        for try await change in changes {
            seen.append(change)
            if seen.count == count { break }
        }
        return seen
    }
}
