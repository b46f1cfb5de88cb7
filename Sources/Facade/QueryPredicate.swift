/// A condition on records: what comparisons of a field give.
///
/// Amplify's predicates do not know their model. A condition with a field that the model does not have is refused where it is
/// used, with the code `invalidPredicate`.
public protocol QueryPredicate: Sendable {
    /// The condition as the store takes it.
    var queryPredicate: TidelogCore.QueryPredicate { get }
}

extension ModelPredicate: QueryPredicate {}

/// Conditions that are the same for each record.
public enum QueryPredicateConstant: QueryPredicate {
    /// Every record.
    case all

    /// The condition as the store takes it.
    public var queryPredicate: TidelogCore.QueryPredicate { .all }
}

/// Conditions that were joined.
public struct QueryPredicateGroup: QueryPredicate {
    /// The condition as the store takes it.
    public let queryPredicate: TidelogCore.QueryPredicate
}

extension QueryPredicate {
    /// Both hold.
    public func and(_ other: any QueryPredicate) -> QueryPredicateGroup {
        QueryPredicateGroup(queryPredicate: queryPredicate && other.queryPredicate)
    }

    /// At least one holds.
    public func or(_ other: any QueryPredicate) -> QueryPredicateGroup {
        QueryPredicateGroup(queryPredicate: queryPredicate || other.queryPredicate)
    }

    /// Both hold.
    public static func && (left: Self, right: any QueryPredicate) -> QueryPredicateGroup { left.and(right) }

    /// At least one holds.
    public static func || (left: Self, right: any QueryPredicate) -> QueryPredicateGroup { left.or(right) }

    /// The predicate does not hold.
    public static prefix func ! (predicate: Self) -> QueryPredicateGroup { not(predicate) }
}

/// The predicate does not hold.
public func not(_ predicate: some QueryPredicate) -> QueryPredicateGroup {
    QueryPredicateGroup(queryPredicate: !predicate.queryPredicate)
}

extension Optional where Wrapped == any QueryPredicate {
    /// The condition on records of a model; every record if there is none.
    func on<Value: Model>(_: Value.Type) -> ModelPredicate<Value> { self?.on(Value.self) ?? .all }
}

extension QueryPredicate {
    /// The condition on records of a model.
    func on<Value: Model>(_: Value.Type) -> ModelPredicate<Value> { ModelPredicate(queryPredicate) }
}

extension TidelogCore.QueryPredicate: QueryPredicate {
    /// The condition itself.
    public var queryPredicate: Self { self }
}
