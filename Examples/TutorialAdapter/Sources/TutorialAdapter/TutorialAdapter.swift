import Synchronization
@_spi(Adapters) import Tidelog

/// An adapter in 200 lines. It keeps rows in sorted arrays in memory, and uses no index.
@_spi(Adapters) public final class TutorialAdapter: StorageAdapter {
    private let committed = Mutex(Contents())

    /// An adapter without rows.
    public init() {}

    /// Opens the write transaction, which works on a copy.
    public func begin() -> any AdapterTransaction {
        TutorialTransaction(committed.withLock { $0 }) { [self] contents in committed.withLock { $0 = contents } }
    }

    /// Opens a view of the contents that were committed last. It is a copy, so no later commit changes it.
    public func snapshot() -> any AdapterSnapshot { TutorialSnapshot(committed.withLock { $0 }) }

    /// Does nothing, because the adapter keeps nothing on a disk.
    public func sync() {}

    /// Removes all rows, auxiliary values and the checkpoint in one step.
    public func clear() { committed.withLock { $0 = Contents() } }

    /// Releases the memory.
    public func close() { clear() }
}

extension AdapterFactory {
    /// The factory of the ``TutorialAdapter``, which keeps rows in memory.
    public static func tutorial() -> AdapterFactory {
        AdapterFactory(name: "tutorial", isPersistent: false) { _, _ in TutorialAdapter() }
    }
}
