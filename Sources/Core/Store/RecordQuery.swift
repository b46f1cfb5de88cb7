/// A query as callers ask it, in one consistent view of the rows.
struct RecordQuery {
    private let reader: RelatedReader
    private let query: StorageQuery

    init(
        _ model: ModelLayout, where predicate: Predicate = .all, sort: Sort = .byKey, page: Page = .all,
        afterKey: [UInt8]? = nil, in reader: RelatedReader
    ) throws {
        self.reader = reader
        query = try StorageQuery(model: model, predicate: predicate, sort: sort, page: page, afterKey: afterKey)
    }

    var model: ModelLayout { query.model }

    func fetch(_ body: (StoredRow) throws -> Bool) throws { try reader.rows.fetch(query, body) }

    func count() throws -> Int { try reader.rows.count(query) }

    /// Whether `row` belongs to the result, its page aside.
    func holds(for row: StoredRow) throws -> Bool { try query.filter.evaluate(row.row) }

    /// The bytes that `row` is ordered by.
    func order(of row: RowView, key: [UInt8]) throws -> [UInt8] { try query.order(of: row, key: key) }
}
