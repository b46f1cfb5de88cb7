@_spi(Adapters) internal import TidelogCore

/// One component of an index key or sort key: the place of its value in a row, and its encoding.
struct KeyComponent: Hashable, Sendable {
    /// The encodings of FORMATS, section 5.
    enum Kind: UInt8, Sendable {
        case text = 1
        case int, double, bool, instant
    }

    let slot: UInt16
    let kind: Kind

    init(slot: UInt16, kind: Kind) {
        self.slot = slot
        self.kind = kind
    }

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

    /// The largest number of bytes of the component.
    func maximumByteCount(in row: RowView) throws(RowDamage) -> Int {
        guard kind == .text else { return 13 }
        return 2 + 2 * (try row.value(Int(slot))?.count ?? 0)
    }
}

extension KeyEncoder {
    /// Appends the value of `component` in `row`. Of a text, at most `textByteCount` bytes are appended.
    @inline(__always)
    mutating func append(
        _ component: KeyComponent, of row: RowView, textByteCount: Int = .max
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
