/// What to read of one index, in its order: `Comment.byPost(postID: "1")`.
public struct IndexQuery<Target: Model>: Sendable, Hashable {
    /// Which records.
    public let predicate: ModelPredicate<Target>
    /// The index's order, or its reverse.
    public let sort: Sort

    /// A query of the records that `predicate` holds for, in the order of `sort`.
    public init(where predicate: ModelPredicate<Target>, sort: Sort = .byKey) {
        self.predicate = predicate
        self.sort = sort
    }

    /// The same records in the reverse order, except for the key, which always ascends.
    public var descending: IndexQuery {
        IndexQuery(
            where: predicate, sort: Sort(sort.keys.map { Sort.Key($0.field, isDescending: !$0.isDescending) }))
    }

    /// Those of the records that `predicate` holds for, too.
    public func filtered(by predicate: ModelPredicate<Target>) -> IndexQuery {
        IndexQuery(where: self.predicate && predicate, sort: sort)
    }
}
