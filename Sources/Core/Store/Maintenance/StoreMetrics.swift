internal import TidelogLMDB

/// Metrics of a store at one moment.
public struct StoreMetrics: Sendable, Hashable {
    /// The id of the store. All copies of the store have the same id.
    public let id: StoreID
    /// The last event of the log.
    public let head: SequenceNumber
    /// The floor of the log. At or below this event, sequence numbers may be missing.
    public let floor: SequenceNumber
    /// How many events the log holds.
    public let eventCount: Int
    /// The bytes of the log on disk.
    public let logByteCount: Int
    /// The bytes of the events in the log. The quota limits this number.
    public let eventByteCount: Int
    /// The bytes of the rows on disk, 0 if the rows are in memory.
    public let rowsByteCount: Int
    /// The last event that the rows contain.
    public let checkpoint: SequenceNumber
    /// All consumers with their positions and lags, by name. The outbox is one of them.
    public let consumers: [ConsumerStatus]
    /// By how many transactions of the log the oldest reader of any process lags. Room that was freed since then is not
    /// used again. The value is `nil` if there is no reader.
    public let oldestReaderLag: UInt64?
    /// How many commits of this instance were synced before they were acknowledged. Commits in which the log's
    /// environment absorbs the tail do not count, because no write waits for them.
    public let syncCount: Int
    /// The name of the adapter that keeps the rows.
    public let adapter: String
    /// When a write is acknowledged.
    public let durability: Durability
    /// How many rows each model has.
    public let rowCounts: [String: Int]
    /// Damage that opening the store found and that lost no data, as one or more sentences each. The array is empty for
    /// a healthy store. If damage loses data, there is no warning: opening throws `logDamaged`.
    public let openingWarnings: [String]
}

extension DataStore {
    /// Measures the store. This takes a few reads, and the time that the adapter needs to count the rows.
    ///
    /// - Throws: ``DataStoreError``: `closed`, `projectionUnavailable`, `inputOutput`.
    public func metrics() async throws -> StoreMetrics {
        let (generation, snapshot) = try state.readable { ($0, try StoreSnapshot($0, $0.rows.snapshot())) }
        defer { snapshot.end() }
        var rowCounts: [String: Int] = [:]
        for model in generation.layout.models { rowCounts[model.name] = try snapshot.count(Record.all(of: model.name)) }
        let checkpoint = try snapshot.sequence
        let files = generation.log.files
        let information = try translatingErrors("read the log's state") { try files.information }
        return try generation.log.withReader { reader in
            let metadata = try reader.metadata()
            let head = try reader.head()?.sequence ?? .zero
            return StoreMetrics(
                id: metadata.store, head: head, floor: metadata.floor.sequence, eventCount: try reader.eventCount(),
                logByteCount: FileSystem.byteCount(files.directory), eventByteCount: try reader.eventByteCount(),
                rowsByteCount: generation.rows.directory.map { FileSystem.byteCount($0) } ?? 0,
                checkpoint: checkpoint, consumers: try reader.consumerStatuses(),
                oldestReaderLag: information.oldestReaderTransactionID.map {
                    information.lastTransactionID - Swift.min($0, information.lastTransactionID)
                },
                syncCount: generation.writer?.syncCount ?? 0, adapter: metadata.adapter,
                durability: metadata.durability, rowCounts: rowCounts, openingWarnings: generation.log.openingWarnings)
        }
    }
}
