internal import Dispatch
public import TidelogFoundation
internal import TidelogSynchronization

/// A store of records. Every change is an event in a log. The rows of the records are made from the log.
///
/// ```swift
/// let store = try await DataStore.open(at: directory, schema: schema, adapter: .lmdb())
/// try await store.save(note)
/// let note = try await store.query(Note.self, id: "1")
/// try await store.close()
/// ```
///
/// Any number of tasks may use a store. Only one process at a time may write it.
public final class DataStore: Sendable {
    let state: StoreState
    let directory: StoreDirectory
    let configuration: DataStoreConfiguration
    let factory: AdapterFactory
    /// The handle by which values that were read from this store find it again.
    let handle = StoreHandle()

    /// Held by the call that suspends, resumes or closes the store.
    let turn = DispatchSemaphore(value: 1)

    /// Opens the store at `directory`, and creates it if there is none.
    ///
    /// - Parameters:
    ///   - directory: A directory on a local disk that only this store uses. Its last path component has 1 to 64
    ///     letters, digits, `_`, `-` or `.`. The directory and its parents are created if they are missing, and only
    ///     the current user can access the created directories.
    ///   - schema: The models. If the store has another schema, it adopts a change that loses no data, and a change
    ///     that `migrations` cover. Any other change is refused, and the store is not changed. With `nil`, the store
    ///     keeps its schema.
    ///   - adapter: The adapter that keeps the rows. It must be the same as at the creation of the store.
    ///   - configuration: Durability, projections and other options.
    ///   - migrations: How the data of earlier schemas is migrated, the oldest migration first; see
    ///     ``SchemaMigration``.
    ///   - progress: Called with the progress if rows must be recreated or must catch up with the log.
    /// - Throws: ``DataStoreError``: `locked` if another writer has the store open, `invalidSchema`,
    ///   `configurationMismatch`, `migrationFailed`, `logDamaged`, `newerFormat`, `unsafePath`, `inputOutput`.
    public static func open(
        at directory: URL, schema: Schema? = nil, adapter: AdapterFactory,
        configuration: DataStoreConfiguration = .default, migrations: [SchemaMigration] = [],
        progress: (@Sendable (RebuildProgress) -> Void)? = nil
    ) async throws -> DataStore {
        var configuration = configuration
        configuration.migrations += migrations
        let opened = configuration
        // Opening blocks: it takes a lock, and may verify, migrate and rebuild.
        return try await Blocking.run {
            try DataStore(
                path: directory.path, schema: schema, factory: adapter, configuration: opened, progress: progress)
        }
    }

    package init(
        path: String, schema: Schema?, factory: AdapterFactory, configuration: DataStoreConfiguration,
        progress: (@Sendable (RebuildProgress) -> Void)? = nil
    ) throws {
        let creates = schema != nil && configuration.createsStore && !configuration.isReadOnly
        directory =
            configuration.isReadOnly ? try StoreDirectory(reading: path) : try StoreDirectory(path, create: creates)
        self.configuration = configuration
        self.factory = factory
        let lock = configuration.isReadOnly ? nil : try WriterLock(directory: path)
        let opening = StoreOpening(
            directory: directory, schema: schema, factory: factory, configuration: configuration, progress: progress)
        let generation = try Self.opened(opening, for: handle)
        var follow: (@Sendable (StoreState) -> Void)?
        if configuration.isReadOnly {
            let renewal = StoreOpening(
                directory: directory, schema: nil, factory: factory, configuration: configuration)
            follow = { renewal.renew($0) }
        }
        state = StoreState(
            generation, lock: lock, temporaryDirectory: configuration.isTemporary ? directory.path : nil,
            following: follow)
        attachHandle()
        AutomaticCompaction.start(generation, configuration.compaction)
    }

    /// Opens the generation of a store.
    static func opened(_ opening: StoreOpening, for handle: StoreHandle) throws -> Generation {
        let (directory, configuration) = (opening.directory, opening.configuration)
        // A process that may not write the store does not change its files.
        let room =
            configuration.isTemporary || directory.readerLock != nil ? nil : SpareRoom(directory: directory.path)
        let parts = try room.lendIfFull { try opening.open() }
        if !configuration.isReadOnly { room?.setAside(leavingSpace: true) }
        return Generation(
            parts, store: handle, runsInline: parts.log.metadata.durability != .full,
            room: configuration.isReadOnly ? nil : room)
    }

    deinit {
        guard let parts = state.close(readerLock: directory.readerLock) else { return }
        // The closure of a write may hold the last reference to its store. The writer then releases the store on its
        // own thread, and cannot wait for itself there.
        if parts.areClosedByWriter {
            DispatchQueue.global().async { try? parts.close() }
        } else {
            try? parts.close()
        }
    }

    /// Closes the store: finishes current reads and writes, and makes everything durable. Later calls throw `closed`. A
    /// suspended store can be closed too.
    public func close() async throws {
        try await Blocking.run { [self] in
            try inTurn { try state.close(readerLock: directory.readerLock)?.close() }
        }
    }

    /// The path of the store's directory.
    package var path: String { directory.path }

    /// Whether the store was opened only for reading.
    package var isReadOnly: Bool { configuration.isReadOnly }

    /// The present generation of the store.
    ///
    /// - Throws: ``DataStoreError``: `closed`, `suspended`.
    func current() throws -> Generation { try state.current() }

    /// The schema, with the numbers that this store gave to models and fields.
    public var schema: StoredSchema { get throws { try current().layout.schema } }

    /// The layouts of all models, for tools that read or write encoded rows.
    @_spi(Adapters) public var layout: SchemaLayout { get throws { try current().layout } }

    /// The last event of the log.
    public var head: Position { get throws { try current().log.head } }

    /// The id of the store. All copies of the store have the same id.
    package var id: StoreID { get throws { try current().log.metadata.store } }

    /// ``StoreMetrics/openingWarnings``, without the cost of the other metrics.
    package var openingWarnings: [String] { get throws { try current().log.openingWarnings } }

    func writer(of generation: Generation) throws -> Writer {
        guard let writer = generation.writer else { throw DataStoreError.readOnly }
        return writer
    }
}
