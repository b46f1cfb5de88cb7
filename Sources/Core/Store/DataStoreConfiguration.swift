/// How a store is opened, beyond its place, schema and adapter.
public struct DataStoreConfiguration: Sendable {
    /// When a write is acknowledged; `nil` for what the store recorded when it was created (``Durability/full`` at first).
    public var durability: Durability?
    /// Whether only reads are wanted, also while another process writes the store. If none does, opening brings the rows
    /// up to the log first: the last writer may have been killed.
    public var isReadOnly: Bool
    /// Whether a store that is not there may be created.
    public var createsStore: Bool
    /// Projections beyond the tables of the models.
    public var projections: [any Projection]
    /// The address space reserved for the log in bytes; the file grows only as it is filled. `nil` for 64 GiB.
    public var logMapSize: Int?
    /// The most bytes that events may take in the log; `nil` for as many as the disk has. An append that would exceed it
    /// throws `storageFull` and changes nothing; compaction makes room.
    public var logQuota: Int?
    /// When the store compacts its log by itself; `nil` for never, which keeps the whole history.
    public var compaction: CompactionPolicy?
    /// What becomes of the data of earlier schemas, the oldest first.
    public var migrations: [SchemaMigration]
    /// Told how far a migration is that rewrites records.
    public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
    /// How long each of the two files of the log's tail may become in bytes; `nil` for 8 MiB.
    package var logTailByteCount: Int?
    /// Whether nothing of the store is to outlive the process.
    package var isTemporary = false

    /// A configuration.
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

    /// Full durability, reading and writing.
    public static let `default` = DataStoreConfiguration()
}
