/// Related records as rows. The conformance kit uses this to query an adapter's readers like a store does.
extension RelatedReader {
    /// A reader of `rows`, which have the given `layout`.
    package init(_ rows: any AdapterReader, layout: SchemaLayout) {
        self.rows = rows
        self.layout = layout
        store = nil
    }

    /// Passes the rows of `model` that match `predicate` to `body`, in order, until it returns false.
    ///
    /// The predicate may follow relations.
    package func fetch(
        _ model: ModelLayout, where predicate: QueryPredicate, sort: Sort = .byKey, page: Page = .all,
        _ body: (StoredRow) throws -> Bool
    ) throws {
        try RecordQuery(model, where: predicate, sort: sort, page: page, in: self).fetch(body)
    }

    /// The number of rows that ``fetch(_:where:sort:page:_:)`` passes to its closure.
    package func count(_ model: ModelLayout, where predicate: QueryPredicate, page: Page = .all) throws -> Int {
        try RecordQuery(model, where: predicate, page: page, in: self).count()
    }

    /// Passes the related rows of a record to `body`, until it returns false.
    ///
    /// The record belongs to `model` and has `row`. The relation is called `name`.
    ///
    /// - Parameter sort: The order of the rows, or `nil` for the relation's own order.
    package func forEach(
        _ name: String, of row: RowView, in model: ModelLayout, where predicate: QueryPredicate = .all,
        sort: Sort? = nil,
        page: Page = .all, _ body: (StoredRow) throws -> Bool
    ) throws {
        let selection = RelatedSelection(predicate: predicate, sort: sort, page: page)
        try forEach(layout.relations.required(name, of: model), of: row, selection, body)
    }
}
