import TestStores
import Testing
@_spi(Adapters) import Tidelog

@_spi(Adapters) @testable import TidelogCore

private func entryKey(_ id: RecordID) -> [UInt8] { Array(String(describing: id).utf8) }

/// Counts the events of each record.
private struct ChangeCounter: Projection {
    let name = "changes"
    let version: UInt32 = 1

    func project(_ event: Event, into table: ProjectionTable) throws {
        guard let id = event.recordID else { return }
        let key = entryKey(id)
        let count = try table.value(for: key)?.first ?? 0
        if event.kind == .deleted { try table.remove(key) } else { try table.put([count + 1], for: key) }
    }
}

@Suite("Verification of registered projections")
struct ProjectionVerificationTests {
    private func change(
        _ store: DataStore, _ body: (any AdapterTransaction, AuxiliaryTable) throws -> Void
    ) throws {
        let generation = try store.current()
        let table = try #require(generation.rows.projector.registeredTables.first)
        let transaction = try generation.rows.current.adapter().begin()
        try body(transaction, table)
        try transaction.commit(checkpoint: generation.rows.checkpoint(at: try store.head))
    }

    private func put(_ value: [UInt8], _ key: String, _ transaction: any AdapterTransaction, _ table: AuxiliaryTable)
        throws
    {
        try entryKey(RecordID(key)).withUnsafeBytes { key in
            try value.withUnsafeBytes { try transaction.putAuxiliary(key, $0, in: table) }
        }
    }

    @Test("verification finds wrong, missing and extra entries, and a rebuild repairs them", arguments: Adapter.all)
    func compared(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(
            adapter, configuration: DataStoreConfiguration(durability: .relaxed, projections: [ChangeCounter()]))
        for number in 0..<30 { try await store.save(item("r\(number % 7)", "t\(number)")) }
        try await store.write { _ = try $0.delete("Item", id: RecordID("r2")) }
        let whole = try await store.verify()
        #expect(whole.isWhole && whole.uncomparedProjections.isEmpty, "\(whole.differences)")
        let changes: [(any AdapterTransaction, AuxiliaryTable) throws -> Void] = [
            { try put([99], "r1", $0, $1) },
            { try put([1], "r2", $0, $1) },
            { transaction, table in
                try entryKey("r5").withUnsafeBytes { try transaction.deleteAuxiliary($0, in: table) }
            },
        ]
        for body in changes {
            try change(store, body)
            let report = try await store.verify()
            #expect(report.projection == .differs && report.differences.count == 1, "\(report.differences)")
            try await store.rebuild()
            #expect(try await store.verify().isWhole)
        }
        try await store.close()
    }

    @Test("after a compaction, verification does not compare projections that read dropped events")
    func compacted() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(
            configuration: DataStoreConfiguration(durability: .relaxed, projections: [ChangeCounter()]))
        for number in 0..<30 { try await store.save(item("r\(number % 7)", "t\(number)")) }
        #expect(try await store.compact().droppedCount > 0)
        let report = try await store.verify()
        #expect(report.isWhole && report.uncomparedProjections == ["changes"])
        try await store.close()
    }
}
