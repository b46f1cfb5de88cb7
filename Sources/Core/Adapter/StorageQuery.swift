/// A query in the form that an adapter gets: it is checked and compiled, so that the adapter need not refuse it.
@_spi(Adapters) public struct StorageQuery: Sendable {
    /// The model whose records are queried.
    public let model: ModelLayout
    /// The predicate as a tree, for planning and for translation to another language.
    public let predicate: QueryPredicate
    /// The compiled predicate. It decides whether a row belongs to the result.
    public let filter: RowPredicate
    /// The fields to sort by, each with its direction. Rows that are equal in these fields are sorted by key.
    public let sort: [(field: FieldLayout, isDescending: Bool)]
    /// How many rows are skipped at the start, and how many are returned at most.
    public let page: Page
    /// The key after which the result begins, for queries in key order. Rows up to and including this key are skipped.
    public let afterKey: [UInt8]?

    /// A query of `model`.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidPredicate` if the predicate or the sort does not fit the model.
    public init(
        model: ModelLayout, predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all,
        afterKey: [UInt8]? = nil
    ) throws {
        precondition(afterKey == nil || sort.keys.isEmpty, "only queries in key order continue after a key")
        let model = model.stored
        self.model = model
        self.predicate = predicate
        self.page = page
        self.afterKey = afterKey
        filter = try RowPredicate(predicate, for: model)
        self.sort = try sort.keys.map { key in
            guard let field = model.row.field(named: key.field) else {
                throw DataStoreError.unknownField(
                    key.field, of: model.name, among: model.row.fields.map(\.name), purpose: " to sort by")
            }
            guard field.type.isOrdered else {
                throw DataStoreError(
                    .invalidPredicate, "\(model.name).\(key.field) has no order to sort by.", model: model.name,
                    recovery: "Sort by a field that is neither a list nor an embedded value.")
            }
            return (field, key.isDescending)
        }
    }

    /// Whether the plan depends on the group of the IDs in the table. This is so if the query compares the first key
    /// field, which is an ID, or sorts by it.
    public var asksForIDOrder: Bool {
        guard let field = model.keyFields.first, field.kind == .id else { return false }
        if sort.contains(where: { $0.field.slot == field.slot }) { return true }
        return predicate.comparesInOrder(field.name)
    }
}

/// The plan by which an adapter answers a query.
public struct QueryPlan: Sendable, Hashable {
    /// The name of the secondary index that is read, `nil` if the table is read.
    public let index: String?
    /// A description for people, for example `index byPopulation, range population > 1000000, descending`.
    public let summary: String
    /// Whether rows must be collected and sorted before the first row can be returned.
    public let sorts: Bool

    /// A plan that reads `index`, or the table if it is `nil`.
    public init(index: String?, summary: String, sorts: Bool) {
        self.index = index
        self.summary = summary
        self.sorts = sorts
    }
}
