import Testing
import TidelogCore
import TidelogMemoryAdapter

@testable import TidelogClientMachines
@testable import TidelogSync

@Suite("The records that a base query did not see")
struct SweepTests {
    private static let schema = Schema(models: [
        ModelSchema(
            name: "Reading",
            fields: [
                FieldSchema("sensor", .id, isRequired: true), FieldSchema("at", .dateTime, isRequired: true),
                FieldSchema("value", .int),
            ],
            primaryKey: ["sensor", "at"])
    ])

    /// A text that is not the usual one for its time.
    private static let time = "2024-01-01T02:00:00.000+02:00"

    private static func row(_ sensor: String) throws -> Record {
        let at = FieldValue.dateTime(try Temporal.DateTime(time))
        return Record(model: "Reading", values: ["sensor": .string(sensor), "at": at, "value": 1])
    }

    private static func record(_ sensor: String) throws -> ServerRecord {
        let row = try row(sensor)
        let reference = RecordReference(
            model: "Reading", id: RecordID([row["sensor"], row["at"]].compactMap { $0 }))
        return ServerRecord(reference, row: row, version: 1, lastChangedAt: 10)
    }

    @Test("a record whose key has a time stays if the query saw it, and its pending deletion is still sent")
    func times() async throws {
        let store = try await DataStore.inMemory(schema: Self.schema)
        let syncStore = SyncStore(store, SyncModels(Self.schema))
        let records = try ["seen", "deleted", "unseen", "mine"].map(Self.record)
        let pending = PendingChanges(after: .start)
        _ = try await syncStore.receive(pushed: Array(records[0..<3]), pending)
        try await store.write { tx in
            _ = try tx.delete("Reading", id: records[1].reference.id)
            try tx.save(Self.row("mine"))
        }
        let contents = try await syncStore.contents()
        let sweep = Inbox.Sweep(
            model: "Reading", query: 1, startedAt: 1_000, certainBefore: 1_000, receivedThrough: SequenceNumber(.max),
            seen: Set(records[0..<2].map(\.reference.stableHash)), notes: [:])
        let result = try await syncStore.sweep(sweep, contents.pending)
        #expect(result.count == 1 && result.inDoubt.isEmpty && result.knownCount == 3)
        let rows = try await store.fetch(Record.all(of: "Reading"))
        #expect(rows.map { $0["sensor"] } == ["mine", "seen"])
        #expect(try await syncStore.state(of: records[1].reference)?.version == 1, "the deletion is still sent")
        #expect(try await store.verify().isWhole)
        try await store.close()
    }
}
