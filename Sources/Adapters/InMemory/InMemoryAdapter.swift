internal import Synchronization
@_spi(Adapters) public import TidelogCore

/// The shortest correct adapter: everything is one value, so a snapshot is a copy of it and a transaction works on another.
///
/// It uses no index: every query reads the whole table, so its answers follow from the definition of a query alone. The
/// conformance kit and the differential fuzzer hold the other adapters to them.
@_spi(Adapters) public final class InMemoryAdapter: StorageAdapter {
    private let committed = Mutex(InMemoryRows())

    /// An adapter without rows.
    public init() {}

    /// Opens the write transaction, on a copy of the committed rows.
    public func begin() -> any AdapterTransaction {
        InMemoryTransaction(committed.withLock { $0 }) { [self] rows in committed.withLock { $0 = rows } }
    }

    /// Opens a view of the committed rows: a copy.
    public func snapshot() -> any AdapterSnapshot { InMemorySnapshot(committed.withLock { $0 }) }

    /// Does nothing: memory is as durable as it gets.
    public func sync() {}

    /// Removes all rows, auxiliary rows and the checkpoint.
    public func clear() { committed.withLock { $0 = InMemoryRows() } }

    /// Frees the rows.
    public func close() { clear() }
}

extension AdapterFactory {
    /// Rows in memory: gone with the process, recreated from the log.
    public static func inMemory() -> AdapterFactory {
        AdapterFactory(name: "memory", isPersistent: false) { _, _ in InMemoryAdapter() }
    }
}
