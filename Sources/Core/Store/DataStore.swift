internal import Dispatch
internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A store of records: every change is an event in a log, rows are made from the log, and everything else follows it.
///
/// ```swift
/// let store = try await DataStore.open(at: directory, schema: schema, adapter: .lmdb())
/// try await store.save(note)
/// let note = try await store.query(Note.self, id: "1")
/// try await store.close()
/// ```
///
/// A store may be used from any number of tasks. One process at a time writes it.
public final class DataStore: Sendable {
    private let state: Mutex<State>
    let directory: StoreDirectory
    let configuration: DataStoreConfiguration
    let factory: AdapterFactory
    /// How values read from this store find it again.
    let handle = StoreHandle()

    private struct State: ~Copyable {
        var generation: Generation?
        var lock: WriterLock?
        /// When a store that another process writes was last looked at.
        var lookedAt = ContinuousClock.now
        /// Removed with the store: the directory of a store in memory.
        var temporaryDirectory: String?
    }

    /// Opens the store at `directory`, creating it if there is none.
    ///
    /// - Parameters:
    ///   - directory: A directory of your own on a local disk; its last part is 1 to 64 letters, digits, `_`, `-`, `.`. It
    ///     is created if it is missing, and so are its parents; only you may use what is created.
    ///   - schema: The models. A store that has another schema takes over a change that loses nothing, and what
    ///     `migrations` cover; any other is refused, and nothing is touched. `nil` goes on with the schema that the store
    ///     has.
    ///   - adapter: What keeps the rows; a store keeps to the one it was created with.
    ///   - configuration: Durability, projections and more.
    ///   - migrations: What becomes of the data of earlier schemas, the oldest first; see ``SchemaMigration``.
    ///   - progress: Told how far rows are that must be recreated or caught up.
    /// - Throws: ``DataStoreError``: `locked` if another writer has it, `invalidSchema`, `configurationMismatch`,
    ///   `migrationFailed`, `logDamaged`, `newerFormat`, `unsafePath`, `inputOutput`.
    public static func open(
        at directory: URL, schema: Schema? = nil, adapter: AdapterFactory,
        configuration: DataStoreConfiguration = .default, migrations: [SchemaMigration] = [],
        progress: (@Sendable (RebuildProgress) -> Void)? = nil
    ) async throws -> DataStore {
        var configuration = configuration
        configuration.migrations += migrations
        let opened = configuration
        // It takes a lock, and may verify, migrate and rebuild.
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
        directory = try StoreDirectory(path, create: creates)
        self.configuration = configuration
        self.factory = factory
        let lock = configuration.isReadOnly ? nil : try WriterLock(directory: path)
        let opening = StoreOpening(
            directory: directory, schema: schema, factory: factory, configuration: configuration, progress: progress)
        let parts = try opening.open()
        let generation = Generation(
            parts, store: handle, runsInline: parts.log.metadata.durability != .full,
            isReadOnly: configuration.isReadOnly)
        state = Mutex(
            State(generation: generation, lock: lock, temporaryDirectory: configuration.isTemporary ? path : nil))
        attachHandle()
        AutomaticCompaction.start(generation, configuration.compaction)
    }

    deinit {
        guard let parts = takeParts() else { return }
        // A write's closure that has the last hold on its store is let go of by the writer, which cannot wait for itself.
        if parts.generation.writer?.isAtWorkHere ?? false {
            DispatchQueue.global().async { try? parts.close() }
        } else {
            try? parts.close()
        }
    }

    /// Ends the store: finishes reads and writes under way and makes everything durable. Calls after it throw `closed`.
    public func close() async throws {
        guard let parts = takeParts() else { return }
        try await Blocking.run { try parts.close() }
    }

    private func takeParts() -> ClosingParts? {
        state.withLock { state in
            guard let generation = state.generation.take() else { return nil }
            return ClosingParts(
                generation, lock: state.lock.take(), temporaryDirectory: state.temporaryDirectory.take())
        }
    }

    /// Whether the store was opened for reading only.
    package var isReadOnly: Bool { configuration.isReadOnly }

    /// What the store consists of now.
    ///
    /// - Throws: ``DataStoreError`` with code `closed`.
    @inline(__always)
    func current() throws -> Generation {
        if configuration.isReadOnly { renew() }
        guard let generation = state.withLock({ $0.generation }) else { throw DataStoreError.closed }
        return generation
    }

    /// Goes on with `next`, if the store still consists of `old`; returns whether it does.
    func replace(_ old: Generation, with next: Generation) -> Bool {
        state.withLock { state in
            guard state.generation === old else { return false }
            state.generation = next
            return true
        }
    }

    /// How often a store that another process writes is looked at for new files, in order to go on with them.
    private static let renewalInterval = Duration.milliseconds(100)

    /// What the store consists of, if it is time to look whether the process that writes has gone on from it.
    func generationToRenew() -> Generation? {
        state.withLock { state in
            let now = ContinuousClock.now
            guard let generation = state.generation, now - state.lookedAt >= Self.renewalInterval else { return nil }
            state.lookedAt = now
            return generation
        }
    }

    /// The schema, with the numbers by which this store names models and fields.
    public var schema: StoredSchema { get throws { try current().layout.schema } }

    /// The layouts of all models: what tools that handle encoded rows need.
    @_spi(Adapters) public var layout: SchemaLayout { get throws { try current().layout } }

    /// The last event of the log.
    public var head: Position { get throws { try current().log.head } }

    /// The id of the store, the same in all its copies.
    public var id: StoreID { get throws { try current().log.metadata.store } }

    /// When a write is acknowledged.
    public var durability: Durability { get throws { try current().log.metadata.durability } }

    /// What opening the store found damaged although nothing is lost, a sentence or more for each; empty for a healthy
    /// store. Damage that loses something is not a warning: then opening throws `logDamaged`.
    public var openingWarnings: [String] { get throws { try current().log.openingWarnings } }

    func writer(of generation: Generation) throws -> Writer {
        guard let writer = generation.writer else { throw DataStoreError.readOnly }
        return writer
    }
}

/// What a store that is being closed consists of.
private final class ClosingParts: Sendable {
    let generation: Generation
    private let lock: Mutex<WriterLock?>
    private let temporaryDirectory: String?

    init(_ generation: Generation, lock: consuming sending WriterLock?, temporaryDirectory: String?) {
        self.generation = generation
        self.lock = Mutex(lock)
        self.temporaryDirectory = temporaryDirectory
    }

    /// Ends everything, the lock last.
    func close() throws {
        defer {
            lock.withLock { $0 = nil }
            if let temporaryDirectory { try? FileSystem.removeTree(temporaryDirectory) }
        }
        try generation.close()
    }
}
