/// A condition on the field after the first field of an index: for example in `Comment.byPost(postID: "1", createdAt:
/// .greater(yesterday))`.
public struct KeyCondition<Value: FieldConvertible>: Sendable, Hashable {
    /// The comparison.
    public let comparison: QueryPredicate.Comparison

    private init(_ comparison: QueryPredicate.Comparison) { self.comparison = comparison }

    /// Equal to `value`.
    public static func equal(_ value: Value) -> Self { Self(.equal(value.fieldValue)) }

    /// Less than `value`.
    public static func less(_ value: Value) -> Self { Self(.less(value.fieldValue)) }

    /// At most `value`.
    public static func lessOrEqual(_ value: Value) -> Self { Self(.lessOrEqual(value.fieldValue)) }

    /// Greater than `value`.
    public static func greater(_ value: Value) -> Self { Self(.greater(value.fieldValue)) }

    /// At least `value`.
    public static func greaterOrEqual(_ value: Value) -> Self { Self(.greaterOrEqual(value.fieldValue)) }

    /// At least `lower` and at most `upper`.
    public static func between(_ lower: Value, _ upper: Value) -> Self {
        Self(.between(lower.fieldValue, upper.fieldValue))
    }

    /// The condition on `field`.
    public func predicate<Target>(on field: Field<Target, Value>) -> ModelPredicate<Target> {
        field.compared(comparison)
    }
}

extension KeyCondition where Value == String {
    /// Text that begins with `prefix`, byte for byte.
    public static func beginsWith(_ prefix: String) -> Self { Self(.beginsWith(prefix)) }
}
