import TidelogPlatform

/// Writes keys that keep the order of their values (FORMATS, section 5) into memory of a fixed size.
///
/// Bytes that do not fit are counted but not kept. ``isOverflowing`` shows whether there are any.
@_spi(Adapters) public struct KeyEncoder: ~Copyable {
    private let buffer: UnsafeMutableRawBufferPointer
    /// The number of bytes of the key, including the bytes that did not fit.
    public private(set) var byteCount = 0

    enum Tag {
        static let missing: UInt8 = 0x01
        static let lowerUUID: UInt8 = 0x10
        static let upperUUID: UInt8 = 0x11
        static let text: UInt8 = 0x12
        static let int: UInt8 = 0x20
        static let double: UInt8 = 0x28
        static let no: UInt8 = 0x30
        static let yes: UInt8 = 0x31
        static let instant: UInt8 = 0x40
    }

    /// An encoder that writes into `buffer`, from its start.
    @inline(__always)
    public init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

    /// Whether the key has more bytes than the buffer.
    @inline(__always)
    public var isOverflowing: Bool { byteCount > buffer.count }

    /// The key so far, without the bytes that do not fit.
    @inline(__always)
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<min(byteCount, buffer.count)])
    }

    @inline(__always)
    mutating func appendByte(_ byte: UInt8) {
        if byteCount < buffer.count { buffer[byteCount] = byte }
        byteCount += 1
    }

    /// Appends bytes without encoding them.
    public mutating func append(raw bytes: UnsafeRawBufferPointer) {
        if byteCount + bytes.count <= buffer.count, let source = bytes.baseAddress, let target = buffer.baseAddress {
            (target + byteCount).copyMemory(from: source, byteCount: bytes.count)
            byteCount += bytes.count
        } else {
            for byte in bytes { appendByte(byte) }
        }
    }

    @inline(__always)
    private mutating func appendBigEndian(_ value: UInt64) {
        if byteCount + 8 <= buffer.count, let base = buffer.baseAddress {
            base.storeBytes(of: value.bigEndian, toByteOffset: byteCount, as: UInt64.self)
            byteCount += 8
        } else {
            for shift in stride(from: 56, through: 0, by: -8) { appendByte(UInt8(truncatingIfNeeded: value >> shift)) }
        }
    }

    /// Appends the component of a missing value, which sorts before all other components.
    public mutating func appendMissing() { appendByte(Tag.missing) }

    /// Appends a whole number.
    @inline(__always)
    public mutating func append(_ value: Int64) {
        appendByte(Tag.int)
        appendBigEndian(UInt64(bitPattern: value) ^ (1 << 63))
    }

    /// Appends a finite floating-point number.
    public mutating func append(_ value: Double) {
        appendByte(Tag.double)
        let bits = (value == 0 ? 0 : value).bitPattern
        appendBigEndian(bits >> 63 == 0 ? bits | (1 << 63) : ~bits)
    }

    /// Appends a truth value.
    public mutating func append(_ value: Bool) { appendByte(value ? Tag.yes : Tag.no) }

    /// Appends an instant.
    public mutating func append(_ value: Temporal.Instant) {
        appendByte(Tag.instant)
        appendBigEndian(UInt64(bitPattern: value.seconds) ^ (1 << 63))
        for shift in stride(from: 24, through: 0, by: -8) {
            appendByte(UInt8(truncatingIfNeeded: value.nanoseconds >> shift))
        }
    }

    /// Appends UTF-8 text, with each U+0000 escaped, and a terminator.
    public mutating func append(text: UnsafeRawBufferPointer) {
        appendUnterminated(text: text)
        appendByte(0)
    }

    /// Appends UTF-8 text without a terminator. The result is a prefix of the keys of all texts that begin with this text.
    public mutating func appendUnterminated(text: UnsafeRawBufferPointer) {
        appendByte(Tag.text)
        if byteCount + text.count <= buffer.count, let source = text.baseAddress, let target = buffer.baseAddress,
            memchr(source, 0, text.count) == nil
        {
            (target + byteCount).copyMemory(from: source, byteCount: text.count)
            byteCount += text.count
            return
        }
        for byte in text {
            appendByte(byte)
            if byte == 0 { appendByte(0xFF) }
        }
    }

    /// Appends an `ID` of a primary key. A UUID takes 16 bytes. Any other text is written as text.
    @inline(__always)
    public mutating func append(id text: UnsafeRawBufferPointer) {
        if text.count == 36, byteCount + 17 <= buffer.count, let base = buffer.baseAddress,
            let tag = UUIDText.parse(text, into: base + byteCount + 1)
        {
            buffer[byteCount] = tag
            byteCount += 17
        } else {
            append(text: text)
        }
    }

    /// The canonical text of UUIDs (RFC 9562, section 4), 8-4-4-4-12 hexadecimal digits.
    enum UUIDText {
        private static let nibbles: [UInt8] = {
            var table = [UInt8](repeating: 0xFF, count: 256)
            for digit in 0..<10 { table[48 + digit] = UInt8(digit) }
            for letter in 0..<6 {
                table[97 + letter] = UInt8(10 + letter) | 0x40
                table[65 + letter] = UInt8(10 + letter) | 0x80
            }
            return table
        }()

        /// Writes the 16 bytes of the 36-byte `text`. Returns the key tag, or `nil` if `text` is not a UUID in a single case.
        @inline(__always)
        static func parse(_ text: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer) -> UInt8? {
            guard text[8] == 45, text[13] == 45, text[18] == 45, text[23] == 45 else { return nil }
            return nibbles.withUnsafeBufferPointer { nibbles in
                var seen: UInt8 = 0
                var position = 0
                for byte in 0..<16 {
                    if position == 8 || position == 13 || position == 18 || position == 23 { position += 1 }
                    let high = nibbles[Int(text[position])]
                    let low = nibbles[Int(text[position + 1])]
                    if high == 0xFF || low == 0xFF { return nil }
                    seen |= high | low
                    target.storeBytes(of: (high & 0x0F) << 4 | (low & 0x0F), toByteOffset: byte, as: UInt8.self)
                    position += 2
                }
                switch seen & 0xC0 {
                case 0, 0x40: return KeyEncoder.Tag.lowerUUID
                case 0x80: return KeyEncoder.Tag.upperUUID
                default: return nil
                }
            }
        }
    }

    /// Appends the primary key of `row`.
    @inline(__always)
    public mutating func appendPrimaryKey(of row: RowView, layout: ModelLayout) throws(RowDamage) {
        for field in layout.keyFields {
            if field.kind == .id {
                guard let text = try row.value(field.slot) else { throw RowDamage("a key field is missing") }
                append(id: text)
            } else {
                try appendComponent(of: row, field: field)
            }
        }
    }

    /// Appends the value of `field` in `row` as a component of an index key or sort key.
    @inline(__always)
    public mutating func appendComponent(of row: RowView, field: FieldLayout) throws(RowDamage) {
        guard let value = try row.value(field.slot) else { return appendMissing() }
        switch field.kind {
        case .id, .string, .enumeration: append(text: value)
        case .int, .timestamp: append(try row.int(field.slot) ?? 0)
        case .double: append(try row.double(field.slot) ?? 0)
        case .bool: append(try row.bool(field.slot) ?? false)
        case .date, .time, .dateTime: append(try RowView.instant(value))
        case .embedded, .list: preconditionFailure("only ordered fields are parts of keys")
        }
    }

    /// Appends `value`, which has the field's type, as a component of an index key.
    public mutating func appendComponent(_ value: FieldValue?) {
        switch value {
        case nil: appendMissing()
        case .string(var text)?: text.withUTF8 { append(text: UnsafeRawBufferPointer($0)) }
        case .int(let number)?: append(number)
        case .double(let number)?: append(number)
        case .bool(let flag)?: append(flag)
        case .date(let date)?: append(date.instant)
        case .time(let time)?: append(time.instant)
        case .dateTime(let dateTime)?: append(dateTime.instant)
        case .embedded?, .list?: preconditionFailure("only ordered fields are parts of keys")
        }
    }
}

