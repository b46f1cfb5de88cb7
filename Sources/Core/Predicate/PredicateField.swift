/// A field that predicates compare: one of the model itself (``Field``), or one of a related record or of an embedded
/// value (``FieldPath``).
public protocol PredicateField<Owner, Value>: Sendable {
    /// The model whose records the predicate is about.
    associatedtype Owner: Model
    /// The type of the field's values.
    associatedtype Value: FieldConvertible

    /// The field compares so.
    func compared(_ comparison: QueryPredicate.Comparison) -> ModelPredicate<Owner>
}

extension PredicateField {
    /// The field equals `value`.
    public static func == (field: Self, value: Value) -> ModelPredicate<Owner> {
        field.compared(.equal(value.fieldValue))
    }

    /// The field does not equal `value`; nor does a missing value.
    public static func != (field: Self, value: Value) -> ModelPredicate<Owner> {
        field.compared(.notEqual(value.fieldValue))
    }

    /// The field is missing if `value` is `nil`, else equals it.
    public static func == (field: Self, value: Value?) -> ModelPredicate<Owner> {
        field.compared(.equal(value?.fieldValue))
    }

    /// The field is not missing if `value` is `nil`, else does not equal it.
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

    /// The field equals one of `values`; never if there are none. A thousand values cost a row no more than one does.
    public func `in`(_ values: some Sequence<Value>) -> ModelPredicate<Owner> { .or(values.map { self == $0 }) }

    /// The field is missing if `exists` is false, else it has a value.
    public func exists(_ exists: Bool = true) -> ModelPredicate<Owner> {
        compared(exists ? .notEqual(nil) : .equal(nil))
    }
}

extension PredicateField where Value == String {
    /// The text is `text`: byte for byte, or ``TextComparison``'s way if `ignoringCase`.
    public func equals(_ text: String, ignoringCase: Bool = false) -> ModelPredicate<Owner> {
        compared(ignoringCase ? .ignoringCase(.equal, text) : .equal(.string(text)))
    }

    /// The text begins with `prefix`: byte for byte, or ``TextComparison``'s way if `ignoringCase`.
    public func beginsWith(_ prefix: String, ignoringCase: Bool = false) -> ModelPredicate<Owner> {
        compared(ignoringCase ? .ignoringCase(.beginsWith, prefix) : .beginsWith(prefix))
    }

    /// The text ends with `suffix`: byte for byte, or ``TextComparison``'s way if `ignoringCase`.
    public func endsWith(_ suffix: String, ignoringCase: Bool = false) -> ModelPredicate<Owner> {
        compared(ignoringCase ? .ignoringCase(.endsWith, suffix) : .endsWith(suffix))
    }

    /// The text has `part` in it: byte for byte, or ``TextComparison``'s way if `ignoringCase`.
    public func contains(_ part: String, ignoringCase: Bool = false) -> ModelPredicate<Owner> {
        compared(ignoringCase ? .ignoringCase(.contains, part) : .contains(.string(part)))
    }

    /// The text does not have `part` in it; nor does a missing text.
    public func notContains(_ part: String) -> ModelPredicate<Owner> { compared(.notContains(.string(part))) }
}

extension PredicateField {
    /// The list has `element` in it.
    public func contains<Element: FieldConvertible>(_ element: Element) -> ModelPredicate<Owner>
    where Value == [Element] {
        compared(.contains(element.fieldValue))
    }

    /// The list does not have `element` in it; nor does a missing list.
    public func notContains<Element: FieldConvertible>(_ element: Element) -> ModelPredicate<Owner>
    where Value == [Element] {
        compared(.notContains(element.fieldValue))
    }
}
