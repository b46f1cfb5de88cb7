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
    private let state: Mutex<State>
    let directory: StoreDirectory
    let configuration: DataStoreConfiguration
    let factory: AdapterFactory
    /// The handle by which values that were read from this store find it again.
    let handle = StoreHandle()

    private struct State: ~Copyable {
        var generation: Generation?
        var lock: WriterLock?
        /// The time of the last check for changes of a store that another process writes.
        var lookedAt = ContinuousClock.now
        /// The directory of a store in memory. It is deleted when the store is closed.
        var temporaryDirectory: String?
    }

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
        // A process that may not write the store does not change its files.
        let room = configuration.isTemporary || directory.readerLock != nil ? nil : SpareRoom(directory: path)
        let parts = try room.lendIfFull { try opening.open() }
        if !configuration.isReadOnly { room?.setAside(leavingSpace: true) }
        let generation = Generation(
            parts, store: handle, runsInline: parts.log.metadata.durability != .full,
            room: configuration.isReadOnly ? nil : room)
        state = Mutex(
            State(generation: generation, lock: lock, temporaryDirectory: configuration.isTemporary ? path : nil))
        attachHandle()
        AutomaticCompaction.start(generation, configuration.compaction)
    }

    deinit {
        guard let parts = takeParts() else { return }
        // The closure of a write may hold the last reference to its store. The writer then releases the store on its
        // own thread, and cannot wait for itself there.
        if parts.generation.writer?.isAtWorkHere ?? false {
            DispatchQueue.global().async { try? parts.close() }
        } else {
            try? parts.close()
        }
    }

    /// Closes the store: finishes current reads and writes, and makes everything durable. Later calls throw `closed`.
    public func close() async throws {
        guard let parts = takeParts() else { return }
        try await Blocking.run { try parts.close() }
    }

    private func takeParts() -> ClosingParts? {
        state.withLock { state in
            guard let generation = state.generation.take() else { return nil }
            return ClosingParts(
                generation, lock: state.lock.take(), readerLock: directory.readerLock,
                temporaryDirectory: state.temporaryDirectory.take())
        }
    }

    /// Whether the store was opened only for reading.
    package var isReadOnly: Bool { configuration.isReadOnly }

    /// The present generation of the store.
    ///
    /// - Throws: ``DataStoreError`` with code `closed`.
    @inline(__always)
    func current() throws -> Generation {
        if configuration.isReadOnly { renew() }
        guard let generation = state.withLock({ $0.generation }) else { throw DataStoreError.closed }
        return generation
    }

    /// Switches to `next` if the present generation is still `old`. Returns whether it was.
    func replace(_ old: Generation, with next: Generation) -> Bool {
        state.withLock { state in
            guard state.generation === old else { return false }
            state.generation = next
            return true
        }
    }

    /// The time between two checks whether the writing process has replaced files of the store.
    private static let renewalInterval = Duration.milliseconds(100)

    /// The present generation, if it is time to check whether the writing process has replaced it. Otherwise `nil`.
    func generationToRenew() -> Generation? {
        state.withLock { state in
            let now = ContinuousClock.now
            guard let generation = state.generation, now - state.lookedAt >= Self.renewalInterval else { return nil }
            state.lookedAt = now
            return generation
        }
    }

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

/// The parts of a store that is being closed.
private final class ClosingParts: Sendable {
    let generation: Generation
    private let lock: Mutex<WriterLock?>
    private let readerLock: ReaderLock?
    private let temporaryDirectory: String?

    init(
        _ generation: Generation, lock: consuming sending WriterLock?, readerLock: ReaderLock?,
        temporaryDirectory: String?
    ) {
        self.generation = generation
        self.lock = Mutex(lock)
        self.readerLock = readerLock
        self.temporaryDirectory = temporaryDirectory
    }

    /// Closes all parts. The lock is released last.
    func close() throws {
        defer {
            lock.withLock { $0 = nil }
            readerLock?.release()
            if let temporaryDirectory { try? FileSystem.removeTree(temporaryDirectory) }
        }
        try generation.close()
    }
}
