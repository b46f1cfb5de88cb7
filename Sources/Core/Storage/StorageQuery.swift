/// A query as an adapter gets it: checked, compiled, with nothing left to refuse.
@_spi(Adapters) public struct StorageQuery: Sendable {
    /// The model asked.
    public let model: ModelLayout
    /// The predicate as a tree, for planning and translation.
    public let predicate: QueryPredicate
    /// The same predicate compiled: what decides whether a row belongs to the result.
    public let filter: RowPredicate
    /// The order, before the key: a field and whether it descends.
    public let sort: [(field: FieldLayout, isDescending: Bool)]
    /// How many rows to leave out at the start, and how many to return at most.
    public let page: Page
    /// For queries in key order: rows up to and including this key are left out.
    public let afterKey: [UInt8]?

    /// A query of `model`.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidPredicate` if the predicate or the sort does not fit the model.
    public init(
        model: ModelLayout, predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all,
        afterKey: [UInt8]? = nil
    ) throws {
        precondition(afterKey == nil || sort.keys.isEmpty, "only queries in key order go on after a key")
        let model = model.stored
        self.model = model
        self.predicate = predicate
        self.page = page
        self.afterKey = afterKey
        filter = try RowPredicate(predicate, for: model)
        self.sort = try sort.keys.map { key in
            guard let field = model.row.field(named: key.field) else {
                throw DataStoreError(
                    .invalidPredicate, "The model \(model.name) has no field \(key.field) to sort by.",
                    model: model.name,
                    recovery: "Fields: \(model.row.fields.map(\.name).joined(separator: ", ")).")
            }
            guard field.type.isOrdered else {
                throw DataStoreError(
                    .invalidPredicate, "\(model.name).\(key.field) has no order to sort by.", model: model.name,
                    recovery: "Sort by a field that is neither a list nor an embedded value.")
            }
            return (field, key.isDescending)
        }
    }
}

extension StorageQuery {
    /// Whether it matters for the plan in which group the table's IDs are: the query compares the first key field, which
    /// is an ID, or orders by it.
    public var asksForIDOrder: Bool {
        guard let field = model.keyFields.first, field.kind == .id else { return false }
        if sort.contains(where: { $0.field.slot == field.slot }) { return true }
        return predicate.comparesInOrder(field.name)
    }
}

/// How an adapter answers a query.
public struct QueryPlan: Sendable, Hashable {
    /// The name of the secondary index that is read, `nil` if the table is.
    public let index: String?
    /// What is done, for people: `index byPopulation, range population > 1000000, descending`.
    public let summary: String
    /// Whether rows must be collected and sorted before the first can be returned.
    public let sorts: Bool

    /// A plan that reads `index`, or the table.
    public init(index: String?, summary: String, sorts: Bool) {
        self.index = index
        self.summary = summary
        self.sorts = sorts
    }
}
