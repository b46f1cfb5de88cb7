internal import Synchronization

/// How a value that was read from a store finds the records that it refers to, without keeping the store open: values live
/// as long as an app likes, and a store that is let go of must close.
final class StoreHandle: Sendable {
    /// How the store is read.
    struct Reading: Sendable {
        /// The layouts of all models.
        let layout: @Sendable () throws -> SchemaLayout
        /// Calls `body` with one consistent view of the rows.
        let read: @Sendable (_ body: (RelatedReader) throws -> Void) throws -> Void
    }

    private let reading = Mutex<Reading?>(nil)
    /// How many that send what the store holds are at work in this process.
    private let syncConsumerCount = Atomic(0)

    /// From now on the handle leads to the store that `reading` reads. It must not keep the store open, and throws `closed`
    /// once that is gone.
    func attach(_ reading: Reading) { self.reading.withLock { $0 = reading } }

    private var attached: Reading {
        get throws {
            guard let reading = reading.withLock({ $0 }) else { throw DataStoreError.closed }
            return reading
        }
    }

    /// The layouts of all models.
    ///
    /// - Throws: ``DataStoreError`` with code `closed` once the store is gone.
    var layout: SchemaLayout { get throws { try attached.layout() } }

    /// Calls `body` with one consistent view of the rows.
    ///
    /// - Throws: ``DataStoreError``: `closed` once the store is gone, `projectionUnavailable`; what `body` throws.
    func read<Result>(_ body: (RelatedReader) throws -> Result) throws -> Result {
        var result: Result?
        try attached.read { result = try body($0) }
        guard let result else { preconditionFailure("a store that is read calls the closure or throws") }
        return result
    }

    /// Whether someone in this process sends what the store holds to a server.
    var hasSyncConsumer: Bool { syncConsumerCount.load(ordering: .relaxed) > 0 }

    func addSyncConsumer() { syncConsumerCount.add(1, ordering: .relaxed) }

    func removeSyncConsumer() { syncConsumerCount.subtract(1, ordering: .relaxed) }
}
