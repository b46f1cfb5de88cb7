internal import CSQLite
@_spi(Adapters) internal import TidelogCore
internal import TidelogSQLTranslation

/// One connection to the file, with its prepared statements.
final class Connection: @unchecked Sendable {  // Sound: one reader or transaction owns it at a time.
    private let handle: OpaquePointer
    private var statements = StatementCache()
    private var shapes: [ObjectIdentifier: TableShape] = [:]
    private var tables: Set<String>?
    private var schemaVersion: Int64 = -1
    private var arenas: [ByteArena] = []
    /// The size of the file's pages, which never changes; 0 before it is known.
    private var pageByteCount: Int64 = 0

    /// Opens the file at `path`. If the connection writes, the file may be empty.
    ///
    /// - Parameter isUnchanging: Whether no process changes the file as long as the connection is open. SQLite then uses no
    ///   locks, creates no files next to the file, and ignores a write-ahead log.
    init(path: String, isReading: Bool, isUnchanging: Bool = false) throws {
        precondition(sqlite3_threadsafe() != 0, "SQLite was built for threads")
        let access = isReading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let flags =
            access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let code =
            isUnchanging
            ? sqlite3_open_v2(Self.unchangingURI(path), &opened, flags | SQLITE_OPEN_URI, nil)
            : sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let error = DataStoreError.sqlite(code, on: opened)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        try configure(isReading: isReading)
    }

    deinit {
        statements.removeAll()
        shapes.removeAll()
        sqlite3_close_v2(handle)
    }

    /// The URI that opens the file at the absolute `path` as one that does not change.
    private static func unchangingURI(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF")
        let escaped = path.utf8.map { byte in
            let isPlain = (byte | 32 >= 97 && byte | 32 <= 122) || (45...57).contains(byte) || byte == 95
            return isPlain ? String(UnicodeScalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
        return "file://\(escaped.joined())?immutable=1"
    }

    private func configure(isReading: Bool) throws {
        for (option, value) in [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
            (SQLITE_DBCONFIG_ENABLE_VIEW, 0), (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
        ] as [(Int32, Int32)] {
            try check(tidelog_sqlite3_db_config_flag(handle, option, value))
        }
        for (limit, value) in [
            (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_WORKER_THREADS, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100), (SQLITE_LIMIT_FUNCTION_ARG, 8),
            (SQLITE_LIMIT_COMPOUND_SELECT, 2), (SQLITE_LIMIT_SQL_LENGTH, 8 << 20), (SQLITE_LIMIT_LENGTH, 64 << 20),
        ] as [(Int32, Int32)] {
            sqlite3_limit(handle, limit, value)
        }
        try check(ContainsFunction.add(to: handle))
        try check(sqlite3_busy_timeout(handle, 2_000))
        if !isReading {
            try check(sqlite3_wal_autocheckpoint(handle, 12_288))
            var step = Int32(Self.growthByteCount)
            try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_CHUNK_SIZE, &step))
        }
        let settings = SQL.settings(cacheKibibytes: isReading ? 4_096 : 16_384, isReading: isReading)
        for setting in settings { try execute(setting) }
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw DataStoreError.sqlite(code, on: handle) }
    }

    /// Calls `body` inside a transaction that writes, and commits it. If `body` throws an error, its changes are rolled back.
    func write(_ body: () throws -> Void) throws {
        try execute(.beginWriting)
        do {
            try body()
            try execute(.commit)
        } catch {
            if !isOutsideTransaction { try? execute(.rollback) }
            throw error
        }
    }

    /// Whether no transaction is open. SQLite itself ends a transaction after some failures.
    var isOutsideTransaction: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// The file takes disk space in steps of this size.
    static let growthByteCount = 256 << 10

    /// Makes the file take the disk space for all pages of the present transaction.
    ///
    /// Moving pages from the write-ahead log into the file then never needs space, so that the log can always be emptied on a
    /// full disk.
    func reserveSpace() throws {
        var byteCount = try number(.pageCount) * bytesPerPage()
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_SIZE_HINT, &byteCount)
        guard code == SQLITE_OK else { throw DataStoreError.noSpace(code) }
    }

    /// The bytes of the file's pages that have no content.
    func byteCountOfFreePages() throws -> Int { Int(try number(.freePageCount) * bytesPerPage()) }

    private func bytesPerPage() throws -> Int64 {
        if pageByteCount == 0 { pageByteCount = try number(.pageSize) }
        return pageByteCount
    }

    /// Moves pages from the write-ahead log into the file by `checkpoint`. If the disk has no space for the pages, they stay in
    /// the log, which is as durable as the file.
    func moveLog(_ checkpoint: SQL) throws {
        do { try execute(checkpoint) } catch let error as DataStoreError where error.code == .storageFull {}
    }

    /// Syncs the write-ahead log to the disk.
    func syncLog() throws { try check(tidelog_sqlite3_sync_log(handle)) }
}

// MARK: - Statements

