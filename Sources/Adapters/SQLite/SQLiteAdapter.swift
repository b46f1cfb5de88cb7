@_spi(Adapters) public import TidelogCore
internal import TidelogSynchronization

/// An adapter that keeps rows in SQLite (FORMATS, section 7.4). One connection writes, and a pool of connections reads
/// snapshots.
@_spi(Adapters) public final class SQLiteAdapter: StorageAdapter {
    private let file: RowsFile
    private let state: Mutex<State>

    private struct State {
        /// The connection that writes, or `nil` while a transaction uses it.
        var writer: Connection?
        /// The connections that read and that no snapshot uses at present.
        var readers: [Connection] = []
        var isClosed = false
    }

    /// The number of idle read connections that are kept.
    private static let idleReaderCount = 4
    /// The most bytes of the pages that a commit of a few rows writes to the write-ahead log.
    private static let copiedByteCount = 64 << 10

    /// Opens the rows in `directory`, which must exist. The file is created if it does not exist and `isReadOnly` is false.
    ///
    /// - Throws: ``DataStoreError`` with code `damaged` if another program wrote the file, `newerFormat` if a newer version
    ///   wrote it, `projectionUnavailable` if it is only to be read and does not exist, or `unsafePath` if it is a symbolic
    ///   link.
    public init(directory: String, isReadOnly: Bool = false) throws {
        file = try RowsFile(directory: directory, isReadOnly: isReadOnly)
        state = Mutex(State(writer: try file.open()))
        if isReadOnly { try snapshot().end() }
    }

    /// Opens the write transaction.
    public func begin() throws -> any AdapterTransaction {
        try SQLiteTransaction(connection: try takeWriter()) { [self] connection in
            state.withLock { $0.writer = connection }
        }
    }

    /// Opens a consistent view of the last committed rows.
    public func snapshot() throws -> any AdapterSnapshot {
        let idle = try state.withLock { state in
            guard !state.isClosed else { throw Self.closed }
            return state.readers.popLast()
        }
        return try SQLiteSnapshot(connection: try idle ?? file.openReader()) { [self] connection in
            state.withLock { state in
                if !state.isClosed, state.readers.count < Self.idleReaderCount { state.readers.append(connection) }
            }
        }
    }

    /// Makes all commits durable, and moves pages from SQLite's log into the file, unless a snapshot still needs the log.
    ///
    /// Until then, reads search the log for each page before they read the file.
    public func sync() throws {
        try withWriter { connection in
            try connection.syncLog()
            try connection.moveLog(.checkpointLog)
        }
    }

    /// Moves SQLite's log into the file and empties the log, unless another process reads it.
    ///
    /// On a full disk the log may have taken the last space, for example for a transaction that failed.
    public func giveSpaceBack() -> Bool {
        let byteCount = file.logByteCount
        guard byteCount > 0 else { return false }
        try? withWriter { try $0.moveLog(.truncateLog) }
        return file.logByteCount < byteCount
    }

    /// Whether the disk has space for the pages that the write-ahead log takes, and the file has free pages for the rows or can
    /// grow.
    public func hasSpace(forRows byteCount: Int, onDisk freeByteCount: Int) -> Bool {
        let logByteCount = 4 * byteCount + Self.copiedByteCount
        guard freeByteCount >= logByteCount else { return false }
        let growth = 2 * byteCount
        if freeByteCount >= logByteCount + growth + Connection.growthByteCount { return true }
        guard let reader = try? snapshot() as? SQLiteReader else { return false }
        defer { reader.abandon() }
        return (try? reader.connection.byteCountOfFreePages()) ?? 0 >= growth
    }

    /// Removes all rows, auxiliary rows and the checkpoint, atomically. The tables and indexes are kept.
    public func clear() throws {
        try withWriter { connection in
            try connection.write {
                connection.forgetSchema()
                for table in try connection.existingTables() { try connection.execute(.deleteAll(from: table)) }
            }
        }
    }

    /// Syncs SQLite's log, moves it into the file, and closes the connections.
    public func close() throws {
        let (writer, isFirst) = state.withLock { state in
            defer {
                state.readers.removeAll()
                state.isClosed = true
            }
            return (state.writer.take(), !state.isClosed)
        }
        guard isFirst, let writer else { return }
        try writer.syncLog()
        // If another process still reads, the log is kept with its full length.
        try writer.moveLog(.truncateLog)
    }

    private func withWriter(_ body: (Connection) throws -> Void) throws {
        let connection = try takeWriter()
        defer { state.withLock { $0.writer = connection } }
        try body(connection)
    }

    /// Takes the connection that writes. It is given back later.
    private func takeWriter() throws -> Connection {
        let connection = try state.withLock { state in
            guard !state.isClosed else { throw Self.closed }
            return state.writer.take()
        }
        guard let connection else {
            guard file.isReadOnly else { preconditionFailure("at most one transaction is open at a time") }
            throw DataStoreError(
                .readOnly, "The rows were opened for reading only.", recovery: "Open the store for writing.")
        }
        return connection
    }

    private static var closed: DataStoreError {
        DataStoreError(.closed, "The rows were closed.", recovery: "Open the store again.")
    }
}

/// A read transaction on a connection of the pool.
private final class SQLiteSnapshot: SQLiteReader, AdapterSnapshot {
    /// Begins to read on `connection`. At the end, the connection is passed to `giveBack`, unless it is not usable any more.
    init(connection: Connection, giveBack: @escaping (Connection) -> Void) throws {
        // A read transaction has no changes to lose.
        try super.init(connection: connection, begin: .begin, abandon: .commit) { connection, isUsable in
            if isUsable { giveBack(connection) }
        }
    }

    func end() { abandon() }
}

extension AdapterFactory {
    /// Rows in one SQLite file, `rows.sqlite`, that any SQLite tool can read. Each model has a table and each field a column.
    ///
    /// Lists and embedded values are stored as bytes of the row format (FORMATS, section 4).
    public static func sqlite() -> AdapterFactory {
        AdapterFactory(name: "sqlite", isPersistent: true) { directory, isReadOnly in
            try SQLiteAdapter(directory: directory, isReadOnly: isReadOnly)
        }
    }
}
