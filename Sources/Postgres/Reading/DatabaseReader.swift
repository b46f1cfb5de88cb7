@_spi(Adapters) internal import TidelogCore
internal import TidelogSQLTranslation

/// Reads records on one connection. If a reading needs several statements, they are one transaction, so that they see the same
/// records.
final class DatabaseReader: AdapterReader {
    private let connection: Connection
    private let tables: [String: RecordTable]
    private let readers: [String: RowReader]
    private var isInTransaction = false
    private var cursorCount = 0
    private let arena = ByteArena()

    /// The largest page that is read at once. Longer results are read part by part.
    private static let pageLimit = 2_000
    /// The number of rows of one part of a long result.
    private static let partCount = 256

    /// A reader that begins its own transaction when it needs one.
    private init(_ connection: Connection, _ tables: [String: RecordTable]) {
        self.connection = connection
        self.tables = tables
        readers = tables.mapValues { RowReader($0) }
    }

    /// A reader inside a transaction that the caller has begun and ends.
    convenience init(inTransactionOf connection: Connection, _ tables: [String: RecordTable]) {
        self.init(connection, tables)
        isInTransaction = true
    }

    /// Calls `body` with a reader of `tables`.
    ///
    /// - Parameter isOneStatement: Whether the reading needs only one statement, unless its result is long.
    static func read<Value>(
        _ connection: Connection, _ tables: [String: RecordTable], isOneStatement: Bool = false,
        _ body: (DatabaseReader) throws -> Value
    ) throws -> Value {
        let reader = DatabaseReader(connection, tables)
        if !isOneStatement { try reader.begin() }
        do {
            let value = try body(reader)
            try reader.end()
            return value
        } catch {
            // A failed end leaves a broken connection, which the pool closes.
            try? reader.end()
            throw error
        }
    }

    private func begin() throws {
        guard !isInTransaction else { return }
        _ = try connection.run(.prepared("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
        isInTransaction = true
    }

    private func end() throws {
        guard isInTransaction, !connection.isBroken else { return }
        isInTransaction = false
        _ = try connection.run(.prepared("ROLLBACK"))
    }

    private func table(_ model: ModelLayout) -> (table: RecordTable, reader: RowReader) {
        guard let table = tables[model.name], let reader = readers[model.name] else {
            preconditionFailure("the model is one of the server's")
        }
        return (table, reader)
    }

    // MARK: Rows

    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        let (table, reader) = table(model)
        let result = try connection.run(
            .prepared(table.selection + " WHERE \(DatabaseNames.key) = $1", [.bytes(key)]))
        guard result.count > 0 else { return nil }
        return try reader.withRow(result, 0) { key, row in
            arena.count = 0
            arena.append(key)
            arena.append(row.bytes)
            return StoredRow(
                key: arena[0..<key.count], sequence: .zero, row: try RowView(arena[key.count..<arena.count]))
        }
    }

    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws {
        guard query.page.limit != 0 else { return }
        let (table, _) = table(query.model)
        let translated = try translated(query, table)
        if translated.isPaged { return try select(translated, table) { row in try body(row) } }
        var window = PageWindow(query.page)
        try select(translated, table) { row in
            guard try query.filter.evaluate(row.row), window.admitsNext() else { return true }
            return try body(row) && window.hasRoom
        }
    }

    func count(_ query: StorageQuery) throws -> Int {
        let (table, _) = table(query.model)
        let translated = try translated(query, table)
        guard translated.isPaged else { return try countByFetching(query) }
        return Int(try connection.run(QueryText.count(translated, from: table)).int(0, 0) ?? 0)
    }

    /// Passes the rows that the database selects to `body`, in order, until it returns false.
    private func select(
        _ query: TranslatedQuery, _ table: RecordTable, _ body: (StoredRow) throws -> Bool
    ) throws {
        let statement = QueryText.fetch(query, from: table)
        if query.isPaged, let limit = query.page.limit, limit <= Self.pageLimit {
            _ = try pass(connection.run(statement), table, body)
            return
        }
        try begin()
        cursorCount += 1
        let cursor = "c\(cursorCount)"
        _ = try connection.run(
            SQLStatement("DECLARE \(cursor) NO SCROLL CURSOR FOR " + statement.text, statement.values))
        var wantsMore = true
        while wantsMore {
            let part = try connection.run(SQLStatement("FETCH \(Self.partCount) FROM \(cursor)"))
            wantsMore = try pass(part, table, body) && part.count == Self.partCount
        }
        _ = try connection.run(SQLStatement("CLOSE \(cursor)"))
    }

    private func pass(_ result: SQLResult, _ table: RecordTable, _ body: (StoredRow) throws -> Bool) throws -> Bool {
        // The closure may read other rows of the same table.
        let reader = RowReader(table)
        for row in 0..<result.count {
            let wantsMore = try reader.withRow(result, row) { key, row in
                try body(StoredRow(key: key, sequence: .zero, row: row))
            }
            guard wantsMore else { return false }
        }
        return true
    }

    // MARK: Plans

    func plan(_ query: StorageQuery) throws -> QueryPlan {
        let (table, _) = table(query.model)
        let translated = try translated(query, table)
        let statement = QueryText.fetch(translated, from: table)
        let result = try connection.run(SQLStatement("EXPLAIN (COSTS OFF) " + statement.text, statement.values))
        let steps = (0..<result.count).compactMap { result.text($0, 0) }
        let index = query.model.indexes.first { index in
            let name = DatabaseNames.quoted(DatabaseNames.index(index.name, of: query.model.name))
            return steps.contains { $0.contains(name) }
        }
        let check = translated.isPaged ? [] : ["check the whole predicate on each row"]
        return QueryPlan(
            index: index?.name, summary: (steps.map(\.trimmed) + check).joined(separator: "; "),
            sorts: steps.contains { $0.trimmed.hasPrefix("Sort") || $0.contains("->  Sort") })
    }

    private func translated(_ query: StorageQuery, _ table: RecordTable) throws -> TranslatedQuery {
        TranslatedQuery(query, idGroup: try idGroup(query, table), takesZeroCharacters: false)
    }

    /// The group of all IDs in the query's table, if the plan depends on it.
    private func idGroup(_ query: StorageQuery, _ table: RecordTable) throws -> IDKeyGroup? {
        guard query.asksForIDOrder else { return nil }
        try begin()
        let key = DatabaseNames.key
        let results = try connection.transaction([
            .prepared("SELECT \(key) FROM \(table.name) ORDER BY \(key) LIMIT 1"),
            .prepared("SELECT \(key) FROM \(table.name) ORDER BY \(key) DESC LIMIT 1"),
        ])
        guard results.count == 2, results[0].count == 1, let first = results[0].bytes(0, 0),
            results[1].count == 1, let last = results[1].bytes(0, 0)
        else { return nil }
        return IDKeyGroup(ofKeysFrom: first, to: last)
    }

    // MARK: What only rows of a log have

    func checkpoint() throws -> Checkpoint? { nil }

    func auxiliaryValue(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws -> UnsafeRawBufferPointer? {
        nil
    }

    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {}
}

extension String {
    fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
