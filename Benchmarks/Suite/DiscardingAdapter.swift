@_spi(Adapters) import Tidelog
import TidelogSynchronization

/// An adapter that keeps only the checkpoint. A write then consists of the work of the log alone.
final class DiscardingAdapter: StorageAdapter {
    fileprivate let kept = Mutex<Checkpoint?>(nil)

    func begin() throws -> any AdapterTransaction { DiscardingTransaction(self) }
    func snapshot() throws -> any AdapterSnapshot { DiscardingTransaction(self) }
    func sync() throws {}
    func clear() throws { kept.withLock { $0 = nil } }
    func close() throws {}
}

private final class DiscardingTransaction: AdapterTransaction, AdapterSnapshot {
    private let adapter: DiscardingAdapter

    init(_ adapter: DiscardingAdapter) { self.adapter = adapter }

    func checkpoint() throws -> Checkpoint? { adapter.kept.withLock { $0 } }
    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? { nil }
    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws {}
    func count(_ query: StorageQuery) throws -> Int { 0 }
    func plan(_ query: StorageQuery) throws -> QueryPlan { QueryPlan(index: nil, summary: "nothing", sorts: false) }
    func auxiliaryValue(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws -> UnsafeRawBufferPointer? {
        nil
    }
    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {}
    func prepare(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) throws {}
    func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) throws {}
    func putAuxiliary(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable
    ) throws {}
    func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws {}
    func commit(checkpoint: Checkpoint) throws { adapter.kept.withLock { $0 = checkpoint } }
    func rollback() {}
    func end() {}
}

extension AdapterFactory {
    /// A factory of an adapter that discards all rows.
    static var discarding: AdapterFactory {
        AdapterFactory(name: "discarding", isPersistent: false) { _, _ in DiscardingAdapter() }
    }
}
