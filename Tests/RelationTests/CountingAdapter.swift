@_spi(Adapters) import TidelogCore
@_spi(Adapters) import TidelogMemoryAdapter
import TidelogSynchronization

/// Counts the reads of the snapshots of another adapter.
final class CountingAdapter: StorageAdapter {
    private let base: any StorageAdapter
    let counts = Mutex((gets: 0, fetches: 0))

    init(_ base: any StorageAdapter) { self.base = base }

    /// Returns how many look-ups by key and how many fetches `body` causes.
    func counted(_ body: () async throws -> Void) async rethrows -> (gets: Int, fetches: Int) {
        counts.withLock { $0 = (0, 0) }
        try await body()
        return counts.withLock { $0 }
    }

    func begin() throws -> any AdapterTransaction { try base.begin() }
    func snapshot() throws -> any AdapterSnapshot { CountingSnapshot(try base.snapshot(), self) }
    func sync() throws { try base.sync() }
    func clear() throws { try base.clear() }
    func close() throws { try base.close() }
}

private final class CountingSnapshot: AdapterSnapshot {
    private let base: any AdapterSnapshot
    private let adapter: CountingAdapter

    init(_ base: any AdapterSnapshot, _ adapter: CountingAdapter) {
        self.base = base
        self.adapter = adapter
    }

    func end() { base.end() }
    func checkpoint() throws -> Checkpoint? { try base.checkpoint() }
    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        adapter.counts.withLock { $0.gets += 1 }
        return try base.get(key, in: model)
    }
    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws {
        adapter.counts.withLock { $0.fetches += 1 }
        try base.fetch(query, body)
    }
    func count(_ query: StorageQuery) throws -> Int { try base.count(query) }
    func plan(_ query: StorageQuery) throws -> QueryPlan { try base.plan(query) }
    func auxiliaryValue(
        _ key: UnsafeRawBufferPointer, in table: AuxiliaryTable
    ) throws -> UnsafeRawBufferPointer? {
        try base.auxiliaryValue(key, in: table)
    }
    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try base.auxiliaryEntries(after: key, in: table, body)
    }
}
