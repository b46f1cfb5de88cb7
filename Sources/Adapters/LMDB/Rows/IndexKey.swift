@_spi(Adapters) internal import TidelogCore

/// The keys of secondary indexes (FORMATS, section 5). Long keys are cut.
enum IndexKey {
    /// One component of an index key or sort key: the place of its value in a row, and its encoding.
    struct Component: Hashable, Sendable {
        /// The encodings of FORMATS, section 5.
        enum Kind: UInt8, Sendable {
            case text = 1
            case int, double, bool, instant
        }

        let slot: UInt16
        let kind: Kind

        /// The largest number of bytes of the component.
        func maximumByteCount(in row: RowView) throws(RowDamage) -> Int {
            guard kind == .text else { return 13 }
            return 2 + 2 * (try row.value(Int(slot))?.count ?? 0)
        }
    }

    /// The number of bytes that a cut key keeps. Keys with the same first bytes as a cut key are in no particular order.
    static let keptByteCount = 254
    private static let marker: UInt8 = 0xFF

    /// Writes the key of `row` after the end of `arena` and returns its length. The arena's count does not change.
    @inline(__always)
    static func encode(
        _ components: ContiguousArray<Component>, of row: RowView, primaryKey: UnsafeRawBufferPointer,
        behind arena: ByteArena
    ) throws(RowDamage) -> Int {
        let limit = Limits.indexKeyByteCount
        let base = arena.reserve(limit)
        var encoder = KeyEncoder(UnsafeMutableRawBufferPointer(start: base, count: limit))
        // One byte of text beyond the limit is enough to cut the key.
        for component in components { try encoder.append(component, of: row, textByteCount: limit + 1) }
        encoder.append(raw: primaryKey)
        guard encoder.isOverflowing else { return encoder.byteCount }
        base.storeBytes(of: marker, toByteOffset: keptByteCount, as: UInt8.self)
        if let source = primaryKey.baseAddress {
            (base + keptByteCount + 1).copyMemory(from: source, byteCount: primaryKey.count)
        }
        let byteCount = keptByteCount + 2 + primaryKey.count
        base.storeBytes(of: UInt8(primaryKey.count), toByteOffset: byteCount - 1, as: UInt8.self)
        return byteCount
    }

    /// The end of the first `count` components of `key`, or `nil` if it has fewer.
    @inline(__always)
    static func end(ofComponents count: Int, in key: UnsafeRawBufferPointer) -> Int? {
        var position = 0
        for _ in 0..<count {
            guard position < key.count else { return nil }
            switch key[position] {
            case 0x01, 0x30, 0x31: position += 1
            case 0x20, 0x28: position += 9
            case 0x40: position += 13
            case 0x10, 0x11: position += 17
            case 0x12:
                position += 1
                while true {
                    guard position < key.count else { return nil }
                    if key[position] == 0 {
                        guard position + 1 < key.count, key[position + 1] == 0xFF else { break }
                        position += 1
                    }
                    position += 1
                }
                position += 1
            default: return nil
            }
        }
        return position <= key.count ? position : nil
    }

    /// Whether the first `count` components of `key`, which may be cut, are longer than a cut key.
    @inline(__always)
    static func isLong(_ key: UnsafeRawBufferPointer, componentCount count: Int) -> Bool {
        guard key.count > keptByteCount else { return false }
        return end(ofComponents: count, in: key) ?? .max > keptByteCount
    }

    /// The primary key in `key`, which is an entry of an index with `componentCount` fields.
    @inline(__always)
    static func primaryKey(
        in key: UnsafeRawBufferPointer, componentCount: Int, keyFieldCount: Int
    ) throws(RowDamage) -> UnsafeRawBufferPointer {
        if key.count > keptByteCount + 2, isCut(key, componentCount + keyFieldCount) {
            return UnsafeRawBufferPointer(rebasing: key[(keptByteCount + 1)..<(key.count - 1)])
        }
        guard let end = end(ofComponents: componentCount, in: key), end < key.count else {
            throw RowDamage("an index key does not decode")
        }
        return UnsafeRawBufferPointer(rebasing: key[end...])
    }

    /// Whether `key` is a cut key: it has the marker and the right length, and is not a whole key that happens to look the
    /// same.
    private static func isCut(_ key: UnsafeRawBufferPointer, _ componentCount: Int) -> Bool {
        key[keptByteCount] == marker && Int(key[key.count - 1]) == key.count - keptByteCount - 2
            && end(ofComponents: componentCount, in: key) != key.count
    }
}

extension IndexKey.Component {
    /// The component of `field`, which must be ordered.
    init(_ field: FieldLayout) {
        slot = UInt16(field.slot)
        kind =
            switch field.type {
            case .id, .string, .enumeration: .text
            case .int, .timestamp: .int
            case .double: .double
            case .bool: .bool
            case .date, .time, .dateTime: .instant
            case .embedded, .list: preconditionFailure("only ordered fields are parts of keys")
            }
    }
}

extension KeyEncoder {
    /// Appends the value of `component` in `row`. Of a text, at most `textByteCount` bytes are appended.
    @inline(__always)
    mutating func append(
        _ component: IndexKey.Component, of row: RowView, textByteCount: Int = .max
    ) throws(RowDamage) {
        let slot = Int(component.slot)
        switch component.kind {
        case .int: if let value = try row.int(slot) { append(value) } else { appendMissing() }
        case .text:
            guard let text = try row.value(slot) else { return appendMissing() }
            append(text: UnsafeRawBufferPointer(rebasing: text.prefix(textByteCount)))
        case .double: if let value = try row.double(slot) { append(value) } else { appendMissing() }
        case .bool: if let value = try row.bool(slot) { append(value) } else { appendMissing() }
        case .instant:
            guard let value = try row.value(slot) else { return appendMissing() }
            guard value.count >= 12 else { throw RowDamage("a temporal is cut") }
            let nanoseconds = Int32(littleEndian: value.loadUnaligned(fromByteOffset: 8, as: Int32.self))
            guard (0..<1_000_000_000).contains(nanoseconds) else { throw RowDamage("nanoseconds out of range") }
            append(
                Temporal.Instant(
                    seconds: Int64(littleEndian: value.loadUnaligned(as: Int64.self)), nanoseconds: nanoseconds))
        }
    }
}
