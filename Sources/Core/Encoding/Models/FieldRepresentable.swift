public import TidelogFoundation

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

/// Writing fields and elements of types that are stored as another type.
extension RowEncoder {
    /// Writes the next field: `value`, in its stored type.
    public mutating func encode<Value: FieldRepresentable>(_ value: Value) { value.storedValue.encode(into: &self) }

    /// Writes the next field: the raw value of `value`.
    public mutating func encode<Value: RawRepresentable>(_ value: Value) where Value.RawValue: StoredFieldValue {
        value.rawValue.encode(into: &self)
    }
}

extension RowDecoder {
    /// Reads the next field of a type that is stored as another type, or `nil` if it is missing.
    public mutating func decodeIfPresent<Value: FieldRepresentable>(_ type: Value.Type) throws(RowDamage) -> Value? {
        guard let stored = try decodeIfPresent(Value.StoredValue.self) else { return nil }
        guard let value = Value(storedValue: stored) else { throw unfit(type) }
        return value
    }

    /// Reads the next field, a required one of a type that is stored as another type.
    public mutating func decode<Value: FieldRepresentable>(_ type: Value.Type) throws(RowDamage) -> Value {
        guard let value = try decodeIfPresent(type) else { throw missing() }
        return value
    }

    /// Reads the next field, a raw value, or `nil` if it is missing.
    @inlinable
    @inline(__always)
    public mutating func decodeIfPresent<Value: RawRepresentable>(
        _ type: Value.Type
    ) throws(RowDamage) -> Value? where Value.RawValue: StoredFieldValue {
        guard let raw = try decodeIfPresent(Value.RawValue.self) else { return nil }
        guard let value = Value(rawValue: raw) else { throw unfit(type) }
        return value
    }

    /// Reads the next field, a required raw value.
    @inlinable
    @inline(__always)
    public mutating func decode<Value: RawRepresentable>(
        _ type: Value.Type
    ) throws(RowDamage) -> Value where Value.RawValue: StoredFieldValue {
        guard let value = try decodeIfPresent(type) else { throw missing() }
        return value
    }

    /// The error for a field whose stored value no value of `type` has.
    @usableFromInline
    @inline(never)
    func unfit(_ type: Any.Type) -> RowDamage { RowDamage("the field \(field.name) is no \(type)") }
}

extension ListEncoder {
    /// Writes the next element: `value`, in its stored type.
    public mutating func append<Value: FieldRepresentable>(_ value: Value) { value.storedValue.append(to: &self) }

    /// Writes the next element: the raw value of `value`.
    public mutating func append<Value: RawRepresentable>(_ value: Value) where Value.RawValue: StoredFieldValue {
        value.rawValue.append(to: &self)
    }
}

extension ListDecoder {
    /// Reads the next element of a type that is stored as another type, or `nil` if it is missing.
    public mutating func next<Value: FieldRepresentable>(_ type: Value.Type) throws(RowDamage) -> Value? {
        guard let stored = try next(Value.StoredValue.self) else { return nil }
        guard let value = Value(storedValue: stored) else { throw RowDamage("an element of a list is no \(type)") }
        return value
    }

    /// Reads the next element, a raw value, or `nil` if it is missing.
    public mutating func next<Value: RawRepresentable>(
        _ type: Value.Type
    ) throws(RowDamage) -> Value? where Value.RawValue: StoredFieldValue {
        guard let raw = try next(Value.RawValue.self) else { return nil }
        guard let value = Value(rawValue: raw) else { throw RowDamage("an element of a list is no \(type)") }
        return value
    }
}

extension UUID: FieldRepresentable {
    /// The UUID's text in upper case, as Foundation writes it. In a primary key, an `ID` with such a text takes 16 bytes.
    public var storedValue: String { uuidString }

    /// The UUID that `storedValue` names, in upper or lower case.
    public init?(storedValue: String) { self.init(uuidString: storedValue) }
}

extension Date: FieldRepresentable {
    /// Seconds from 1970 to Foundation's reference date, 2001-01-01T00:00:00Z.
    private static let secondsFrom1970: Int64 = 978_307_200

    /// The instant to the nanosecond, in UTC.
    ///
    /// - Precondition: the date lies in the years -9999 to 9999.
    public var storedValue: Temporal.DateTime {
        let whole = timeIntervalSinceReferenceDate.rounded(.down)
        precondition(abs(whole) < 1e12, "a date of a record lies in the years -9999 to 9999")
        let nanoseconds = Int64(((timeIntervalSinceReferenceDate - whole) * 1e9).rounded())
        let seconds = Int64(whole) + Self.secondsFrom1970 + nanoseconds / 1_000_000_000
        precondition(
            Temporal.Instant.secondsWithText.contains(seconds), "a date of a record lies in the years -9999 to 9999")
        let instant = Temporal.Instant(seconds: seconds, nanoseconds: Int32(nanoseconds % 1_000_000_000))
        return Temporal.DateTime(uncheckedText: TemporalPrinter.dateTime(instant), instant: instant)
    }

    /// The date of `storedValue`.
    public init?(storedValue: Temporal.DateTime) {
        let instant = storedValue.instant
        self.init(
            timeIntervalSinceReferenceDate: Double(instant.seconds - Self.secondsFrom1970)
                + Double(instant.nanoseconds) / 1e9)
    }
}

extension Data: FieldRepresentable {
    /// The bytes in Base64 (RFC 4648, section 4).
    public var storedValue: String { base64EncodedString() }

    /// The bytes that `storedValue` encodes in Base64.
    public init?(storedValue: String) { self.init(base64Encoded: storedValue) }
}