extension ModelLayout {
    /// Calls `body` with the encoded primary key of `id`.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` if `id` does not fit the model's key or is too long, and any error
    ///   of `body`.
    public func withKey<Result>(of id: RecordID, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        guard id.components.count == keyFields.count else {
            let count = id.components.count
            let values = count == 1 ? "1 value" : "\(count) values"
            throw invalidID(id, "it has \(values), and the key has \(keyFields.count)")
        }
        return try withUnsafeTemporaryAllocation(byteCount: Limits.keyByteCount, alignment: 8) { buffer in
            var encoder = KeyEncoder(buffer)
            for (component, field) in zip(id.components, keyFields) {
                guard let value = component.converted(to: field) else {
                    throw invalidID(id, "the value for \(field.name) has another type")
                }
                if case .id = field.type, case .string(var text) = value {
                    text.withUTF8 { encoder.append(id: UnsafeRawBufferPointer($0)) }
                } else {
                    encoder.appendComponent(value)
                }
            }
            guard !encoder.isOverflowing else { throw invalidID(id, ModelLayout.longKey) }
            return try body(encoder.bytes)
        }
    }

    /// The id that consists of the primary key fields of `row`.
    public func recordID(of row: RowView) throws(RowDamage) -> RecordID {
        var components: [FieldValue] = []
        components.reserveCapacity(keyFields.count)
        for field in keyFields {
            guard let value = try FieldValue(row, field: field) else { throw RowDamage("a key field is missing") }
            components.append(value)
        }
        return RecordID(components)
    }

    private func invalidID(_ id: RecordID, _ reason: String) -> DataStoreError {
        DataStoreError(
            .invalidValue, "The id does not fit the model \(name): \(reason).", model: name, recordID: id,
            recovery: "Give one value for each key field: \(keyFields.map(\.name).joined(separator: ", ")).")
    }
}
