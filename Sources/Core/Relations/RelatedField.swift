/// A field of a related record, in a predicate: `Comment.keys.post.title`.
///
/// Where there is no related record, its fields are missing. Where there are several, one that satisfies the comparison is
/// enough; `a != b` is exactly `!(a == b)`, so with several it asks that none is equal.
public struct RelatedField<Owner: Model, Value: FieldConvertible>: Sendable {
    private let relation: String
    private let field: String

    init(relation: String, field: String) {
        self.relation = relation
        self.field = field
    }

    private func compare(_ comparison: Predicate.Comparison) -> Predicate {
        .relatedField(relation, field, comparison)
    }

    /// The field equals `value`.
    public static func == (field: Self, value: Value) -> Predicate { field.compare(.equal(value.fieldValue)) }

    /// The field does not equal `value`; nor does a missing value.
    public static func != (field: Self, value: Value) -> Predicate { field.compare(.notEqual(value.fieldValue)) }

    /// The field is missing where `value` is `nil`, else equals it.
    public static func == (field: Self, value: Value?) -> Predicate { field.compare(.equal(value?.fieldValue)) }

    /// The field is not missing where `value` is `nil`, else does not equal it.
    public static func != (field: Self, value: Value?) -> Predicate { field.compare(.notEqual(value?.fieldValue)) }

    /// The field is less than `value`.
    public static func < (field: Self, value: Value) -> Predicate { field.compare(.less(value.fieldValue)) }

    /// The field is at most `value`.
    public static func <= (field: Self, value: Value) -> Predicate { field.compare(.lessOrEqual(value.fieldValue)) }

    /// The field is greater than `value`.
    public static func > (field: Self, value: Value) -> Predicate { field.compare(.greater(value.fieldValue)) }

    /// The field is at least `value`.
    public static func >= (field: Self, value: Value) -> Predicate { field.compare(.greaterOrEqual(value.fieldValue)) }

    /// The field is at least `lower` and at most `upper`.
    public func between(_ lower: Value, _ upper: Value) -> Predicate {
        compare(.between(lower.fieldValue, upper.fieldValue))
    }

    /// The field is missing where `exists` is false, else it has a value.
    public func exists(_ exists: Bool = true) -> Predicate { compare(exists ? .notEqual(nil) : .equal(nil)) }

    /// The list has `element` in it.
    public func contains<Element: FieldConvertible>(_ element: Element) -> Predicate where Value == [Element] {
        compare(.contains(element.fieldValue))
    }

    /// The list does not have `element` in it; nor does a missing list.
    public func notContains<Element: FieldConvertible>(_ element: Element) -> Predicate where Value == [Element] {
        compare(.notContains(element.fieldValue))
    }
}

extension RelatedField where Value == String {
    /// The text begins with `prefix`, byte for byte.
    public func beginsWith(_ prefix: String) -> Predicate { compare(.beginsWith(prefix)) }

    /// The text has `part` in it, byte for byte.
    public func contains(_ part: String) -> Predicate { compare(.contains(.string(part))) }

    /// The text does not have `part` in it; nor does a missing text.
    public func notContains(_ part: String) -> Predicate { compare(.notContains(.string(part))) }
}

extension Predicate {
    /// What a comparison of a related record's field means: those that hold of a missing value are the opposites of those
    /// that do not, so that they also hold where there is no related record.
    static func relatedField(_ relation: String, _ field: String, _ comparison: Comparison) -> Predicate {
        switch comparison {
        case .equal(nil): .not(.related(relation, .field(field, .notEqual(nil))))
        case .notEqual(let value?): .not(.related(relation, .field(field, .equal(value))))
        case .notContains(let value): .not(.related(relation, .field(field, .contains(value))))
        default: .related(relation, .field(field, comparison))
        }
    }
}
