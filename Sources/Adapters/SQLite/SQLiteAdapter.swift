internal import Synchronization
@_spi(Adapters) public import TidelogCore

extension AdapterFactory {
    /// Keeps rows in one SQLite file, `rows.sqlite`, that any tool can read: a table for each model, a column for each
    /// field. Lists and embedded values are bytes of the row format (FORMATS, section 4).
    public static func sqlite() -> AdapterFactory {
        AdapterFactory(name: "sqlite", isPersistent: true) { directory, isReadOnly in
            try SQLiteAdapter(directory: directory, isReadOnly: isReadOnly)
        }
    }
}

/// Keeps rows in SQLite (FORMATS, section 7.4): one connection writes, a pool of others reads snapshots beside it.
@_spi(Adapters) public final class SQLiteAdapter: StorageAdapter {
    private let file: RowsFile
    private let state: Mutex<State>

    private struct State {
        /// The connection that writes, while no transaction has it.
        var writer: Connection?
        /// Connections that read, while no snapshot has them.
        var readers: [Connection] = []
        var isClosed = false
    }

    /// How many idle readers are kept.
    private static let idleReaderCount = 4

    /// Opens the rows in `directory`, which exists; makes the file if there is none, unless `isReadOnly`.
    ///
    /// - Throws: ``DataStoreError`` with code `damaged` if the file is none of this adapter's, `newerFormat` if a
    ///   newer version wrote it, `projectionUnavailable` if it is to be read and is not there, `unsafePath` if it
    ///   is a symbolic link.
    public init(directory: String, isReadOnly: Bool = false) throws {
        file = try RowsFile(directory: directory, isReadOnly: isReadOnly)
        state = Mutex(State(writer: try file.open()))
        if isReadOnly { try snapshot().end() }
    }

    /// Opens the write transaction.
    public func begin() throws -> any AdapterTransaction {
        let connection = try state.withLock { state in
            guard !state.isClosed else { throw Self.closed }
            guard let connection = state.writer.take() else {
                guard file.isReadOnly else { preconditionFailure("at most one transaction is open at a time") }
                throw DataStoreError(
                    .readOnly, "The rows were opened for reading only.", recovery: "Open the store for writing.")
            }
            return connection
        }
        return try SQLiteTransaction(connection: connection) { [self] connection in
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

    /// Makes everything committed durable, and moves what no snapshot holds back from SQLite's log into the file: reads
    /// look every page up in what is left of the log first.
    public func sync() throws {
        try withWriter { connection in
            try connection.syncLog()
            try connection.execute(.checkpointLog)
        }
    }

    /// Removes all rows, auxiliary rows and the checkpoint, atomically. Tables and indexes stay.
    public func clear() throws {
        try withWriter { connection in
            try connection.execute(.beginWriting)
            do {
                connection.forgetSchema()
                for table in try connection.existingTables() { try connection.execute(.deleteAll(from: table)) }
                try connection.execute(.commit)
            } catch {
                if !connection.isOutsideTransaction { try? connection.execute(.rollback) }
                throw error
            }
        }
    }

    /// Writes the log of the file into the file, and gives up both.
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
        // Where another process still reads, the log stays and is only not cut.
        try writer.execute(.truncateLog)
    }

    private func withWriter(_ body: (Connection) throws -> Void) throws {
        let connection = try state.withLock { state in
            guard !state.isClosed else { throw Self.closed }
            return state.writer.take()
        }
        guard let connection else {
            guard file.isReadOnly else { preconditionFailure("no transaction is open meanwhile") }
            throw DataStoreError(
                .readOnly, "The rows were opened for reading only.", recovery: "Open the store for writing.")
        }
        defer { state.withLock { $0.writer = connection } }
        try body(connection)
    }

    private static var closed: DataStoreError {
        DataStoreError(.closed, "The rows were closed.", recovery: "Open the store again.")
    }
}
