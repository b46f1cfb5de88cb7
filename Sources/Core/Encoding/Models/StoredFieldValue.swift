/// A type that rows store without conversion: `String`, `Int`, `Double`, `Bool`, and the `Temporal` types.
///
/// Your own types conform to ``FieldRepresentable`` instead.
public protocol StoredFieldValue: FieldConvertible {
    /// Writes the value as the next field.
    func encode(into row: inout RowEncoder)

    /// Writes the value as the next element.
    func append(to list: inout ListEncoder)

    /// The value that the bytes of a field or of an element encode (FORMATS, section 4).
    static func decoded(from bytes: UnsafeRawBufferPointer) throws(RowDamage) -> Self
}

extension String: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// The text of which `bytes` are the UTF-8 bytes.
    @inlinable
    @inline(__always)
    public static func decoded(from bytes: UnsafeRawBufferPointer) throws(RowDamage) -> Self { try bytes.rowText() }
}

extension Int: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// The number that eight `bytes` encode.
    @inlinable
    @inline(__always)
    public static func decoded(from bytes: UnsafeRawBufferPointer) throws(RowDamage) -> Self {
        Int(try RowView.int(bytes))
    }
}

extension Double: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// The finite number that eight `bytes` encode.
    @inlinable
    @inline(__always)
    public static func decoded(from bytes: UnsafeRawBufferPointer) throws(RowDamage) -> Self {
        guard bytes.count == 8 else { throw RowView.damage("a Float is not 8 bytes") }
        let number = Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)))
        guard number.isFinite else { throw RowView.damage("a Float is not finite") }
        return number
    }
}

extension Bool: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// The truth value that one byte, 0 or 1, encodes.
    @inlinable
    @inline(__always)
    public static func decoded(from bytes: UnsafeRawBufferPointer) throws(RowDamage) -> Self {
        guard bytes.count == 1, bytes[0] <= 1 else { throw RowView.damage("a Boolean is not 0 or 1") }
        return bytes[0] == 1
    }
}

extension StoredFieldValue where Self: TemporalText {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// The value whose instant and text `bytes` encode.
    @inlinable
    @inline(__always)
    public static func decoded(from bytes: UnsafeRawBufferPointer) throws(RowDamage) -> Self {
        let temporal = try RowView.temporal(bytes)
        return Self(uncheckedText: temporal.text, instant: temporal.instant)
    }
}

extension Temporal.Date: StoredFieldValue {}
extension Temporal.Time: StoredFieldValue {}
extension Temporal.DateTime: StoredFieldValue {}

extension Temporal.Timestamp: StoredFieldValue {
    /// Writes the value as the next field.
    public func encode(into row: inout RowEncoder) { row.encode(self) }

    /// Writes the value as the next element.
    public func append(to list: inout ListEncoder) { list.append(self) }

    /// The time whose seconds eight `bytes` encode.
    @inlinable
    @inline(__always)
    public static func decoded(from bytes: UnsafeRawBufferPointer) throws(RowDamage) -> Self {
        Self(seconds: try RowView.int(bytes))
    }
}
