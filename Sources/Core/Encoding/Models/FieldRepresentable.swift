/// A Swift type for fields of handwritten models that is stored as another type.
///
/// `Date` is stored as an `AWSDateTime`, `UUID` as text, and `Data` as text in Base64. Your own type declares its stored type:
///
/// ```swift
/// struct Money: FieldRepresentable {
///     var cents: Int
///
///     var storedValue: Int { cents }
///     init?(storedValue: Int) { cents = storedValue }
/// }
/// ```
///
/// The schema declares its fields with the stored type (`FieldSchema("price", .int)`). `row.encode(price)` writes them,
/// `row.decode(Money.self)` reads them, and `Field<Item, Money>("price")` compares them. A type with a raw value of a stored
/// type needs no conformance to be written and read. To be compared, it needs an empty conformance to ``FieldConvertible``.
public protocol FieldRepresentable: FieldConvertible {
    /// The type as which values are stored: `String`, `Int`, `Double`, `Bool` or a `Temporal` type.
    associatedtype StoredValue: StoredFieldValue

    /// The value in its stored type.
    var storedValue: StoredValue { get }

    /// The value that is stored as `storedValue`, or `nil` if there is none.
    init?(storedValue: StoredValue)
}

extension FieldRepresentable {
    /// The stored value in the form that dynamic records and predicates use.
    public var fieldValue: FieldValue { storedValue.fieldValue }

    /// The value whose stored value is `fieldValue`, or `nil` if there is none.
    public init?(fieldValue: FieldValue) {
        guard let value = StoredValue(fieldValue: fieldValue) else { return nil }
        self.init(storedValue: value)
    }
}

/// A type that rows store without conversion: `String`, `Int`, `Double`, `Bool`, and the `Temporal` types.
///
/// Your own types conform to ``FieldRepresentable`` instead.
public protocol StoredFieldValue: FieldConvertible {
    /// Writes the value as the next field.
    func encode(into row: inout RowEncoder)

    /// Writes the value as the next element.
    func append(to list: inout ListEncoder)

    /// Reads the next field, or `nil` if it is missing.
    static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self?

    /// Reads the next element, or `nil` if it is missing.
    static func next(from list: inout ListDecoder) throws(RowDamage) -> Self?
}

extension String: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, or `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, or `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}

extension Int: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, or `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, or `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}

extension Double: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, or `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, or `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}

extension Bool: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, or `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, or `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}

extension Temporal.Date: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, or `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, or `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}

extension Temporal.Time: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, or `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, or `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}

extension Temporal.DateTime: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, or `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, or `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}

extension Temporal.Timestamp: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, or `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, or `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}
