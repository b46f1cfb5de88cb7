/// A field that predicates compare: a field of the model itself (``Field``), or of a related record or embedded value
/// (``FieldPath``).
public protocol PredicateField<Owner, Value>: Sendable {
    /// The model whose records the predicate is about.
    associatedtype Owner: Model
    /// The type of the field's values.
    associatedtype Value: FieldConvertible

    /// The condition that `comparison` holds for the field.
    func compared(_ comparison: QueryPredicate.Comparison) -> ModelPredicate<Owner>
}

extension PredicateField {
    /// The field equals `value`.
    public static func == (field: Self, value: Value) -> ModelPredicate<Owner> {
        field.compared(.equal(value.fieldValue))
    }

    /// The field does not equal `value`. A missing value also does not equal it.
    public static func != (field: Self, value: Value) -> ModelPredicate<Owner> {
        field.compared(.notEqual(value.fieldValue))
    }

    /// If `value` is `nil`, the field is missing. Otherwise, it equals `value`.
    public static func == (field: Self, value: Value?) -> ModelPredicate<Owner> {
        field.compared(.equal(value?.fieldValue))
    }

    /// If `value` is `nil`, the field is not missing. Otherwise, it does not equal `value`.
    public static func != (field: Self, value: Value?) -> ModelPredicate<Owner> {
        field.compared(.notEqual(value?.fieldValue))
    }

    /// The field is less than `value`.
    public static func < (field: Self, value: Value) -> ModelPredicate<Owner> {
        field.compared(.less(value.fieldValue))
    }

    /// The field is at most `value`.
    public static func <= (field: Self, value: Value) -> ModelPredicate<Owner> {
        field.compared(.lessOrEqual(value.fieldValue))
    }

    /// The field is greater than `value`.
    public static func > (field: Self, value: Value) -> ModelPredicate<Owner> {
        field.compared(.greater(value.fieldValue))
    }

    /// The field is at least `value`.
    public static func >= (field: Self, value: Value) -> ModelPredicate<Owner> {
        field.compared(.greaterOrEqual(value.fieldValue))
    }

    /// The field is at least `lower` and at most `upper`.
    public func between(_ lower: Value, _ upper: Value) -> ModelPredicate<Owner> {
        compared(.between(lower.fieldValue, upper.fieldValue))
    }

    /// The field equals one of `values`. If `values` is empty, this never holds. A thousand values cost the same for a row as
    /// one.
    public func `in`(_ values: some Sequence<Value>) -> ModelPredicate<Owner> { .or(values.map { self == $0 }) }

    /// If `exists` is true, the field has a value. Otherwise, it is missing.
    public func exists(_ exists: Bool = true) -> ModelPredicate<Owner> {
        compared(exists ? .notEqual(nil) : .equal(nil))
    }
}

extension PredicateField where Value == String {
    /// The text equals `text` byte for byte, or in the way of ``QueryPredicate/TextComparison`` if `ignoringCase`.
    public func equals(_ text: String, ignoringCase: Bool = false) -> ModelPredicate<Owner> {
        compared(ignoringCase ? .ignoringCase(.equal, text) : .equal(.string(text)))
    }

    /// The text begins with `prefix` byte for byte, or in the way of ``QueryPredicate/TextComparison`` if `ignoringCase`.
    public func beginsWith(_ prefix: String, ignoringCase: Bool = false) -> ModelPredicate<Owner> {
        compared(ignoringCase ? .ignoringCase(.beginsWith, prefix) : .beginsWith(prefix))
    }

    /// The text ends with `suffix` byte for byte, or in the way of ``QueryPredicate/TextComparison`` if `ignoringCase`.
    public func endsWith(_ suffix: String, ignoringCase: Bool = false) -> ModelPredicate<Owner> {
        compared(ignoringCase ? .ignoringCase(.endsWith, suffix) : .endsWith(suffix))
    }

    /// The text contains `part` byte for byte, or in the way of ``QueryPredicate/TextComparison`` if `ignoringCase`.
    public func contains(_ part: String, ignoringCase: Bool = false) -> ModelPredicate<Owner> {
        compared(ignoringCase ? .ignoringCase(.contains, part) : .contains(.string(part)))
    }

    /// The text does not contain `part`. A missing text also does not contain it.
    public func notContains(_ part: String) -> ModelPredicate<Owner> { compared(.notContains(.string(part))) }
}

extension PredicateField {
    /// The list contains `element`.
    public func contains<Element: FieldConvertible>(_ element: Element) -> ModelPredicate<Owner>
    where Value == [Element] {
        compared(.contains(element.fieldValue))
    }

    /// The list does not contain `element`. A missing list also does not contain it.
    public func notContains<Element: FieldConvertible>(_ element: Element) -> ModelPredicate<Owner>
    where Value == [Element] {
        compared(.notContains(element.fieldValue))
    }
}
