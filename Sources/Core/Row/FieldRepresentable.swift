/// A Swift type that fields of handwritten models have, and that is stored as another.
///
/// `Date` is stored as an `AWSDateTime`, `UUID` as text, `Data` as text in Base64. A type of your own says what it is
/// stored as:
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
/// Its fields have the stored type in the schema (`FieldSchema("price", .int)`), `row.encode(price)` writes and
/// `row.decode(Money.self)` reads them, and `Field<Item, Money>("price")` compares them. Types with a raw value of a stored
/// type need no conformance to be written and read, and an empty one to ``FieldConvertible`` to be compared.
public protocol FieldRepresentable: FieldConvertible {
    /// What values are stored as: `String`, `Int`, `Double`, `Bool` or a `Temporal` type.
    associatedtype StoredValue: StoredFieldValue

    /// The value as it is stored.
    var storedValue: StoredValue { get }

    /// The value that is stored as `storedValue`; `nil` if none is.
    init?(storedValue: StoredValue)
}

extension FieldRepresentable {
    /// The stored value as dynamic records and predicates hold it.
    public var fieldValue: FieldValue { storedValue.fieldValue }

    /// The value whose stored value `fieldValue` holds, if there is one.
    public init?(fieldValue: FieldValue) {
        guard let value = StoredValue(fieldValue: fieldValue) else { return nil }
        self.init(storedValue: value)
    }
}

/// A type that rows store as it is: `String`, `Int`, `Double`, `Bool`, and the `Temporal` types. Not for types of your own.
public protocol StoredFieldValue: FieldConvertible {
    /// Writes the value as the next field.
    func encode(into row: inout RowEncoder)

    /// Writes the value as the next element.
    func append(to list: inout ListEncoder)

    /// Reads the next field, `nil` if it is missing.
    static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self?

    /// Reads the next element, `nil` if it is missing.
    static func next(from list: inout ListDecoder) throws(RowDamage) -> Self?
}

extension String: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}

extension Int: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}

extension Double: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}

extension Bool: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}

extension Temporal.Date: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}

extension Temporal.Time: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}

extension Temporal.DateTime: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}

extension Temporal.Timestamp: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// Reads the next field, `nil` if it is missing.
    public static func decodeIfPresent(from row: inout RowDecoder) throws(RowDamage) -> Self? {
        try row.decodeIfPresent(Self.self)
    }

    /// Reads the next element, `nil` if it is missing.
    public static func next(from list: inout ListDecoder) throws(RowDamage) -> Self? { try list.next(Self.self) }
}
