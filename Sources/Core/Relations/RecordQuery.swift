/// A query as callers ask it, in one consistent view of the rows: its predicate may follow relations, which adapters know
/// nothing of.
///
/// What the predicate asks of related records is resolved first. Where few of them match, it becomes equalities on the
/// fields that hold their keys, and the adapter answers the query alone; else each row's related records are looked up.
struct RecordQuery {
    private let reader: RelatedReader
    private let query: StorageQuery
    /// What the adapter cannot check, `nil` where it answers alone.
    private let filter: RelatedFilter?
    /// The page, where the adapter does not see to it.
    private let page: Page

    /// - Throws: ``DataStoreError`` with code `invalidPredicate`; what reading throws.
    init(
        _ model: ModelLayout, where predicate: Predicate = .all, sort: Sort = .byKey, page: Page = .all,
        afterKey: [UInt8]? = nil, in reader: RelatedReader
    ) throws {
        self.reader = reader
        self.page = page
        guard predicate.followsRelations else {
            filter = nil
            query = try StorageQuery(model: model, predicate: predicate, sort: sort, page: page, afterKey: afterKey)
            return
        }
        let resolved = try RelatedPredicate(predicate, of: model, in: reader)
        filter = resolved.filter
        query = try StorageQuery(
            model: model, predicate: resolved.predicate, sort: sort, page: filter == nil ? page : .all,
            afterKey: afterKey)
    }

    var model: ModelLayout { query.model }

    /// Hands the rows of the result to `body`, in order, until it returns false.
    func fetch(_ body: (StoredRow) throws -> Bool) throws {
        guard let filter else { return try reader.rows.fetch(query, body) }
        guard page.limit != 0 else { return }
        var left = page.offset
        var remaining = page.limit ?? .max
        try reader.rows.fetch(query) { row in
            guard try filter.holds(for: row.row, in: reader) else { return true }
            guard left == 0 else {
                left -= 1
                return true
            }
            remaining -= 1
            return try body(row) && remaining > 0
        }
    }

    /// How many rows the result has.
    func count() throws -> Int {
        guard filter != nil else { return try reader.rows.count(query) }
        var count = 0
        try fetch { _ in
            count += 1
            return true
        }
        return count
    }

    /// How the adapter answers its part.
    func plan() throws -> QueryPlan { try reader.rows.plan(query) }

    /// Whether `row` belongs to the result, its page aside. The row must stay valid whatever the reader is asked: one of
    /// `fetch` or ``RelatedReader/withRow(under:in:_:)``, not of `get`.
    func holds(for row: StoredRow) throws -> Bool {
        try query.filter.evaluate(row.row) && filter?.holds(for: row.row, in: reader) ?? true
    }

    /// The bytes that `row` is ordered by.
    func order(of row: RowView, key: [UInt8]) throws -> [UInt8] { try query.order(of: row, key: key) }
}
