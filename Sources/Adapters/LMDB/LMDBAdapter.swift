@_spi(Adapters) public import TidelogCore
internal import TidelogLMDB
internal import TidelogSynchronization

/// An adapter that keeps rows in its own LMDB environment (FORMATS, section 7.3).
///
/// Rows are committed without a sync, because only the log must be durable. Reads copy nothing and never wait. The memory map
/// is never writable.
@_spi(Adapters) public final class LMDBAdapter: StorageAdapter {
    private struct State: Sendable {
        var keyspaces: Keyspaces
        var commitsUntilReaderCheck = LMDBAdapter.commitsBetweenReaderChecks
    }

    private let environment: Environment
    private let readers: ReaderPool
    private let isReadOnly: Bool
    private let state: Mutex<State>
    private let scratch = LMDBTransaction.Scratch()
    /// The number of key bytes that one step of an index construction sorts in memory and commits.
    let stepByteCount: Int
    /// Called before each step is committed. Tests use it to stop the construction there.
    let willCommitStep: (@Sendable () throws -> Void)?

    /// The largest number of keyspaces: models, indexes and auxiliary tables, including dropped ones.
    static let maximumKeyspaces = 8_192
    private static let commitsBetweenReaderChecks = 1_000
    private static let reopeningAttempts = 8

    /// Opens the rows in `directory`, which must exist. The rows are created if there are none and `isReadOnly` is false.
    ///
    /// - Parameter mapSize: The largest size of the rows in bytes, or `nil` for 64 GiB. Only address space is reserved.
    /// - Throws: ``DataStoreError``: `locked`, `unsafePath`, `damaged`, or `inputOutput`.
    public convenience init(directory: String, isReadOnly: Bool = false, mapSize: Int? = nil) throws {
        try self.init(directory: directory, isReadOnly: isReadOnly, mapSize: mapSize, stepByteCount: 32 << 20)
    }

    init(
        directory: String, isReadOnly: Bool, mapSize: Int?, stepByteCount: Int,
        willCommitStep: (@Sendable () throws -> Void)? = nil
    ) throws {
        self.stepByteCount = stepByteCount
        self.willCommitStep = willCommitStep
        let (environment, keyspaces) = try translating("open the rows") {
            let options = Environment.Options(
                mapSize: mapSize ?? Environment.Options.defaultMapSize, maximumKeyspaces: Self.maximumKeyspaces,
                syncPolicy: .noSync, isReadOnly: isReadOnly)
            let environment = try Environment(directory: directory, options: options)
            if !isReadOnly { try Keyspaces.create(in: environment) }
            return (environment, try Keyspaces.open(environment))
        }
        self.environment = environment
        state = Mutex(State(keyspaces: keyspaces))
        self.isReadOnly = isReadOnly
        readers = ReaderPool(environment)
    }

    /// Opens the write transaction. The same thread must end it.
    public func begin() throws -> any AdapterTransaction {
        guard !isReadOnly else {
            throw DataStoreError(
                .readOnly, "The rows are open for reading only.", recovery: "Open the store for writing.")
        }
        let keyspaces = state.withLock { $0.keyspaces }
        let transaction = try translating("begin writing rows") { try environment.beginWrite() }
        return LMDBTransaction(transaction, keyspaces, adapter: self, scratch: scratch)
    }

    /// Opens a consistent view of the last committed rows.
    public func snapshot() throws -> any AdapterSnapshot {
        let (reader, keyspaces) = try translating("begin reading rows") { try beginReading() }
        return LMDBSnapshot(reader, keyspaces, pool: readers)
    }

    /// Makes all commits durable.
    public func sync() throws {
        guard !isReadOnly else { return }
        try translating("sync the rows") { try environment.sync() }
    }

    /// Removes all rows, auxiliary rows and the checkpoint, atomically. The tables are kept.
    public func clear() throws {
        let keyspaces = state.withLock { $0.keyspaces }
        try translating("clear the rows") {
            let transaction = try environment.beginWrite()
            for keyspace in keyspaces.content { try transaction.empty(keyspace) }
            if let metadata = keyspaces.metadata {
                for key in [Keyspaces.MetadataKey.checkpoint, Keyspaces.MetadataKey.construction] {
                    _ = try withBytes(of: key) { try transaction.delete(metadata, $0) }
                }
            }
            try transaction.commit()
        }
    }

    /// Makes the rows durable and closes them.
    public func close() throws {
        readers.drain()
        defer { environment.close() }
        try sync()
    }
}

extension LMDBAdapter {
    /// Begins the transaction that continues the construction of an index.
    func beginStep() throws -> WriteTransaction { try environment.beginWrite() }

    /// Runs `commit`, after which `keyspaces` are the stored ones. No snapshot sees only one of both changes.
    func publish(_ keyspaces: Keyspaces, _ commit: () throws -> Void) throws {
        try state.withLock { state in
            try commit()
            state.keyspaces = keyspaces
        }
    }

    /// Frees the slots of readers whose processes have died, every 1,000 commits. Such slots prevent the reuse of pages.
    func committed() {
        let isDue = state.withLock { state in
            state.commitsUntilReaderCheck -= 1
            guard state.commitsUntilReaderCheck == 0 else { return false }
            state.commitsUntilReaderCheck = Self.commitsBetweenReaderChecks
            return true
        }
        // A failure has no effect on the commit. The next check tries again.
        if isDue { _ = try? environment.clearStaleReaders() }
    }

    private func beginReading() throws -> (ReadTransaction, Keyspaces) {
        try state.withLock { state in
            for _ in 0..<Self.reopeningAttempts {
                let reader = try takeReader()
                guard isReadOnly, try state.keyspaces.isOutdated(in: reader) else { return (reader, state.keyspaces) }
                readers.give(reader)
                state.keyspaces = try Keyspaces.open(environment)
            }
            throw LMDBError(code: .busy, operation: "begin reading", reason: "the schema kept changing")
        }
    }

    private func takeReader() throws -> ReadTransaction {
        do throws(LMDBError) {
            return try readers.take()
        } catch {
            switch error.code {
            case .mapResized: try environment.setMapSize(0)  // Another process opened the rows with a larger map.
            case .readersFull: try environment.clearStaleReaders()
            default: throw error
            }
        }
        return try readers.take()
    }
}

/// A snapshot for reading: a read transaction from the pool, with the keyspaces at its time.
private final class LMDBSnapshot: LMDBReader, AdapterSnapshot {
    private var reader: ReadTransaction?
    private let pool: ReaderPool

    init(_ reader: ReadTransaction, _ keyspaces: Keyspaces, pool: ReaderPool) {
        self.reader = reader
        self.pool = pool
        super.init(reader, keyspaces)
    }

    deinit { end() }

    func end() {
        guard let reader else { return }
        self.reader = nil
        release()
        pool.give(reader)
    }
}

extension AdapterFactory {
    /// Rows in LMDB. This adapter has the fastest reads and is the default.
    ///
    /// - Parameter mapSize: The largest size of the rows in bytes, or `nil` for 64 GiB. Only address space is reserved.
    public static func lmdb(mapSize: Int? = nil) -> AdapterFactory {
        AdapterFactory(name: "lmdb", isPersistent: true, storesNames: false) { directory, isReadOnly in
            try LMDBAdapter(directory: directory, isReadOnly: isReadOnly, mapSize: mapSize)
        }
    }
}