extension Connection {
    /// Prepares a statement that is kept for a long time.
    func prepare(_ sql: SQL) throws -> Statement {
        var text = sql.text
        var prepared: OpaquePointer?
        let code = text.withUTF8 { bytes in
            let base = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
            return sqlite3_prepare_v3(
                handle, base, Int32(bytes.count), UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        }
        guard code == SQLITE_OK, let prepared else { throw DataStoreError.sqlite(code, on: handle) }
        return Statement(prepared)
    }

    /// Calls `body` with the statement for `sql`, to which `values` are bound. Afterwards the statement is reset and kept for
    /// the next call.
    func withStatement<Result>(
        _ sql: SQL, binding values: [Condition.Value] = [], _ body: (Statement) throws -> Result
    ) throws -> Result {
        let statement = try statements.take(sql) ?? prepare(sql)
        defer {
            statement.reset()
            statement.clearBindings()
            statements.keep(statement, for: sql)
        }
        for (index, value) in values.enumerated() {
            statement.bind(copying: value, at: Int32(truncatingIfNeeded: index + 1))
        }
        return try body(statement)
    }

    /// Runs a statement that has no values and whose result rows are not used.
    func execute(_ sql: SQL) throws { try withStatement(sql) { try $0.run() } }

    /// The number that `sql` returns.
    func number(_ sql: SQL) throws -> Int64 { try withStatement(sql) { try $0.step() ? $0.int(0) : 0 } }

    /// The texts in the first column of the result of `sql`.
    func names(_ sql: SQL, column: Int32 = 0) throws -> [String] {
        try withStatement(sql) { statement in
            var names: [String] = []
            while try statement.step() { names.append(statement.string(column)) }
            return names
        }
    }
}

// MARK: - The schema of the file

extension Connection {
    /// Reads the version of the schema. A transaction that was begun starts to read at this point.
    func refreshSchema() throws {
        let version = try number(.schemaVersion)
        guard version != schemaVersion else { return }
        forgetSchema()
        schemaVersion = version
    }

    /// Discards the cached schema, because the schema has changed.
    func forgetSchema() {
        tables = nil
        shapes.removeAll()
        schemaVersion = -1
    }

    /// The names of the tables.
    func existingTables() throws -> Set<String> {
        if let tables { return tables }
        let found = Set(try names(.tables))
        tables = found
        return found
    }

    /// The shape of the table of `model`, or `nil` if there is no table yet.
    @inline(__always)
    func shape(of model: ModelLayout) throws -> TableShape? {
        try shapes[ObjectIdentifier(model)] ?? makeShape(of: model)
    }

    private func makeShape(of model: ModelLayout) throws -> TableShape? {
        let tables = try existingTables()
        let candidates = ObjectNames.tableCandidates(model.name, model.number)
        guard let table = [candidates.alternative, candidates.plain].first(where: { tables.contains($0) }) else {
            return nil
        }
        let shape = TableShape(model: model, table: table, existing: Set(try names(.columns(of: table), column: 1)))
        // A shape keeps its model, so that the identifier is not reused. The shapes of replaced layouts are discarded.
        if shapes.count > tables.count * 2 { shapes.removeAll() }
        shapes[ObjectIdentifier(model)] = shape
        return shape
    }
}

// MARK: - The checkpoint

extension Connection {
    private static let checkpointName = Array("checkpoint".utf8)

    /// The checkpoint of the last commit, or `nil` before the first one.
    func checkpoint() throws -> Checkpoint? {
        try withStatement(.meta, binding: [.text(Self.checkpointName)]) { statement in
            guard try statement.step() else { return nil }
            guard let checkpoint = Checkpoint(encoded: statement.blob(0)) else {
                throw DataStoreError.damagedRows("The checkpoint does not decode.")
            }
            return checkpoint
        }
    }

    /// Stores the checkpoint in the present transaction.
    func put(_ checkpoint: Checkpoint) throws {
        try withStatement(.putMeta, binding: [.text(Self.checkpointName), .blob(checkpoint.encoded)]) { try $0.run() }
    }
}

// MARK: - Memory for rows

extension Connection {
    private static var keptByteCount: Int { 256 << 10 }

    /// Calls `body` with an arena that no other call uses. It is reused later.
    func withArena<Result>(_ body: (ByteArena) throws -> Result) rethrows -> Result {
        let arena = arenas.popLast() ?? ByteArena()
        defer {
            arena.count = 0
            arena.shrink(to: Self.keptByteCount)
            arenas.append(arena)
        }
        return try body(arena)
    }
}

/// The prepared statements that one connection keeps for queries. The most recently used statements are kept.
private struct StatementCache {
    private var entries: [SQL: (statement: Statement, lastUse: UInt64)] = [:]
    private var clock: UInt64 = 0
    private static let capacity = 64
    /// The longest text that is kept. Longer texts are rare and large, so they are prepared again for each use.
    private static let textByteCount = 32 << 10

    /// Removes the statement for `sql` from the cache and returns it, or `nil`. While it is in use, no other caller gets it.
    mutating func take(_ sql: SQL) -> Statement? { entries.removeValue(forKey: sql)?.statement }

    /// Keeps `statement`, which must be reset.
    mutating func keep(_ statement: Statement, for sql: SQL) {
        guard sql.text.utf8.count <= Self.textByteCount else { return }
        clock += 1
        if entries.count >= Self.capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
        }
        entries[sql] = (statement, clock)
    }

    mutating func removeAll() { entries.removeAll() }
}
