@_spi(Adapters) package import TidelogCore
package import TidelogServer

/// A versioned store over PostgreSQL. Any number of processes may serve the same database.
package final class PostgresVersionedStore: VersionedStore {
    package let source: String
    let pool: ConnectionPool
    private let layout: SchemaLayout
    private let tables: [String: RecordTable]
    private let kind: APIKind
    private let tombstoneAge: Int64
    private let clock: (@Sendable () -> Int64)?
    private let syncClock: SyncClock
    private let queue: ChangeQueue
    private let health: DatabaseHealth
    let removal: ChangeRemoval

    /// Opens the database at `address`, and creates the missing tables, columns and indexes for `schema`.
    ///
    /// - Parameters:
    ///   - schema: The models of the API with their metadata.
    ///   - source: The document from which `schema` was made.
    ///   - kind: The kind of the API. A database is served with one kind.
    ///   - tombstoneAge: The time in milliseconds for which the names of changes are kept.
    ///   - clock: Returns the current time in milliseconds. The default is the clock of the database, which all processes
    ///     share.
    ///   - admit: Gets the document with which the database was last served, and its records, if `source` is another document.
    ///     If it throws, nothing is changed.
    /// - Throws: ``DataStoreError``: `configurationMismatch` if the database was served with the other kind of API; the errors
    ///   of `admit`.
    package init(
        _ address: DatabaseAddress, schema: Schema, source: String, kind: APIKind = .versioned, tombstoneAge: Int64,
        limits: DatabaseAddress.Limits = DatabaseAddress.Limits(), clock: (@Sendable () -> Int64)? = nil,
        admit: @escaping @Sendable (_ source: String, DatabaseRecords) throws -> Void = { _, _ in }
    ) async throws {
        self.source = source
        self.kind = kind
        self.tombstoneAge = tombstoneAge
        self.clock = clock
        let layout = SchemaLayout(StoredSchema(first: schema))
        let tables = layout.models.map { RecordTable($0) }
        self.layout = layout
        self.tables = Dictionary(uniqueKeysWithValues: tables.map { ($0.model.name, $0) })
        let pool = ConnectionPool(address, limits)
        self.pool = pool
        syncClock = SyncClock(pool, clock: clock)
        queue = ChangeQueue(pool)
        removal = ChangeRemoval(pool)
        try await pool.run(.never) { connection in
            try DatabaseSchema(tables: tables, source: source, kind: kind).prepare(connection) { former in
                try admit(former, DatabaseRecords(connection))
            }
        }
        health = DatabaseHealth(pool)
        await health.ask()
    }

    package var writeFailure: DataStoreError? { health.failure }

    package var connections: ConnectionCounts? { pool.counts }

    package func secret(
        named name: String, _ randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) async throws -> [UInt8] {
        let fact = "secret \(name)"
        let find = SQLStatement("SELECT bytes FROM \(DatabaseSchema.own("fact")) WHERE name = $1", [.text(fact)])
        return try await pool.run(.once) { connection in
            if let bytes = try connection.run(find).firstBytes { return bytes }
            // Another process may be first. Then its secret counts.
            let insert = SQLStatement(
                "INSERT INTO \(DatabaseSchema.own("fact"))(name, bytes) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                [.text(fact), .bytes(randomBytes(32))])
            _ = try connection.run(insert)
            guard let bytes = try connection.run(find).firstBytes else {
                throw DataStoreError.damagedRows("The database does not keep a secret.")
            }
            return bytes
        }
    }

    // MARK: One record

    package func record(_ model: String, _ id: RecordID) async throws -> Record? {
        let table = try table(model)
        let key = table.key(of: id)
        return try await pool.run(.once) { connection in
            let found = try connection.run(
                .prepared(table.selection + " WHERE \(DatabaseNames.key) = $1", [.bytes(key)]))
            return found.count == 1 ? try RowReader(table).record(found, 0) : nil
        }
    }

    package func change(_ changes: [RequestedChange]) async throws -> [Result<StoredChange.Outcome, any Error>] {
        let changes = try recordChanges(changes)
        var results: [Result<StoredChange.Outcome, any Error>] = []
        for part in ChangeBatch.parts(of: changes) {
            do { results += try await queue.make(part) } catch { results += part.map { _ in .failure(error) } }
        }
        for result in results {
            switch result {
            case .success(let outcome): if outcome.kind == .written { health.noteChange(nil) }
            case .failure(let error): health.noteChange(error)
            }
        }
        removal.runIfDue()
        return results
    }

    func recordChanges(_ changes: [RequestedChange]) throws -> [RecordChange] {
        let now = clock?()
        let horizon = (now ?? WallClock.microsecondsSince1970() / 1_000) - tombstoneAge
        return try changes.map { change in
            RecordChange(table: try table(change.model), change: change, horizon: horizon, clock: now, kind: kind)
        }
    }

    func table(_ model: String) throws -> RecordTable {
        guard let table = tables[model] else {
            throw DataStoreError(
                .unknownModel, "The server has no model \(model).", model: model,
                recovery: "Use a model of its schema.")
        }
        return table
    }

    // MARK: Pages

    package func page(_ query: PageQuery) async throws -> CountedPage {
        let isOneStatement = query.place == nil
        return try await pool.run(.once) { [layout, tables] connection in
            try DatabaseReader.read(connection, tables, isOneStatement: isOneStatement) { reader in
                try query.page(in: RelatedReader(reader, layout: layout))
            }
        }
    }

    package func plan(_ query: PageQuery) async throws -> QueryPlan {
        try await pool.run(.once) { [layout, tables] connection in
            try DatabaseReader.read(connection, tables) { reader in
                try query.plan(in: RelatedReader(reader, layout: layout))
            }
        }
    }

    // MARK: Changes

    package func beginSync() async throws -> Int64 { try await syncClock.begin() }

    package func changes() async throws -> any AsyncSequence<StoredChange, any Error> & Sendable {
        let health = health
        return try await ChangeFollower.begin(pool, tables.mapValues(\.model)) { health.noteReading($0) }
    }

    /// The number of rows that one statement of a purge removes.
    private static let purgeCount = 10_000

    @discardableResult
    package func purge(before time: Int64) async throws -> Int {
        var count = 0
        for table in layout.models.compactMap({ tables[$0.name] }) {
            let (deleted, changed) = (
                DatabaseNames.quoted(Metadata.deleted), DatabaseNames.quoted(Metadata.lastChangedAt)
            )
            count += try await purge(
                "\(table.name)", where: "\(deleted) AND \(changed) < $1", before: time)
        }
        _ = try await purge(DatabaseSchema.own("answer"), where: "at < $1", before: time)
        return count
    }

    /// Deletes rows of a table, many at a time, so that no statement takes long.
    private func purge(_ table: String, where condition: String, before time: Int64) async throws -> Int {
        var count = 0
        while true {
            let statement = SQLStatement.prepared(
                """
                DELETE FROM \(table) WHERE ctid = ANY(ARRAY(SELECT ctid FROM \(table) WHERE \(condition) \
                LIMIT \(Self.purgeCount))) AND \(condition)
                """, [.int(time)])
            let deleted = try await pool.run(.once) { try $0.run(statement).changedCount }
            count += deleted
            guard deleted == Self.purgeCount else { return count }
        }
    }
}

extension SQLResult {
    /// The bytes of the only value of the only row.
    fileprivate var firstBytes: [UInt8]? { count == 1 ? bytes(0, 0).map { Array($0) } : nil }
}
