public import TidelogFoundation

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

extension DataStore {
    /// Describes the store at `directory` without opening it. This method takes no lock and changes nothing.
    ///
    /// It is meant for tools that know only the directory of a store.
    ///
    /// - Throws: ``DataStoreError``: `notFound` if there is no store, `logDamaged`, `newerFormat`, `unsafePath`.
    public static func describe(at directory: URL) throws -> StoreDescription {
        try describe(path: directory.path)
    }

    package static func describe(path: String) throws -> StoreDescription {
        let directory = try StoreDirectory(reading: path)
        let generation = try StoreDirectory.highest("generation-", in: path)
        guard generation > 0 else { throw DataStoreError.noStore(at: path) }
        let log = try EventLog(reading: directory.log(generation, directory.logNumber(generation)))
        defer { log.close() }
        guard let schema = try log.schemas().last else { throw DataStoreError.damagedLog("has no schema") }
        return try log.withReader { reader in
            let metadata = try reader.metadata()
            return StoreDescription(
                id: metadata.store, adapter: metadata.adapter, durability: metadata.durability,
                head: try reader.head() ?? metadata.floor, floor: metadata.floor, eventCount: try reader.eventCount(),
                schema: schema, consumers: try reader.consumerStatuses(), byteCount: FileSystem.byteCount(path))
        }
    }
}
