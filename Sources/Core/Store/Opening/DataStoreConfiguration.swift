/// Options for opening a store, in addition to its directory, schema and adapter.
public struct DataStoreConfiguration: Sendable {
    /// When a write is acknowledged. With `nil`, the store keeps its recorded durability, which is ``Durability/full``
    /// for a new store.
    public var durability: Durability?
    /// Whether the store is opened only for reading. Another process may write the store at the same time. If no
    /// process does, opening first makes the rows catch up with the log, because the last writer may have been killed.
    public var isReadOnly: Bool
    /// Whether a missing store is created.
    public var createsStore: Bool
    /// Projections in addition to the tables of the models.
    public var projections: [any Projection]
    /// The first size of the map of the log in bytes, which grows with the log; `nil` for twice the size of the log and at
    /// least 256 MiB. Only addresses are reserved.
    public var logMapSize: Int?
    /// The most bytes that events may take in the log, `nil` if only the disk limits them. An append that would exceed
    /// the quota throws `storageFull` and changes nothing. Compaction makes room.
    public var logQuota: Int?
    /// When the store compacts its log automatically. With `nil` it never does, and the log keeps its whole history.
    public var compaction: CompactionPolicy?
    /// How the data of earlier schemas is migrated, the oldest migration first.
    public var migrations: [SchemaMigration]
    /// Called with the progress of a migration that rewrites records.
    public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
    /// The largest size of each of the two files of the log's tail in bytes, `nil` for 8 MiB.
    package var logTailByteCount: Int?
    /// Whether the store is deleted when the process ends.
    package var isTemporary = false

    /// Creates a configuration.
    public init(
        durability: Durability? = nil, isReadOnly: Bool = false, createsStore: Bool = true,
        projections: [any Projection] = [], logMapSize: Int? = nil, logQuota: Int? = nil,
        compaction: CompactionPolicy? = .automatic, migrations: [SchemaMigration] = [],
        migrationProgress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) {
        self.durability = durability
        self.isReadOnly = isReadOnly
        self.createsStore = createsStore
        self.projections = projections
        self.logMapSize = logMapSize
        self.logQuota = logQuota
        self.compaction = compaction
        self.migrations = migrations
        self.migrationProgress = migrationProgress
    }

    /// The default: full durability, for reading and writing.
    public static let `default` = DataStoreConfiguration()
}
