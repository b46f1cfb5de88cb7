@_spi(Adapters) internal import TidelogCore

/// Keys of secondary indexes (FORMATS, section 5), long ones cut.
enum IndexKey {
    /// Keys that share this many bytes with a cut key stand in no order among themselves.
    static let keptByteCount = 254
    private static let marker: UInt8 = 0xFF

    /// Writes the key of `row` behind what `arena` holds and returns its length; the arena's count stays.
    @inline(__always)
    static func encode(
        _ components: ContiguousArray<KeyComponent>, of row: RowView, primaryKey: UnsafeRawBufferPointer,
        behind arena: ByteArena
    ) throws(RowDamage) -> Int {
        let limit = Limits.indexKeyByteCount
        let base = arena.reserve(limit)
        var encoder = KeyEncoder(UnsafeMutableRawBufferPointer(start: base, count: limit))
        // A text of one byte more than the limit is enough to have the key cut.
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

    /// Where the first `count` components of `key` end, `nil` if it does not have as many.
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

    /// Whether the first `count` components of `key`, which may be cut, go beyond the bytes that cutting keeps.
    @inline(__always)
    static func isLong(_ key: UnsafeRawBufferPointer, componentCount count: Int) -> Bool {
        guard key.count > keptByteCount else { return false }
        return end(ofComponents: count, in: key) ?? .max > keptByteCount
    }

    /// The primary key in `key`, an entry of an index with `componentCount` fields.
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

    /// A cut key has the marker and the right length, and is not by chance a whole key that looks so.
    private static func isCut(_ key: UnsafeRawBufferPointer, _ componentCount: Int) -> Bool {
        key[keptByteCount] == marker && Int(key[key.count - 1]) == key.count - keptByteCount - 2
            && end(ofComponents: componentCount, in: key) != key.count
    }
}
