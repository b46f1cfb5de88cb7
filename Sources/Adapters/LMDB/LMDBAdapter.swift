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

    private let environment: GrowingEnvironment
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
    /// The most bytes of the pages that the commit of a few rows copies.
    private static let copiedByteCount = 256 << 10
    private static let reopeningAttempts = 8

    /// Opens the rows in `directory`, which must exist. The rows are created if there are none and `isReadOnly` is false.
    ///
    /// - Parameter mapSize: The first size of the map in bytes, which grows with the rows, or `nil` for twice the size of the
    ///   rows and at least 256 MiB. Only addresses are reserved.
    /// - Throws: ``DataStoreError``: `locked`, `unsafePath`, `damaged`, `addressSpace`, or `inputOutput`.
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
                mapSize: mapSize, maximumKeyspaces: Self.maximumKeyspaces, syncPolicy: .noSync, isReadOnly: isReadOnly)
            let environment = GrowingEnvironment(try Environment(directory: directory, options: options))
            if !isReadOnly { try Keyspaces.create(in: environment) }
            return (environment, try Keyspaces.open(environment))
        }
        self.environment = environment
        state = Mutex(State(keyspaces: keyspaces))
        self.isReadOnly = isReadOnly
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
        let (reader, keyspaces) = try translating("begin reading rows") { try beginReading { $0 } }
        return LMDBSnapshot(reader, keyspaces, of: environment)
    }

    /// Passes the row of `model` under `key` in the last commit to `body`, unless there is none.
    public func withRow(
        _ key: UnsafeRawBufferPointer, in model: ModelLayout, _ body: (StoredRow) throws -> Void
    ) throws {
        let (reader, table) = try translating("begin reading rows") { try beginReading { $0.table(model) } }
        defer { environment.give(reader) }
        if let table, let row = try reader.row(key, in: table) { try body(row) }
    }

    /// Makes all commits durable.
    public func sync() throws {
        guard !isReadOnly else { return }
        try translating("sync the rows") { try environment.sync() }
    }

    /// Whether the disk and the free pages have three times the bytes, for indexes and pages that are half full, and space for
    /// the pages that a small commit copies.
    public func hasSpace(forRows byteCount: Int, onDisk freeByteCount: Int) -> Bool {
        let needed = 3 * byteCount + Self.copiedByteCount
        if freeByteCount >= needed { return true }
        guard let freePages = try? environment.freePageByteCount(after: environment.information) else { return false }
        return freeByteCount + freePages >= needed
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

    /// A read transaction, and the part of the keyspaces at its time that `part` returns.
    @inline(__always)
    private func beginReading<Part>(_ part: (Keyspaces) -> Part) throws -> (ReadTransaction, Part) {
        try state.withLock { state in
            for _ in 0..<Self.reopeningAttempts {
                let reader = try environment.take()
                guard isReadOnly, try state.keyspaces.isOutdated(in: reader) else {
                    return (reader, part(state.keyspaces))
                }
                environment.give(reader)
                state.keyspaces = try Keyspaces.open(environment)
            }
            throw LMDBError(code: .busy, operation: "begin reading", reason: "the schema kept changing")
        }
    }
}

/// A snapshot for reading: a read transaction from the pool, with the keyspaces at its time.
private final class LMDBSnapshot: LMDBReader, AdapterSnapshot {
    private var reader: ReadTransaction?
    private let environment: GrowingEnvironment

    init(_ reader: ReadTransaction, _ keyspaces: Keyspaces, of environment: GrowingEnvironment) {
        self.reader = reader
        self.environment = environment
        super.init(reader, keyspaces)
    }

    deinit { end() }

    func end() {
        guard let reader else { return }
        self.reader = nil
        release()
        environment.give(reader)
    }
}

extension AdapterFactory {
    /// Rows in LMDB. This adapter has the fastest reads and is the default.
    ///
    /// - Parameter mapSize: The first size of the map in bytes, which grows with the rows, or `nil` for twice the size of the
    ///   rows and at least 256 MiB. Only addresses are reserved.
    public static func lmdb(mapSize: Int? = nil) -> AdapterFactory {
        AdapterFactory(name: "lmdb", isPersistent: true, storesNames: false) { directory, isReadOnly in
            try LMDBAdapter(directory: directory, isReadOnly: isReadOnly, mapSize: mapSize)
        }
    }
}
