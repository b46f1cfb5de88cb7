@_spi(Adapters) package import TidelogCore

/// The records of a database under the schema with which it was last served, while its tables are about to change.
package struct DatabaseRecords {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// The number of records of `query`. `schema` is the schema of the records.
    package func count(_ query: Query<Record>, of schema: Schema) throws -> Int {
        try reading(query, of: schema) { model, related in try related.count(model, where: query.predicate) }
    }

    /// Passes the records of `query` to `body`. `schema` is the schema of the records.
    package func forEach(
        _ query: Query<Record>, of schema: Schema, _ body: (Record) throws -> Void
    ) throws {
        try reading(query, of: schema) { model, related in
            try related.fetch(model, where: query.predicate) { row in
                try body(Record(row.row, layout: model))
                return true
            }
        }
    }

    private func reading<Value>(
        _ query: Query<Record>, of schema: Schema, _ body: (ModelLayout, RelatedReader) throws -> Value
    ) throws -> Value {
        let layout = SchemaLayout(StoredSchema(first: schema))
        guard let model = layout.model(named: query.model) else {
            throw DataStoreError(
                .unknownModel, "The database has no model \(query.model).", model: query.model,
                recovery: "Use a model of its schema.")
        }
        let tables = layout.models.map { ($0.name, RecordTable($0)) }
        let reader = DatabaseReader(inTransactionOf: connection, Dictionary(uniqueKeysWithValues: tables))
        return try body(model, RelatedReader(reader, layout: layout))
    }
}
