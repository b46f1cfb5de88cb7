/// Related records as rows: what the conformance kit asks of an adapter's readers, the way a store does.
extension RelatedReader {
    /// A reader of `rows`, which `layout` describes.
    package init(_ rows: any AdapterReader, layout: SchemaLayout) {
        self.rows = rows
        self.layout = layout
        store = nil
    }

    /// Hands the rows of `model` that `predicate` holds for to `body`, in order, until it returns false. The predicate may
    /// follow relations.
    package func fetch(
        _ model: ModelLayout, where predicate: QueryPredicate, sort: Sort = .byKey, page: Page = .all,
        _ body: (StoredRow) throws -> Bool
    ) throws {
        try RecordQuery(model, where: predicate, sort: sort, page: page, in: self).fetch(body)
    }

    /// How many rows ``fetch(_:where:sort:page:_:)`` hands out.
    package func count(_ model: ModelLayout, where predicate: QueryPredicate, page: Page = .all) throws -> Int {
        try RecordQuery(model, where: predicate, page: page, in: self).count()
    }

    /// Hands the rows that the relation called `name` leads to from the record of `model` with `row` to `body`, until it
    /// returns false.
    ///
    /// - Parameter sort: Their order; `nil` for the relation's own.
    package func forEach(
        _ name: String, of row: RowView, in model: ModelLayout, where predicate: QueryPredicate = .all,
        sort: Sort? = nil,
        page: Page = .all, _ body: (StoredRow) throws -> Bool
    ) throws {
        let selection = RelatedSelection(predicate: predicate, sort: sort, page: page)
        try forEach(layout.relations.required(name, of: model), of: row, selection, body)
    }
}
