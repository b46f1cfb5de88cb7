/// A condition on records. Comparisons of a field return such conditions.
///
/// Amplify's predicates do not know their model. A condition with a field that the model does not have is refused when it is
/// used, with the code `invalidPredicate`.
public protocol QueryPredicate: Sendable {
    /// The condition in the form that the store takes.
    var queryPredicate: TidelogCore.QueryPredicate { get }
}

extension ModelPredicate: QueryPredicate {}

/// Conditions that have the same result for each record.
public enum QueryPredicateConstant: QueryPredicate {
    /// Every record.
    case all

    /// The condition in the form that the store takes.
    public var queryPredicate: TidelogCore.QueryPredicate { .all }
}

/// Joined conditions.
public struct QueryPredicateGroup: QueryPredicate {
    /// The condition in the form that the store takes.
    public let queryPredicate: TidelogCore.QueryPredicate
}

extension QueryPredicate {
    /// A condition that holds if both conditions hold.
    public func and(_ other: any QueryPredicate) -> QueryPredicateGroup {
        QueryPredicateGroup(queryPredicate: queryPredicate && other.queryPredicate)
    }

    /// A condition that holds if at least one condition holds.
    public func or(_ other: any QueryPredicate) -> QueryPredicateGroup {
        QueryPredicateGroup(queryPredicate: queryPredicate || other.queryPredicate)
    }

    /// A condition that holds if both conditions hold.
    public static func && (left: Self, right: any QueryPredicate) -> QueryPredicateGroup { left.and(right) }

    /// A condition that holds if at least one condition holds.
    public static func || (left: Self, right: any QueryPredicate) -> QueryPredicateGroup { left.or(right) }

    /// A condition that holds if the predicate does not hold.
    public static prefix func ! (predicate: Self) -> QueryPredicateGroup { not(predicate) }
}

/// A condition that holds if the predicate does not hold.
public func not(_ predicate: some QueryPredicate) -> QueryPredicateGroup {
    QueryPredicateGroup(queryPredicate: !predicate.queryPredicate)
}

extension Optional where Wrapped == any QueryPredicate {
    /// The condition on records of a model. It is fulfilled by every record if there is no condition.
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
