@_spi(Adapters) internal import TidelogCore
internal import TidelogSQLTranslation

/// Reads through one connection, inside a transaction that it begins and ends.
class SQLiteReader: AdapterReader {
    let connection: Connection
    private(set) final var isEnded = false
    private let abandonment: SQL
    private let giveBack: (_ connection: Connection, _ isUsable: Bool) -> Void
    /// The bytes that the last call returned.
    private let arena = ByteArena()

    /// Begins a transaction on `connection`. At its end, the connection is passed to `giveBack`.
    ///
    /// - Parameter abandonment: The statement that ends the transaction without changes.
    init(
        connection: Connection, begin: SQL, abandon abandonment: SQL,
        giveBack: @escaping (_ connection: Connection, _ isUsable: Bool) -> Void
    ) throws {
        self.connection = connection
        self.abandonment = abandonment
        self.giveBack = giveBack
        do {
            try connection.execute(begin)
            // A deferred transaction shows the state at its first read.
            try connection.refreshSchema()
        } catch {
            abandon()
            throw error
        }
    }

    deinit { abandon() }

    /// Ends the transaction without changes, unless it has ended.
    final func abandon() {
        guard !isEnded else { return }
        // After some failed writes, SQLite has rolled back already. If the statement fails, closing the file rolls back.
        end(isUsable: connection.isOutsideTransaction || (try? connection.execute(abandonment)) != nil)
    }

    /// Gives the connection back after the end of the transaction.
    final func end(isUsable: Bool) {
        isEnded = true
        giveBack(connection, isUsable)
    }

    final func checkpoint() throws -> Checkpoint? { try connection.checkpoint() }

    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        guard let shape = try connection.shape(of: model) else { return nil }
        let statement = try shape.statement(.get, on: connection)
        defer { statement.reset() }
        statement.bindBlob(key, at: 1)
        guard try statement.step() else { return nil }
        arena.count = 0
        arena.append(statement.blob(0))
        let keyByteCount = arena.count
        let row = try statement.appendRow(of: shape, to: arena)
        return StoredRow(
            key: arena[0..<keyByteCount], sequence: SequenceNumber(UInt64(bitPattern: statement.int(1))),
            row: try RowView(arena[row]))
    }

    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws {
        guard query.page.limit != 0, let shape = try connection.shape(of: query.model) else { return }
        let translated = try translated(query, shape)
        if translated.isPaged { return try select(translated, shape) { row in try body(row) } }
        var window = PageWindow(query.page)
        try select(translated, shape) { row in
            guard try query.accepts(row.row), window.admitsNext() else { return true }
            return try body(row) && window.hasRoom
        }
    }

    /// Passes the rows that SQLite selects to `body`, in order, until it returns false.
    private func select(
        _ query: TranslatedQuery, _ shape: TableShape, _ body: (StoredRow) throws -> Bool
    ) throws {
        let order = KeyOrder(for: query, shape)
        if order == .sorted {
            // SQLite sorts all rows before it returns the first. If there is no space for a temporary file, it fails before.
            var hasBegun = false
            do {
                return try select(query, shape, .sorted) { row in
                    hasBegun = true
                    return try body(row)
                }
            } catch let error as DataStoreError where !hasBegun && [.storageFull, .inputOutput].contains(error.code) {}
        }
        try select(query, shape, .followed, body)
    }

    private func select(
        _ query: TranslatedQuery, _ shape: TableShape, _ order: KeyOrder, _ body: (StoredRow) throws -> Bool
    ) throws {
        let (sql, values) = SQL.fetch(query, shape, order)
        try connection.withStatement(sql, binding: values) { statement in
            try connection.withArena { arena in
                while try statement.step() {
                    arena.count = 0
                    let range = try statement.appendRow(of: shape, to: arena)
                    let row = StoredRow(
                        key: statement.blob(0), sequence: SequenceNumber(UInt64(bitPattern: statement.int(1))),
                        row: try RowView(arena[range]))
                    guard try body(row) else { return }
                }
            }
        }
    }

    func count(_ query: StorageQuery) throws -> Int {
        guard let shape = try connection.shape(of: query.model) else { return 0 }
        let translated = try translated(query, shape)
        guard translated.isPaged else { return try countByFetching(query) }
        let (sql, values) = SQL.count(translated, shape)
        return try connection.withStatement(sql, binding: values) { try $0.step() ? Int($0.int(0)) : 0 }
    }

    func auxiliaryValue(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws -> UnsafeRawBufferPointer? {
        try connection.withStatement(.auxiliary) { statement in
            statement.bind(copying: .text(Array(table.name.utf8)), at: 1)
            statement.bindBlob(key, at: 2)
            guard try statement.step() else { return nil }
            arena.count = 0
            arena.append(statement.blob(0))
            return arena[0..<arena.count]
        }
    }

    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try connection.withStatement(key == nil ? .auxiliaryEntries : .auxiliaryEntriesAfter) { statement in
            statement.bind(copying: .text(Array(table.name.utf8)), at: 1)
            if let key { statement.bind(copying: .blob(key), at: 2) }
            while try statement.step() {
                guard try body(statement.blob(0), statement.blob(1)) else { return }
            }
        }
    }
}

