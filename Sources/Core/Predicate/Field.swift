/// A field of a model that the compiler knows the type of: `Post.keys.rating`.
public struct Field<Target: Model, Value: FieldConvertible>: Sendable {
    /// The field's name in the schema.
    public let name: String

    /// The field called `name`.
    public init(_ name: String) { self.name = name }
}

/// A Swift type that fields of the schema have. Enums of the schema conform by their raw text.
public protocol FieldConvertible: Sendable {
    /// The value as dynamic records and predicates hold it.
    var fieldValue: FieldValue { get }

    /// The value that `fieldValue` holds, `nil` where it holds one of another type.
    init?(fieldValue: FieldValue)
}

extension String: FieldConvertible {
    /// The text.
    public var fieldValue: FieldValue { .string(self) }

    /// The value that `fieldValue` holds, if it is one of this type.
    public init?(fieldValue: FieldValue) {
        guard case .string(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Int: FieldConvertible {
    /// The whole number.
    public var fieldValue: FieldValue { .int(Int64(self)) }

    /// The value that `fieldValue` holds, if it is one of this type.
    public init?(fieldValue: FieldValue) {
        guard case .int(let value) = fieldValue else { return nil }
        self = Int(value)
    }
}

extension Double: FieldConvertible {
    /// The floating-point number.
    public var fieldValue: FieldValue { .double(self) }

    /// The value that `fieldValue` holds, if it is one of this type.
    public init?(fieldValue: FieldValue) {
        guard case .double(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Bool: FieldConvertible {
    /// The truth value.
    public var fieldValue: FieldValue { .bool(self) }

    /// The value that `fieldValue` holds, if it is one of this type.
    public init?(fieldValue: FieldValue) {
        guard case .bool(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Temporal.Date: FieldConvertible {
    /// The date.
    public var fieldValue: FieldValue { .date(self) }

    /// The value that `fieldValue` holds, if it is one of this type.
    public init?(fieldValue: FieldValue) {
        guard case .date(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Temporal.Time: FieldConvertible {
    /// The time of day.
    public var fieldValue: FieldValue { .time(self) }

    /// The value that `fieldValue` holds, if it is one of this type.
    public init?(fieldValue: FieldValue) {
        guard case .time(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Temporal.DateTime: FieldConvertible {
    /// The day and time.
    public var fieldValue: FieldValue { .dateTime(self) }

    /// The value that `fieldValue` holds, if it is one of this type.
    public init?(fieldValue: FieldValue) {
        guard case .dateTime(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Temporal.Timestamp: FieldConvertible {
    /// The seconds since 1970-01-01T00:00:00Z.
    public var fieldValue: FieldValue { .int(seconds) }

    /// The value that `fieldValue` holds, if it is one of this type.
    public init?(fieldValue: FieldValue) {
        guard case .int(let value) = fieldValue else { return nil }
        self = Temporal.Timestamp(seconds: value)
    }
}

extension FieldConvertible where Self: RawRepresentable, RawValue == String {
    /// The enum's raw text.
    public var fieldValue: FieldValue { .string(rawValue) }

    /// The case whose raw text `fieldValue` holds, if this build knows it.
    public init?(fieldValue: FieldValue) {
        guard case .string(let text) = fieldValue else { return nil }
        self.init(rawValue: text)
    }
}

extension Array: FieldConvertible where Element: FieldConvertible {
    /// The list of the elements' values.
    public var fieldValue: FieldValue { .list(map(\.fieldValue)) }

    /// The elements of the list that `fieldValue` holds, if all are there and of the element's type.
    public init?(fieldValue: FieldValue) {
        guard case .list(let values) = fieldValue else { return nil }
        let elements = values.compactMap { $0.flatMap { Element(fieldValue: $0) } }
        guard elements.count == values.count else { return nil }
        self = elements
    }
}

extension Field {
    /// The field equals `value`.
    public static func == (field: Field, value: Value) -> Predicate { .field(field.name, .equal(value.fieldValue)) }

    /// The field does not equal `value`; nor does a missing value.
    public static func != (field: Field, value: Value) -> Predicate { .field(field.name, .notEqual(value.fieldValue)) }

    /// The field is missing where `value` is `nil`, else equals it.
    public static func == (field: Field, value: Value?) -> Predicate { .field(field.name, .equal(value?.fieldValue)) }

    /// The field is not missing where `value` is `nil`, else does not equal it.
    public static func != (field: Field, value: Value?) -> Predicate {
        .field(field.name, .notEqual(value?.fieldValue))
    }

    /// The field is less than `value`.
    public static func < (field: Field, value: Value) -> Predicate { .field(field.name, .less(value.fieldValue)) }

    /// The field is at most `value`.
    public static func <= (field: Field, value: Value) -> Predicate {
        .field(field.name, .lessOrEqual(value.fieldValue))
    }

    /// The field is greater than `value`.
    public static func > (field: Field, value: Value) -> Predicate { .field(field.name, .greater(value.fieldValue)) }

    /// The field is at least `value`.
    public static func >= (field: Field, value: Value) -> Predicate {
        .field(field.name, .greaterOrEqual(value.fieldValue))
    }

    /// The field is at least `lower` and at most `upper`.
    public func between(_ lower: Value, _ upper: Value) -> Predicate {
        .field(name, .between(lower.fieldValue, upper.fieldValue))
    }

    /// The field is missing where `exists` is false, else it has a value.
    public func exists(_ exists: Bool = true) -> Predicate { .field(name, exists ? .notEqual(nil) : .equal(nil)) }
}

extension Field where Value == String {
    /// The text begins with `prefix`, byte for byte.
    public func beginsWith(_ prefix: String) -> Predicate { .field(name, .beginsWith(prefix)) }

    /// The text has `part` in it, byte for byte.
    public func contains(_ part: String) -> Predicate { .field(name, .contains(.string(part))) }

    /// The text does not have `part` in it; nor does a missing text.
    public func notContains(_ part: String) -> Predicate { .field(name, .notContains(.string(part))) }
}

extension Field {
    /// The list has `element` in it.
    public func contains<Element: FieldConvertible>(_ element: Element) -> Predicate where Value == [Element] {
        .field(name, .contains(element.fieldValue))
    }

    /// The list does not have `element` in it; nor does a missing list.
    public func notContains<Element: FieldConvertible>(_ element: Element) -> Predicate where Value == [Element] {
        .field(name, .notContains(element.fieldValue))
    }
}
