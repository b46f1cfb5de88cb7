/// A query as callers ask it, in one consistent view of the rows: its predicate may follow relations, which adapters know
/// nothing of.
///
/// What the predicate asks of related records is resolved first. If few of them match, it becomes equalities on the
/// fields that hold their keys, and the adapter answers the query alone; else each row's related records are looked up.
struct RecordQuery {
    private let reader: RelatedReader
    /// The query without its page, if ``parts`` go on after a record; else what the adapter answers.
    private let query: StorageQuery
    /// What the adapter answers: one after the other, they give the result.
    private let parts: [StorageQuery]
    /// What the adapter cannot check, `nil` if it answers alone.
    private let filter: RelatedFilter?
    /// The page, if the adapter does not see to it.
    private let page: Page?

    /// - Throws: ``DataStoreError`` with code `invalidPredicate`; what reading throws.
    init(
        _ model: ModelLayout, where predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all,
        afterKey: [UInt8]? = nil, in reader: RelatedReader
    ) throws {
        self.reader = reader
        var predicate = predicate
        if predicate.followsRelations(of: model) {
            let resolved = try RelatedPredicate(predicate, of: model, in: reader)
            (predicate, filter) = (resolved.predicate, resolved.filter)
        } else {
            filter = nil
        }
        let isOwnPage = filter != nil || page.anchor != nil
        self.page = isOwnPage ? page : nil
        let query = try StorageQuery(
            model: model, predicate: predicate, sort: sort, page: isOwnPage ? .all : page, afterKey: afterKey)
        self.query = query
        guard let anchor = page.anchor else {
            parts = [query]
            return
        }
        let limit = filter == nil ? page.limit : nil
        let place = try anchor.place(in: query.order, reader.layout)
        parts = try QueryContinuation(of: query, after: place.values, place.key).parts.map { part in
            try StorageQuery(
                model: model, predicate: predicate && part.predicate, sort: part.sort, page: Page(limit: limit),
                afterKey: part.afterKey)
        }
    }

    var model: ModelLayout { query.model }

    /// Hands the rows of the result to `body`, in order, until it returns false.
    func fetch(_ body: (StoredRow) throws -> Bool) throws {
        guard let page else { return try reader.rows.fetch(query, body) }
        var left = page.offset
        var remaining = page.limit ?? .max
        for part in parts {
            guard remaining > 0 else { return }
            var goesOn = true
            try reader.rows.fetch(part) { row in
                guard try filter?.holds(for: row.row, in: reader) ?? true else { return true }
                guard left == 0 else {
                    left -= 1
                    return true
                }
                remaining -= 1
                goesOn = try body(row) && remaining > 0
                return goesOn
            }
            guard goesOn else { return }
        }
    }

    /// How many rows the result has.
    func count() throws -> Int {
        guard page != nil else { return try reader.rows.count(query) }
        var count = 0
        try fetch { _ in
            count += 1
            return true
        }
        return count
    }

    /// How the adapter answers its part.
    func plan() throws -> QueryPlan { try reader.rows.plan(parts.last ?? query) }

    /// Whether `row` belongs to the result, its page aside. The row must stay valid whatever the reader is asked: one of
    /// `fetch` or ``RelatedReader/withRow(under:in:_:)``, not of `get`.
    func holds(for row: StoredRow) throws -> Bool {
        try query.filter.evaluate(row.row) && filter?.holds(for: row.row, in: reader) ?? true
    }

    /// The place, in the query's order, after which a page begins that comes after `anchor`.
    func order(of anchor: PageAnchor) throws -> [UInt8] {
        let place = try anchor.place(in: query.order, reader.layout)
        return query.order(of: place.values, key: place.key)
    }

    /// The bytes that `row` is ordered by.
    func order(of row: RowView, key: [UInt8]) throws -> [UInt8] { try query.order(of: row, key: key) }
}

extension StorageQuery {
    /// The order of the result, but for its directions.
    fileprivate var order: PageAnchor.Order { (model, sort.map(\.field)) }
}
