@_spi(Adapters) internal import TidelogCore
internal import TidelogRecordText

/// The store as a whole: its models with their counts, its consumers and its size.
struct StoreReport: Encodable, Sendable {
    /// The directory of the store.
    let name: String
    let adapter: String
    let durability: String
    /// The number of the log's last event.
    let head: UInt64
    /// The number up to which a compaction dropped events, 0 before the first.
    let floor: UInt64
    /// The number of the last event that is in the rows.
    let checkpoint: UInt64
    let eventCount: Int
    /// The time of the last event.
    let lastEventAt: String?
    /// The bytes of the log on disk, of the events in it, and of the rows on disk.
    let logBytes: Int
    let eventBytes: Int
    let rowsBytes: Int
    /// The most events that a compaction can drop: every record needs one. It keeps more if consumers or unsent changes
    /// need them.
    let supersededCount: Int
    /// By how many transactions of the log its oldest reader lags; absent if there is no reader.
    let oldestReaderLag: UInt64?
    let schemaVersion: UInt32
    /// Damage that opening the store found and that lost no data.
    let warnings: [String]
    let models: [ModelReport]
    let consumers: [Consumer]
    /// The process that has the store open for writing, in words; absent if there is none.
    let writer: String?
    /// Whether the store is a server's own.
    let isServers: Bool

    /// A reader of the log with a stored position.
    struct Consumer: Encodable, Sendable {
        let name: String
        let position: UInt64
        /// How many events it has not processed yet.
        let lag: UInt64
    }

    static func make(of store: InspectedStore) async throws -> StoreReport {
        try await store.whileOpen { open in
            let metrics = try await open.metrics()
            let layout = try open.layout
            let last = try open.events(at: [metrics.head])[0]
            let rowCount = metrics.rowCounts.values.reduce(0, +)
            return StoreReport(
                name: store.name, adapter: metrics.adapter, durability: metrics.durability.name,
                head: metrics.head.value, floor: metrics.floor.value, checkpoint: metrics.checkpoint.value,
                eventCount: metrics.eventCount,
                lastEventAt: last.map { timestamp(microseconds: $0.microsecondsSince1970) },
                logBytes: metrics.logByteCount, eventBytes: metrics.eventByteCount, rowsBytes: metrics.rowsByteCount,
                supersededCount: max(0, metrics.eventCount - rowCount - Int(layout.schema.version)),
                oldestReaderLag: metrics.oldestReaderLag, schemaVersion: layout.schema.version,
                warnings: metrics.openingWarnings,
                models: layout.models.map { ModelReport($0, rowCount: metrics.rowCounts[$0.name] ?? 0) },
                consumers: metrics.consumers.map {
                    Consumer(name: $0.name, position: $0.position.sequence.value, lag: $0.lag)
                },
                writer: store.writer, isServers: try store.isServers)
        }
    }
}
