/// A condition on the fields of one model's records. Comparisons of a ``Field`` make it.
///
/// ```swift
/// let large = City.keys.population > 1_000_000 && City.keys.country.in(["JP", "IN"])
/// let cities = try await store.fetch(City.where(large))
/// ```
///
/// The compiler refuses a predicate of another model. Dynamic records and tools use ``QueryPredicate``, which this type
/// contains.
public struct ModelPredicate<Target: Model>: Sendable, Hashable {
    /// The condition without its model.
    public let queryPredicate: QueryPredicate

    /// The condition `predicate` on records of the model. The store checks its fields when it is used.
    public init(_ predicate: QueryPredicate) { queryPredicate = predicate }

    /// All records. As the condition of a write, it means no condition.
    public static var all: Self { Self(.all) }

    /// All of `members` hold. If `members` is empty, it matches all records.
    public static func and(_ members: [Self]) -> Self { Self(.and(members.map(\.queryPredicate))) }

    /// At least one of `members` holds. If `members` is empty, it matches no records.
    public static func or(_ members: [Self]) -> Self { Self(.or(members.map(\.queryPredicate))) }

    /// Both hold.
    public static func && (left: Self, right: Self) -> Self { Self(left.queryPredicate && right.queryPredicate) }

    /// At least one holds.
    public static func || (left: Self, right: Self) -> Self { Self(left.queryPredicate || right.queryPredicate) }

    /// The predicate does not hold.
    public static prefix func ! (predicate: Self) -> Self { Self(!predicate.queryPredicate) }
}
