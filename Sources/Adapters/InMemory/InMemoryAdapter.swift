internal import Synchronization
@_spi(Adapters) public import TidelogCore

/// The simplest correct adapter. All its data is one value, so a snapshot and a transaction are copies of this value.
///
/// It uses no index: every query reads the whole table, so its results follow directly from the definition of a query. The
/// conformance kit and the differential fuzzer compare other adapters with these results.
@_spi(Adapters) public final class InMemoryAdapter: StorageAdapter {
    private let committed = Mutex(InMemoryRows())

    /// An adapter without rows.
    public init() {}

    /// Opens the write transaction on a copy of the committed rows.
    public func begin() -> any AdapterTransaction {
        InMemoryTransaction(committed.withLock { $0 }) { [self] rows in committed.withLock { $0 = rows } }
    }

    /// Opens a view of the committed rows, which is a copy.
    public func snapshot() -> any AdapterSnapshot { InMemorySnapshot(committed.withLock { $0 }) }

    /// Does nothing, because memory cannot be made durable.
    public func sync() {}

    /// Removes all rows, auxiliary rows and the checkpoint.
    public func clear() { committed.withLock { $0 = InMemoryRows() } }

    /// Frees the rows.
    public func close() { clear() }
}

extension AdapterFactory {
    /// Rows in memory. They are lost with the process and recreated from the log.
    public static func inMemory() -> AdapterFactory {
        AdapterFactory(name: "memory", isPersistent: false) { _, _ in InMemoryAdapter() }
    }
}
