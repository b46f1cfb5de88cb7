import Synchronization
@_spi(Adapters) import Tidelog

/// An adapter in 200 lines: it keeps rows in sorted arrays, in memory, and uses no index.
@_spi(Adapters) public final class TutorialAdapter: StorageAdapter {
    private let committed = Mutex(Contents())

    /// An adapter without rows.
    public init() {}

    /// Opens the write transaction: it works on a copy.
    public func begin() -> any AdapterTransaction {
        TutorialTransaction(committed.withLock { $0 }) { [self] contents in committed.withLock { $0 = contents } }
    }

    /// Opens a view of what was committed last: a copy, which no later commit changes.
    public func snapshot() -> any AdapterSnapshot { TutorialSnapshot(committed.withLock { $0 }) }

    /// Does nothing: there is no disk that could be behind.
    public func sync() {}

    /// Removes all rows, auxiliary values and the checkpoint in one step.
    public func clear() { committed.withLock { $0 = Contents() } }

    /// Gives up the memory.
    public func close() { clear() }
}

extension AdapterFactory {
    /// Rows in the memory of a ``TutorialAdapter``.
    public static func tutorial() -> AdapterFactory {
        AdapterFactory(name: "tutorial", isPersistent: false) { _, _ in TutorialAdapter() }
    }
}
