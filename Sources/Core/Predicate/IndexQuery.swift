/// A query of one index, in the index's order: for example `Comment.byPost(postID: "1")`.
public struct IndexQuery<Target: Model>: Sendable, Hashable {
    /// The condition for the records.
    public let predicate: ModelPredicate<Target>
    /// The index's order, or the reverse order.
    public let sort: Sort

    /// A query of the records that match `predicate`, in the order of `sort`.
    public init(where predicate: ModelPredicate<Target>, sort: Sort = .byKey) {
        self.predicate = predicate
        self.sort = sort
    }

    /// The same records in the reverse order, except for the key, which always ascends.
    public var descending: IndexQuery {
        IndexQuery(
            where: predicate, sort: Sort(sort.keys.map { Sort.Key($0.field, isDescending: !$0.isDescending) }))
    }

    /// The records of this query that also match `predicate`.
    public func filtered(by predicate: ModelPredicate<Target>) -> IndexQuery {
        IndexQuery(where: self.predicate && predicate, sort: sort)
    }
}
