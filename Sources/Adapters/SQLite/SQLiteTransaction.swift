@_spi(Adapters) internal import TidelogCore
internal import TidelogSQLTranslation

/// The write transaction, on the connection that writes.
final class SQLiteTransaction: SQLiteReader, AdapterTransaction {
    /// Begins to write on `connection`. At the end, the connection is passed to `giveBack`.
    init(connection: Connection, giveBack: @escaping (Connection) -> Void) throws {
        try super.init(connection: connection, begin: .beginWriting, abandon: .rollback) { connection, _ in
            giveBack(connection)
        }
    }

    deinit { rollback() }

    func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) throws {
        guard !changes.isEmpty else { return }
        guard let shape = try connection.shape(of: model) else {
            throw DataStoreError.damagedRows("The model \(model.name) has no table.")
        }
        let instantByteCount = shape.instantCount * Statement.InstantBytes.count
        try withUnsafeTemporaryAllocation(byteCount: instantByteCount, alignment: 8) { instants in
            let writer = RowWriter(shape: shape, connection: connection, instants: instants)
            do {
                for change in changes { try writer.apply(change) }
            } catch let damage as RowDamage {
                throw DataStoreError.damagedRows("A row does not decode.", damage)
            }
        }
        try connection.reserveSpace()
    }

    func putAuxiliary(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable
    ) throws {
        try connection.withStatement(.putAuxiliary) { statement in
            statement.bind(copying: .text(Array(table.name.utf8)), at: 1)
            statement.bindBlob(key, at: 2)
            statement.bindBlob(value, at: 3)
            try statement.run()
        }
    }

    func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws {
        try connection.withStatement(.deleteAuxiliary) { statement in
            statement.bind(copying: .text(Array(table.name.utf8)), at: 1)
            statement.bindBlob(key, at: 2)
            try statement.run()
        }
    }

    func commit(checkpoint: Checkpoint) throws {
        precondition(!isEnded, "nothing is called on a transaction after its end")
        do {
            try connection.put(checkpoint)
            try connection.reserveSpace()
            try connection.execute(.commit)
        } catch {
            rollback()
            throw error
        }
        end(isUsable: true)
    }

    func rollback() {
        if !isEnded { connection.forgetSchema() }
        abandon()
    }
}

// MARK: - Preparing

extension SQLiteTransaction {
    /// Creates missing tables, columns and indexes.
    ///
    /// The columns of dropped fields are kept. Indexes that the schema no longer has are removed, because they only contain
    /// data of the rows. All auxiliary entries are in one table, which always exists.
    func prepare(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) throws {
        connection.forgetSchema()
        let tables = try connection.existingTables()
        for model in schema.models.sorted(by: { $0.number < $1.number }) {
            let table = ObjectNames.table(model.name, model.number, among: schema.schema.modelNumbers)
            let names = ObjectNames.columns(schema.schema.fieldNumbers[model.name] ?? [:])
            let wanted = model.row.fields.sorted { $0.slot < $1.slot }.flatMap { field in
                Self.definitions(of: field, named: names[field.name])
            }
            if tables.contains(table) {
                try addColumns(wanted, to: table, of: model)
            } else {
                try connection.execute(.createTable(table, wanted))
            }
        }
        connection.forgetSchema()
        for model in schema.models { try prepareIndexes(of: model) }
        try connection.refreshSchema()
    }

    private static func definitions(
        of field: FieldLayout, named names: ObjectNames.FieldNames?
    ) -> [SQL.ColumnDefinition] {
        guard let names else { preconditionFailure("every field has a number") }
        switch Column.storage(of: field) {
        case .text: return [.init(name: names.value, type: "TEXT")]
        case .int, .bool: return [.init(name: names.value, type: "INTEGER")]
        case .double: return [.init(name: names.value, type: "REAL")]
        case .blob, .packedTemporal: return [.init(name: names.value, type: "BLOB")]
        case .temporal:
            return [.init(name: names.value, type: "TEXT"), .init(name: names.instant, type: "BLOB")]
        }
    }

    private static let columnLimit = 2_000

    private func addColumns(_ wanted: [SQL.ColumnDefinition], to table: String, of model: ModelLayout) throws {
        let existing = try connection.withStatement(.columns(of: table)) { statement in
            var types: [String: String] = [:]
            while try statement.step() { types[statement.string(1)] = statement.string(2) }
            return types
        }
        let missing = wanted.filter { existing[$0.name] == nil }
        for column in wanted {
            guard let type = existing[column.name], type != column.type else { continue }
            throw DataStoreError(
                .invalidSchema, "\(model.name).\(column.name) is stored as \(type), not as \(column.type).",
                model: model.name, recovery: "Give the field a new name, or rebuild the rows from the log.")
        }
        if existing.count + missing.count > Self.columnLimit {
            // The table has no space for the new columns. The columns of dropped fields are removed. All other columns always
            // fit.
            let kept = wanted.filter { existing[$0.name] != nil }.map(\.name)
            for sql in SQL.recreateTable(table, wanted, keeping: kept) { try connection.execute(sql) }
            return
        }
        for column in missing { try connection.execute(.addColumn(column, to: table)) }
    }

    private func prepareIndexes(of model: ModelLayout) throws {
        guard let shape = try connection.shape(of: model) else { return }
        var existing = try connection.withStatement(.indexes, binding: [.text(Array(shape.table.utf8))]) { statement in
            var found: [String: String] = [:]
            while try statement.step() { found[statement.string(0)] = statement.string(1) }
            return found
        }
        var missing: [SQL] = []
        for index in model.indexes {
            let name = model.indexName(index, on: shape.table)
            let sql = SQL.createIndex(name, on: shape, index.fields)
            if existing[name] == sql.text {
                existing[name] = nil
            } else {
                missing.append(sql)
            }
        }
        for name in existing.keys.sorted() { try connection.execute(.dropIndex(name)) }
        for sql in missing { try connection.execute(sql) }
    }
}

/// Writes the rows of one table, one by one.
private struct RowWriter {
    let shape: TableShape
    let connection: Connection
    let instants: UnsafeMutableRawBufferPointer

    @inline(__always)
    func apply(_ change: RowChange) throws {
        guard let row = change.row else { return try delete(change.key) }
        guard change.existed else { return _ = try write(change, row, .put) }
        let isIndexUntouched = shape.places.allSatisfy { !$0.isIndexed || !change.changedFields.contains($0.slot) }
        let touched = try write(change, row, isIndexUntouched ? .updateUnindexed : .update)
        if touched == 0 { _ = try write(change, row, .put) }
    }

    private func delete(_ key: UnsafeRawBufferPointer) throws {
        let statement = try shape.statement(.delete, on: connection)
        statement.bindBlob(key, at: 1)
        try statement.run()
    }

    /// Writes one row. Returns the number of rows that were changed.
    private func write(_ change: RowChange, _ row: RowView, _ kind: TableShape.RowStatement) throws -> Int32 {
        let statement = try shape.statement(kind, on: connection)
        statement.bindBlob(change.key, at: 1)
        statement.bind(Int64(bitPattern: change.sequence.value), at: 2)
        if let base = instants.baseAddress ?? Self.noInstants {
            try statement.bind(row, of: shape, onlyUnindexed: kind == .updateUnindexed, instants: base)
        }
        try statement.run()
        return kind == .put ? 1 : statement.changedRowCount
    }

    private static var noInstants: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: 16) }
}
