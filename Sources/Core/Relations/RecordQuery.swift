/// A query in one consistent view of the rows. Its predicate may follow relations, which adapters do not support.
///
/// Conditions on related records are resolved first. If few related records match, the condition becomes equalities on the
/// fields that hold their keys, and the adapter can answer the whole query. Otherwise, the related records of each row are
/// looked up.
package struct RecordQuery {
    private let reader: RelatedReader
    /// The query without its page if the page needs several ``parts``. Otherwise, the query for the adapter.
    private let query: StorageQuery
    /// The queries for the adapter. Their results, one after the other, are the whole result.
    private let parts: [StorageQuery]
    /// The condition that the adapter cannot check, or `nil` if the adapter can check everything.
    private let filter: RelatedPredicate.Filter?
    /// The page, if this type applies it rather than the adapter.
    private let page: Page?

    /// - Throws: ``DataStoreError`` with code `invalidPredicate`, and any error of reading.
    init(
        _ model: ModelLayout, where predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all,
        afterKey: [UInt8]? = nil, in reader: RelatedReader
    ) throws {
        self.reader = reader
        var predicate = predicate
        if predicate.followsRelations(of: model) {
            let resolved = try RelatedPredicate(predicate, of: model, in: reader)
            predicate = resolved.predicate
            filter = resolved.filter
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

    /// The public `query` of `model`. Its inclusions are not loaded.
    package init<Target>(_ query: Query<Target>, _ model: ModelLayout, in reader: RelatedReader) throws {
        let query = try query.resolved(in: reader)
        try self.init(model, where: query.predicate, sort: query.sort, page: query.page, in: reader)
    }

    /// Passes the rows of the result to `body`, in order, until it returns false.
    package func fetch(_ body: (StoredRow) throws -> Bool) throws {
        guard let page else { return try reader.rows.fetch(query, body) }
        var window = PageWindow(page)
        for part in parts {
            guard window.hasRoom else { return }
            var goesOn = true
            try reader.rows.fetch(part) { row in
                guard try filter?.holds(for: row.row, in: reader) ?? true else { return true }
                guard window.admitsNext() else { return true }
                goesOn = try body(row) && window.hasRoom
                return goesOn
            }
            guard goesOn else { return }
        }
    }

    /// The number of rows of the result.
    func count() throws -> Int {
        guard page != nil else { return try reader.rows.count(query) }
        var count = 0
        try fetch { _ in
            count += 1
            return true
        }
        return count
    }

    /// The adapter's plan for its part of the query.
    package func plan() throws -> QueryPlan { try reader.rows.plan(parts.last ?? query) }
}

extension Query {
    /// The same query with a condition in place of its origin.
    func resolved(in reader: RelatedReader) throws -> Query {
        guard let origin else { return self }
        let (predicate, sort) = try reader.records(of: origin.owner.value, origin.relation)
        var query = self
        query.origin = nil
        query.predicate = self.predicate == .all ? predicate : predicate && self.predicate
        if self.sort.keys.isEmpty { query.sort = sort }
        return query
    }
}

extension StorageQuery {
    /// The fields by which the result is sorted, without their directions.
    fileprivate var order: Page.Anchor.Order { (model, sort.map(\.field)) }
}
