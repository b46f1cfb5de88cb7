@_spi(Adapters) package import TidelogCore
package import TidelogServer

/// Everything that servers keep in a database. One connection has it for itself, and no server may use it at the same time.
package struct DatabaseContent: ServedContent {
    package let identity: String
    private let connection: Connection
    private let tables: [String: RecordTable]

    init(_ identity: String, _ connection: Connection, _ schema: Schema) {
        (self.identity, self.connection) = (identity, connection)
        let layout = SchemaLayout(StoredSchema(first: schema))
        tables = Dictionary(uniqueKeysWithValues: layout.models.map { ($0.name, RecordTable($0)) })
    }

    private func run<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        try await connection.blocking(body)
    }

    private func table(_ model: String) -> RecordTable {
        guard let table = tables[model] else { preconditionFailure("the model is one of the schema's") }
        return table
    }

    // MARK: Reading

    package func count(_ model: String) async throws -> Int {
        let table = model == ServerModels.answer ? AnswerTable.name : table(model).name
        let count = try await run { try $0.run(SQLStatement("SELECT count(*) FROM \(table)")).int(0, 0) }
        return Int(count ?? 0)
    }

    package func page(_ model: String, after place: PagePlace?, limit: Int) async throws -> ServedPage {
        if model == ServerModels.answer {
            return try await run { try AnswerTable(tables).page($0, after: place, limit: limit) }
        }
        let (table, key) = (table(model), DatabaseNames.key)
        let statement = SQLStatement.prepared(
            table.selection + " WHERE \(key) > $1 ORDER BY \(key) LIMIT $2",
            [.bytes(place?.bytes ?? []), .int(Int64(limit))])
        return try await run { connection in
            let found = try connection.run(statement)
            let reader = RowReader(table)
            let records = try (0..<found.count).map { try reader.record(found, $0) }
            guard found.count == limit, let last = found.bytes(found.count - 1, 0) else {
                return ServedPage(records, next: nil)
            }
            return ServedPage(records, next: PagePlace(bytes: Array(last)))
        }
    }

    package func stored(_ model: String, as records: [Record]) async throws -> [Record?] {
        if model == ServerModels.answer { return try await run { try AnswerTable(tables).stored($0, as: records) } }
        let table = table(model)
        let keys = records.map { table.key(of: $0) }
        return try await run { connection in
            let found = try connection.run(
                .prepared(table.selection + " WHERE \(DatabaseNames.key) = ANY($1)", [ParameterArray(keys).parameter]))
            let reader = RowReader(table)
            var stored: [[UInt8]: Record] = [:]
            for row in 0..<found.count {
                guard let key = found.bytes(row, 0) else { continue }
                stored[Array(key)] = try reader.record(found, row)
            }
            return keys.map { stored[$0] }
        }
    }

    // MARK: Writing

    package func write(_ model: String, saved: [Record], replaced: [Record], removed: [Record]) async throws {
        if model == ServerModels.answer {
            return try await run { try AnswerTable(tables).write($0, saved) }
        }
        let table = table(model)
        for record in saved {
            do { try record.requireNoZeroCharacters() } catch let error as DataStoreError {
                throw table.naming(record, error)
            }
        }
        try await run { connection in
            let statements = try Self.statements(table, saved: saved, removed: replaced + removed)
            do {
                _ = try connection.transaction([.prepared("BEGIN")] + statements + [.prepared("COMMIT")])
            } catch let failure as PostgresFailure where failure.isOfValues {
                _ = try connection.run(.prepared("ROLLBACK"))
                throw try Self.refused(among: saved, table, connection) ?? failure.asDataStoreError
            }
        }
    }

    private static func statements(_ table: RecordTable, saved: [Record], removed: [Record]) throws -> [SQLStatement] {
        var statements: [SQLStatement] = []
        if !removed.isEmpty {
            let keys = ParameterArray(removed.map { table.key(of: $0) }).parameter
            statements.append(.prepared("DELETE FROM \(table.name) WHERE \(DatabaseNames.key) = ANY($1)", [keys]))
        }
        guard !saved.isEmpty else { return statements }
        var rows = RowArrays(of: table)
        for record in saved { try rows.append(record, key: table.key(of: record)) }
        let assignments = table.assignments(first: 1, prefix: "given.p")
        statements.append(
            .prepared(
                """
                INSERT INTO \(table.name)(\(([DatabaseNames.key] + assignments.map(\.name)).joined(separator: ", "))) \
                SELECT \((["given.k"] + assignments.map(\.value)).joined(separator: ", ")) \
                FROM \(rows.given(first: 1))
                """, rows.parameters))
        return statements
    }

    /// The error about the first record that the database refuses; `nil` if it refuses none of them alone.
    private static func refused(
        among records: [Record], _ table: RecordTable, _ connection: Connection
    ) throws -> DataStoreError? {
        for record in records {
            var refusal: DataStoreError?
            do {
                let statements = try statements(table, saved: [record], removed: [record])
                _ = try connection.transaction([.prepared("BEGIN")] + statements)
            } catch let failure as PostgresFailure where failure.isOfValues {
                refusal = table.naming(record, failure.asDataStoreError)
            }
            _ = try connection.run(.prepared("ROLLBACK"))
            if let refusal { return refusal }
        }
        return nil
    }

    package func finish(_ facts: ServedFacts) async throws {
        let fact = DatabaseSchema.own("fact")
        let sequence = DatabaseSchema.own("time")
        let secrets = facts.secrets.map { secret in
            SQLStatement(
                """
                INSERT INTO \(fact)(name, bytes) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes
                """, [.text(secret.fact), .bytes(secret.bytes)])
        }
        let time = SQLStatement(
            "SELECT setval('\(sequence)', greatest(last_value, $1)) FROM \(sequence)", [.int(facts.time)])
        let end = SQLStatement("DELETE FROM \(fact) WHERE name = $1", [.text(ServedFacts.copy)])
        try await run { connection in
            _ = try connection.transaction([SQLStatement("BEGIN")] + secrets + [time, end, SQLStatement("COMMIT")])
            // Copied tables have no statistics yet, and no automatic ones before a while.
            for table in tables.values { _ = try connection.run(SQLStatement("ANALYZE \(table.name)")) }
        }
    }
}

extension RecordTable {
    /// The encoded primary key of `record`.
    func key(of record: Record) -> [UInt8] { PagePlace(of: record, in: .byKey, model: model.schema).bytes }

    /// `error` with the id of `record` in its message.
    fileprivate func naming(_ record: Record, _ error: DataStoreError) -> DataStoreError {
        let id = RecordID(model.schema.primaryKey.compactMap { record[$0] })
        var named = DataStoreError(
            error.code, error.message, model: model.name, recordID: id,
            recovery: "Change the record \(id) at its server, and copy again.")
        named.field = error.field
        return named
    }
}

extension Connection {
    /// Runs `body` on a thread that may block.
    ///
    /// - Throws: ``DataStoreError`` for failures of the database; the other errors of `body`.
    func blocking<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        do { return try await Blocking.run { [self] in try body(self) } } catch let failure as PostgresFailure {
            throw failure.asDataStoreError
        }
    }
}
