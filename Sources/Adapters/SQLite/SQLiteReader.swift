@_spi(Adapters) internal import TidelogCore

/// Reads through one connection, inside an open transaction.
class SQLiteReader: AdapterReader {
    let connection: Connection
    /// The bytes that the last call returned.
    private let arena = ByteArena()

    init(connection: Connection) { self.connection = connection }

    func checkpoint() throws -> Checkpoint? {
        try connection.withStatement(.meta) { statement in
            statement.bind(copying: .text(MetaName.checkpoint), at: 1)
            guard try statement.step() else { return nil }
            guard let checkpoint = Checkpoint(encoded: statement.blob(0)) else {
                throw DataStoreError.damagedRows("The checkpoint does not decode.")
            }
            return checkpoint
        }
    }

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
        let translated = try self.translated(query, shape)
        if translated.isPaged { return try select(translated) { row in try body(row) } }
        var left = query.page.offset
        var remaining = query.page.limit ?? .max
        try select(translated) { row in
            guard try query.accepts(row.row) else { return true }
            guard left == 0 else {
                left -= 1
                return true
            }
            remaining -= 1
            return try body(row) && remaining > 0
        }
    }

    /// Passes the rows that SQLite selects to `body`, in order, until it returns false.
    private func select(_ query: TranslatedQuery, _ body: (StoredRow) throws -> Bool) throws {
        let (sql, values) = SQL.fetch(query)
        try connection.withStatement(sql) { statement in
            for (index, value) in values.enumerated() {
                statement.bind(copying: value, at: Int32(truncatingIfNeeded: index + 1))
            }
            try connection.withArena { arena in
                while try statement.step() {
                    arena.count = 0
                    let range = try statement.appendRow(of: query.shape, to: arena)
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
        let translated = try self.translated(query, shape)
        guard translated.isPaged else {
            var count = 0
            try fetch(query) { _ in
                count += 1
                return true
            }
            return count
        }
        let (sql, values) = SQL.count(translated)
        return try connection.withStatement(sql) { statement in
            for (index, value) in values.enumerated() {
                statement.bind(copying: value, at: Int32(truncatingIfNeeded: index + 1))
            }
            return try statement.step() ? Int(statement.int(0)) : 0
        }
    }

    func auxiliaryValue(
        _ key: UnsafeRawBufferPointer, in table: AuxiliaryTable
    ) throws -> UnsafeRawBufferPointer? {
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

/// The names in the adapter's own table of single values.
enum MetaName {
    static let checkpoint = Array("checkpoint".utf8)
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