// MARK: - Plans

extension SQLiteReader {
    func plan(_ query: StorageQuery) throws -> QueryPlan {
        guard let shape = try connection.shape(of: query.model) else {
            return QueryPlan(index: nil, summary: "no table yet", sorts: false)
        }
        let translated = try translated(query, shape)
        let sql = SQL.fetch(translated, shape, KeyOrder(for: translated, shape)).sql
        let steps = try connection.names(.explanation(of: sql), column: 3)
        let read = steps.compactMap { Self.indexName(in: $0) }
        let index = query.model.indexes.first { index in
            read.contains(query.model.indexName(index, on: shape.table))
        }
        let check = translated.isPaged ? [] : ["CHECK THE WHOLE PREDICATE ON EACH ROW"]
        return QueryPlan(
            index: index?.name, summary: (Self.condensed(steps) + check).joined(separator: "; "),
            sorts: steps.contains("USE TEMP B-TREE FOR ORDER BY"))
    }

    /// The translation of `query` for SQLite. The table with `shape` is examined in its present state.
    func translated(_ query: StorageQuery, _ shape: TableShape) throws -> TranslatedQuery {
        TranslatedQuery(query, idGroup: try idGroup(query, shape), takesZeroCharacters: true)
    }

    /// The group of all IDs in the query's table, if the plan depends on it.
    private func idGroup(_ query: StorageQuery, _ shape: TableShape) throws -> IDKeyGroup? {
        guard query.asksForIDOrder else { return nil }
        func key(isLast: Bool) throws -> [UInt8]? {
            try connection.withStatement(.outermostKey(of: shape.table, isLast: isLast)) { statement in
                try statement.step() ? Array(statement.blob(0)) : nil
            }
        }
        guard let first = try key(isLast: false), let last = try key(isLast: true) else { return nil }
        return first.withUnsafeBytes { first in
            last.withUnsafeBytes { last in IDKeyGroup(ofKeysFrom: first, to: last) }
        }
    }

    /// The steps for people: equal steps are counted, because SQLite lists one for each alternative of a condition.
    private static func condensed(_ steps: [String]) -> [String] {
        var counts: [String: Int] = [:]
        var distinct: [String] = []
        for step in steps where step.wholeMatch(of: /INDEX \d+/) == nil {
            if counts.updateValue(counts[step, default: 0] + 1, forKey: step) == nil { distinct.append(step) }
        }
        return distinct.map { step in counts[step].map { $0 > 1 ? "\($0) × \(step)" : step } ?? step }
    }

    /// The name of the index in a step such as `SEARCH City USING INDEX City.byPopulation (population>?)`.
    private static func indexName(in step: String) -> String? {
        for marker in [" USING INDEX ", " USING COVERING INDEX "] {
            guard let start = step.firstRange(of: marker)?.upperBound else { continue }
            return String(step[start...].prefix { $0 != " " })
        }
        return nil
    }
}

extension ModelLayout {
    /// The name of `index` in the file, on the model's table.
    func indexName(_ index: IndexLayout, on table: String) -> String {
        let numbers = Dictionary(uniqueKeysWithValues: indexes.map { ($0.name, $0.number) })
        return ObjectNames.index(index.name, index.number, on: table, among: numbers)
    }
}

extension StorageQuery {
    fileprivate func accepts(_ row: RowView) throws -> Bool {
        do {
            return try filter.evaluate(row)
        } catch {
            throw DataStoreError.damagedRows("A row does not decode.", error)
        }
    }
}
