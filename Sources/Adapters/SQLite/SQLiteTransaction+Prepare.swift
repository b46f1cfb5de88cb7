@_spi(Adapters) internal import TidelogCore

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

    private static func definitions(of field: FieldLayout, named names: ObjectNames.FieldNames?) -> [ColumnDefinition] {
        guard let names else { preconditionFailure("every field has a number") }
        switch Column.storage(of: field) {
        case .text: return [ColumnDefinition(name: names.value, type: "TEXT")]
        case .int, .bool: return [ColumnDefinition(name: names.value, type: "INTEGER")]
        case .double: return [ColumnDefinition(name: names.value, type: "REAL")]
        case .blob, .packedTemporal: return [ColumnDefinition(name: names.value, type: "BLOB")]
        case .temporal:
            return [
                ColumnDefinition(name: names.value, type: "TEXT"), ColumnDefinition(name: names.instant, type: "BLOB"),
            ]
        }
    }

    private static let columnLimit = 2_000

    private func addColumns(_ wanted: [ColumnDefinition], to table: String, of model: ModelLayout) throws {
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
        var existing = try connection.withStatement(.indexes) { statement in
            statement.bind(copying: .text(Array(shape.table.utf8)), at: 1)
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
