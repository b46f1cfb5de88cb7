internal import TidelogLMDB

/// The numbers of a store at one moment.
public struct StoreMetrics: Sendable, Hashable {
    /// The last event of the log.
    public let head: SequenceNumber
    /// At or below this event numbers may have holes.
    public let floor: SequenceNumber
    /// How many events the log holds.
    public let eventCount: Int
    /// The bytes on disk of the log.
    public let logByteCount: Int
    /// The bytes that events take in the log: what the quota limits.
    public let eventByteCount: Int
    /// The bytes on disk of the rows; 0 if they are in memory.
    public let rowsByteCount: Int
    /// The last event in the rows.
    public let checkpoint: SequenceNumber
    /// All consumers and how far they have come, by name; the outbox among them.
    public let consumers: [ConsumerStatus]
    /// How many transactions of the log the oldest reader of any process is behind; room freed since is not used again.
    /// `nil` if nobody reads.
    public let oldestReaderLag: UInt64?
    /// How many commits of this instance were synced before they were acknowledged. The log's environment takes in its tail
    /// in synced commits too; no write waits for those, and they are not counted.
    public let syncCount: Int
    /// The name of the adapter that keeps the rows.
    public let adapter: String
    /// When a write is acknowledged.
    public let durability: Durability
    /// How many rows each model has.
    public let rowCounts: [String: Int]
}

extension DataStore {
    /// The store's numbers now. Costs a few reads, and what the adapter takes for counting rows.
    ///
    /// - Throws: ``DataStoreError``: `closed`, `projectionUnavailable`, `inputOutput`.
    public func metrics() async throws -> StoreMetrics {
        let (generation, snapshot) = try readable { ($0, try StoreSnapshot($0, $0.rows.snapshot())) }
        defer { snapshot.end() }
        var rowCounts: [String: Int] = [:]
        for model in generation.layout.models { rowCounts[model.name] = try snapshot.count(model.name) }
        let checkpoint = try snapshot.sequence
        let files = generation.log.files
        let information = try translatingErrors("read the log's state") { try files.environment.information }
        return try generation.log.withReader { reader in
            let metadata = try reader.metadata()
            let head = try reader.head()?.sequence ?? .zero
            return StoreMetrics(
                head: head, floor: metadata.floor.sequence, eventCount: try reader.eventCount(),
                logByteCount: FileSystem.byteCount(files.directory), eventByteCount: try reader.eventByteCount(),
                rowsByteCount: generation.rows.directory.map { FileSystem.byteCount($0) } ?? 0,
                checkpoint: checkpoint, consumers: try reader.consumerStatuses(),
                oldestReaderLag: information.oldestReaderTransactionID.map {
                    information.lastTransactionID - Swift.min($0, information.lastTransactionID)
                },
                syncCount: generation.log.syncCount, adapter: metadata.adapter, durability: metadata.durability,
                rowCounts: rowCounts)
        }
    }
}
