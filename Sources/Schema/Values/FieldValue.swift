/// One value of one field. It can have any type that a schema can name.
///
/// A missing value is no `FieldValue` (`nil`). Values of typed models are written to the log without this type. It is
/// for dynamic ``Record``s, predicates and tools.
///
/// Two values are equal if the store treats them as equal: texts by their UTF-8 bytes, temporal values by their instant.
public enum FieldValue: Sendable {
    /// The value of an `ID`, `String` or enum field.
    case string(String)
    /// The value of an `Int` or `AWSTimestamp` field.
    case int(Int64)
    /// The value of a `Float` field. The number is finite.
    case double(Double)
    /// The value of a `Boolean` field.
    case bool(Bool)
    /// The value of an `AWSDate` field.
    case date(Temporal.Date)
    /// The value of an `AWSTime` field.
    case time(Temporal.Time)
    /// The value of an `AWSDateTime` field.
    case dateTime(Temporal.DateTime)
    /// The value of a field with an embedded type: its fields by name, without missing ones.
    case embedded([String: FieldValue])
    /// The value of a list field. An element may be missing if the schema allows it.
    case list([FieldValue?])
}

extension FieldValue {
    /// The elements of a list, `nil` if the value is no list.
    public var elements: [FieldValue?]? {
        guard case .list(let elements) = self else { return nil }
        return elements
    }
}

extension FieldValue: Hashable {
    /// Whether two values are equal for a predicate.
    public static func == (left: FieldValue, right: FieldValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.int(let left), .double(let right)): right == left.exactly
        case (.double(let left), .int(let right)): left == right.exactly
        case (.bool(let left), .bool(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.time(let left), .time(let right)): left == right
        case (.dateTime(let left), .dateTime(let right)): left == right
        case (.embedded(let left), .embedded(let right)): left == right
        case (.list(let left), .list(let right)): left == right
        default: false
        }
    }

    /// Feeds the parts of the value that equality compares into `hasher`.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .string(let value): value.utf8.forEach { hasher.combine($0) }
        case .int(let value): hasher.combine(Double(value))
        case .double(let value): hasher.combine(value)
        case .bool(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .time(let value): hasher.combine(value)
        case .dateTime(let value): hasher.combine(value)
        case .embedded(let value): hasher.combine(value)
        case .list(let value): hasher.combine(value)
        }
    }
}

extension Int64 {
    /// The same number as a `Double`, or `nil` if no `Double` equals it.
    fileprivate var exactly: Double? { Double(exactly: self) }
}

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// A floating-point number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

/// The order of numbers of different types.
package enum NumberComparison {
    /// The exact order of an integer and a finite floating-point number. The result is less than 0 if `int` is less.
    @inlinable
    package static func order(_ int: Int64, _ double: Double) -> Int32 {
        if double >= 0x1p63 { return -1 }
        if double < -0x1p63 { return 1 }
        let floor = double.rounded(.down)
        let whole = Int64(floor)
        if int != whole { return int < whole ? -1 : 1 }
        return floor == double ? 0 : -1
    }
}
