@_spi(Adapters) internal import Tidelog
internal import TidelogPostgres

/// The records that a server has stored under an earlier schema: in a store or in a database.
protocol RecordSource {
    /// The number of records of `query`.
    func count(_ query: Query<Record>) throws -> Int

    /// Passes the records of `query` to `body`.
    func forEach(_ query: Query<Record>, _ body: (Record) throws -> Void) throws
}

extension StoreSnapshot: RecordSource {
    func forEach(_ query: Query<Record>, _ body: (Record) throws -> Void) throws {
        try forEachRow(query) { row, layout in
            try body(Record(row.row, layout: layout))
            return true
        }
    }
}

/// The records of a database, with their schema.
struct DatabaseRecordSource: RecordSource {
    let records: DatabaseRecords
    let schema: Schema

    func count(_ query: Query<Record>) throws -> Int { try records.count(query, of: schema) }

    func forEach(_ query: Query<Record>, _ body: (Record) throws -> Void) throws {
        try records.forEach(query, of: schema, body)
    }
}
