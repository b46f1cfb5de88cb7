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

extension PredicateField {
    /// Compares the field for equality with `value`. With `nil`, the condition holds if the field is missing.
    public func eq(_ value: Value?) -> ModelPredicate<Owner> { self == value }

    /// Compares the field for inequality with `value`. With `nil`, the condition holds if the field is not missing.
    public func ne(_ value: Value?) -> ModelPredicate<Owner> { self != value }

    /// The field is at most `value`.
    public func le(_ value: Value) -> ModelPredicate<Owner> { self <= value }

    /// The field is less than `value`.
    public func lt(_ value: Value) -> ModelPredicate<Owner> { self < value }

    /// The field is at least `value`.
    public func ge(_ value: Value) -> ModelPredicate<Owner> { self >= value }

    /// The field is greater than `value`.
    public func gt(_ value: Value) -> ModelPredicate<Owner> { self > value }

    /// The field is at least `start` and at most `end`.
    public func between(start: Value, end: Value) -> ModelPredicate<Owner> { between(start, end) }

    /// The field has a value if `exists` is true, and is missing otherwise.
    public func attributeExists(_ exists: Bool) -> ModelPredicate<Owner> { self.exists(exists) }
}

/// Comparisons with dates as texts: `Post.keys.createdAt.gt("2020-10-10")`. A date without a time means its midnight in UTC. A
/// text that is no date is refused when the predicate is used, with the code `invalidPredicate`.
extension PredicateField where Value: TemporalText & FieldConvertible {
    /// The field equals the instant that `text` names.
    public func eq(_ text: String) -> ModelPredicate<Owner> { compared(.equal(Value.fieldValue(of: text))) }

    /// The field does not equal the instant that `text` names.
    public func ne(_ text: String) -> ModelPredicate<Owner> { compared(.notEqual(Value.fieldValue(of: text))) }

    /// The field is at most the instant that `text` names.
    public func le(_ text: String) -> ModelPredicate<Owner> { compared(.lessOrEqual(Value.fieldValue(of: text))) }

    /// The field is before the instant that `text` names.
    public func lt(_ text: String) -> ModelPredicate<Owner> { compared(.less(Value.fieldValue(of: text))) }

    /// The field is at least the instant that `text` names.
    public func ge(_ text: String) -> ModelPredicate<Owner> { compared(.greaterOrEqual(Value.fieldValue(of: text))) }

    /// The field is after the instant that `text` names.
    public func gt(_ text: String) -> ModelPredicate<Owner> { compared(.greater(Value.fieldValue(of: text))) }

    /// The field is at least the instant that `start` names, and at most the instant that `end` names.
    public func between(start: String, end: String) -> ModelPredicate<Owner> {
        compared(.between(Value.fieldValue(of: start), Value.fieldValue(of: end)))
    }
}

extension TemporalText where Self: FieldConvertible {
    /// The value of the date in `text`. If the text is no date, the value is the text itself, which every comparison refuses.
    fileprivate static func fieldValue(of text: String) -> FieldValue {
        if let value = try? Self(text) { return value.fieldValue }
        return (try? Self("\(text)T00:00:00Z"))?.fieldValue ?? .string(text)
    }
}
