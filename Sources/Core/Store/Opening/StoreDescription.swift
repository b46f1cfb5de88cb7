/// A description of a store, which is read without opening its rows.
public struct StoreDescription: Sendable, Hashable {
    /// The id of the store.
    public let id: StoreID
    /// The name of the adapter that keeps the store's rows: `lmdb` or `sqlite`.
    public let adapter: String
    /// When a write is acknowledged.
    public let durability: Durability
    /// The last event of the log.
    public let head: Position
    /// The floor: compaction may have dropped events up to this position.
    public let floor: Position
    /// How many events the log holds.
    public let eventCount: Int
    /// The schema with the numbers of its models and fields.
    public let schema: StoredSchema
    /// All consumers with their positions and lags, by name. The outbox is one of them.
    public let consumers: [ConsumerStatus]
    /// The bytes that the store takes on disk.
    public let byteCount: Int
}
