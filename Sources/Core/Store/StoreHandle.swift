internal import Synchronization

/// How a value that was read from a store finds that store again, without keeping it open.
///
/// The one reference in the engine that does not own what it leads to: values live as long as an app likes, and a store
/// that is let go of must close.
final class StoreHandle: Sendable {
    private let reference = Mutex(Reference())
    /// How many that send what the store holds are at work in this process.
    private let syncConsumerCount = Atomic(0)

    private struct Reference {
        weak var store: DataStore?
    }

    func attach(_ store: DataStore) { reference.withLock { $0.store = store } }

    /// The store.
    ///
    /// - Throws: ``DataStoreError`` with code `closed` once it is gone.
    var store: DataStore {
        get throws {
            guard let store = reference.withLock({ $0.store }) else { throw DataStoreError.closed }
            return store
        }
    }

    /// Whether someone in this process sends what the store holds to a server.
    var hasSyncConsumer: Bool { syncConsumerCount.load(ordering: .relaxed) > 0 }

    func addSyncConsumer() { syncConsumerCount.add(1, ordering: .relaxed) }

    func removeSyncConsumer() { syncConsumerCount.subtract(1, ordering: .relaxed) }
}
