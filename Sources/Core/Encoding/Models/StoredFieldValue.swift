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

extension StoredFieldValue where Self: TemporalText {
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

extension Temporal.Date: StoredFieldValue {}
extension Temporal.Time: StoredFieldValue {}
extension Temporal.DateTime: StoredFieldValue {}

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
