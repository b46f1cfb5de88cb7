/// A Swift type that a field of the schema can have. A type with raw values conforms automatically if its raw values do.
///
/// An app's own types conform to ``FieldRepresentable`` instead.
public protocol FieldConvertible: Sendable {
    /// The value in the form that dynamic records and predicates use.
    var fieldValue: FieldValue { get }

    /// The value in `fieldValue`, `nil` if it has another type.
    init?(fieldValue: FieldValue)
}

extension String: FieldConvertible {
    /// The text.
    public var fieldValue: FieldValue { .string(self) }

    /// The value in `fieldValue`, `nil` if it has another type.
    public init?(fieldValue: FieldValue) {
        guard case .string(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Int: FieldConvertible {
    /// The whole number.
    public var fieldValue: FieldValue { .int(Int64(self)) }

    /// The value in `fieldValue`, `nil` if it has another type.
    public init?(fieldValue: FieldValue) {
        guard case .int(let value) = fieldValue else { return nil }
        self = Int(value)
    }
}

extension Double: FieldConvertible {
    /// The floating-point number.
    public var fieldValue: FieldValue { .double(self) }

    /// The value in `fieldValue`, `nil` if it has another type.
    public init?(fieldValue: FieldValue) {
        guard case .double(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Bool: FieldConvertible {
    /// The truth value.
    public var fieldValue: FieldValue { .bool(self) }

    /// The value in `fieldValue`, `nil` if it has another type.
    public init?(fieldValue: FieldValue) {
        guard case .bool(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Temporal.Date: FieldConvertible {
    /// The date.
    public var fieldValue: FieldValue { .date(self) }

    /// The value in `fieldValue`, `nil` if it has another type.
    public init?(fieldValue: FieldValue) {
        guard case .date(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Temporal.Time: FieldConvertible {
    /// The time of day.
    public var fieldValue: FieldValue { .time(self) }

    /// The value in `fieldValue`, `nil` if it has another type.
    public init?(fieldValue: FieldValue) {
        guard case .time(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Temporal.DateTime: FieldConvertible {
    /// The day and time.
    public var fieldValue: FieldValue { .dateTime(self) }

    /// The value in `fieldValue`, `nil` if it has another type.
    public init?(fieldValue: FieldValue) {
        guard case .dateTime(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Temporal.Timestamp: FieldConvertible {
    /// The seconds since 1970-01-01T00:00:00Z.
    public var fieldValue: FieldValue { .int(seconds) }

    /// The value in `fieldValue`, `nil` if it has another type.
    public init?(fieldValue: FieldValue) {
        guard case .int(let value) = fieldValue else { return nil }
        self = Temporal.Timestamp(seconds: value)
    }
}

extension FieldConvertible where Self: RawRepresentable, RawValue: FieldConvertible {
    /// The raw value.
    public var fieldValue: FieldValue { rawValue.fieldValue }

    /// The value with the raw value in `fieldValue`, `nil` if this build does not know it.
    public init?(fieldValue: FieldValue) {
        guard let value = RawValue(fieldValue: fieldValue) else { return nil }
        self.init(rawValue: value)
    }
}

extension Array: FieldConvertible where Element: FieldConvertible {
    /// The list of the elements' values.
    public var fieldValue: FieldValue { .list(map(\.fieldValue)) }

    /// The elements of the list in `fieldValue`. The result is `nil` if an element is missing or has another type.
    public init?(fieldValue: FieldValue) {
        guard case .list(let values) = fieldValue else { return nil }
        let elements = values.compactMap { $0.flatMap { Element(fieldValue: $0) } }
        guard elements.count == values.count else { return nil }
        self = elements
    }
}
