/// A row that does not decode: its bytes are damaged.
public struct RowDamage: Error, Sendable, Hashable, CustomStringConvertible {
    /// What does not fit.
    public let reason: String

    /// Damage described by `reason`, without the row's data.
    public init(_ reason: String) { self.reason = reason }

    /// What does not fit.
    public var description: String { "damaged row: \(reason)" }
}

/// An encoded row (FORMATS, section 4), read in place.
///
/// A view borrows its bytes: it is valid only where they are, inside the closure that handed it out. Every access is
/// checked against the row's bounds.
public struct RowView {
    /// The row's bytes.
    public let bytes: UnsafeRawBufferPointer
    private let base: UnsafeRawPointer
    /// How many slots the row has.
    public let slotCount: Int
    private let tableOffset: Int
    private let isWide: Bool

    static let headerByteCount = 4
    static let version: UInt8 = 1
    static let wideFlag: UInt8 = 0x80

    /// A view of `bytes`; throws where they cannot be a row.
    @inline(__always)
    public init(_ bytes: UnsafeRawBufferPointer) throws(RowDamage) {
        guard let base = bytes.baseAddress, bytes.count >= Self.headerByteCount else { throw RowDamage("too short") }
        let format = base.load(0, as: UInt16.self)
        guard format & ~UInt16(Self.wideFlag) == UInt16(Self.version) else { throw RowDamage("unknown row format") }
        let slotCount = Int(base.load(2, as: UInt16.self))
        isWide = format & UInt16(Self.wideFlag) != 0
        tableOffset = Self.headerByteCount + (slotCount + 7) / 8
        guard bytes.count >= tableOffset + slotCount * (isWide ? 4 : 2) else { throw RowDamage("table beyond end") }
        self.bytes = bytes
        self.base = base
        self.slotCount = slotCount
    }

    /// Refuses values that nest deeper than a row can be written, before they exhaust the stack.
    @inline(__always)
    static func check(depth: Int) throws(RowDamage) {
        guard depth <= Limits.nestingDepth else { throw RowDamage("values nest deeper than \(Limits.nestingDepth)") }
    }

    /// Whether `slot` has a value.
    @inline(__always)
    public func isPresent(_ slot: Int) -> Bool {
        slot < slotCount && base.load(Self.headerByteCount + slot >> 3, as: UInt8.self) & (1 << UInt8(slot & 7)) != 0
    }

    @inline(__always)
    private func end(_ slot: Int) -> Int {
        if isWide { return Int(base.load(tableOffset + slot * 4, as: UInt32.self)) }
        return Int(base.load(tableOffset + slot * 2, as: UInt16.self))
    }

    /// The bytes of the value in `slot`, or `nil` where it is missing.
    @inline(__always)
    public func value(_ slot: Int) throws(RowDamage) -> UnsafeRawBufferPointer? {
        guard isPresent(slot) else { return nil }
        let start = slot == 0 ? tableOffset + slotCount * (isWide ? 4 : 2) : end(slot - 1)
        let end = end(slot)
        guard start <= end, end <= bytes.count else { throw RowDamage("value beyond end") }
        return UnsafeRawBufferPointer(start: base + start, count: end - start)
    }

    /// The whole number in `slot`, or `nil` where it is missing.
    @inline(__always)
    public func int(_ slot: Int) throws(RowDamage) -> Int64? {
        guard let value = try value(slot) else { return nil }
        guard value.count == 8, let base = value.baseAddress else { throw RowDamage("an Int is not 8 bytes") }
        return UnsafeRawPointer(base).load(0, as: Int64.self)
    }

    /// The floating-point number in `slot`, or `nil` where it is missing.
    @inline(__always)
    public func double(_ slot: Int) throws(RowDamage) -> Double? {
        guard let value = try value(slot) else { return nil }
        guard value.count == 8, let base = value.baseAddress else { throw RowDamage("a Float is not 8 bytes") }
        let number = Double(bitPattern: UnsafeRawPointer(base).load(0, as: UInt64.self))
        guard number.isFinite else { throw RowDamage("a Float is not finite") }
        return number
    }

    /// The truth value in `slot`, or `nil` where it is missing.
    @inline(__always)
    public func bool(_ slot: Int) throws(RowDamage) -> Bool? {
        guard let value = try value(slot) else { return nil }
        guard value.count == 1, value[0] <= 1 else { throw RowDamage("a Boolean is not 0 or 1") }
        return value[0] == 1
    }

    /// The text in `slot`, or `nil` where it is missing.
    @inline(__always)
    public func string(_ slot: Int) throws(RowDamage) -> String? {
        guard let value = try value(slot) else { return nil }
        return try Self.string(value)
    }

    /// The instant and text of the temporal in `slot`, or `nil` where it is missing.
    public func temporal(_ slot: Int) throws(RowDamage) -> (instant: Temporal.Instant, text: String)? {
        guard let value = try value(slot) else { return nil }
        return try Self.temporal(value)
    }

    static func string(_ value: UnsafeRawBufferPointer) throws(RowDamage) -> String {
        // Decoding repairs what is not UTF-8: the bytes are kept only where the text has the same. `String(validating:)`
        // says so too, but looks up generic metadata in every call.
        let text = String(decoding: value, as: UTF8.self)
        if isASCII(value) { return text }
        let isSame = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.count == value.count && RowPredicate.compare(UnsafeRawBufferPointer(bytes), value) == 0
        }
        guard isSame ?? text.utf8.elementsEqual(value) else { throw RowDamage("a text is not UTF-8") }
        return text
    }

    /// Whether no byte of `value` is above 127, so that it is UTF-8 for certain.
    @inline(__always)
    private static func isASCII(_ value: UnsafeRawBufferPointer) -> Bool {
        guard let base = value.baseAddress else { return true }
        let count = value.count
        guard count >= 8 else { return value.allSatisfy { $0 < 0x80 } }
        var high: UInt64 = 0
        var position = 0
        while position <= count - 16 {
            high |= base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            high |= base.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self)
            position += 16
        }
        if position <= count - 8 { high |= base.loadUnaligned(fromByteOffset: position, as: UInt64.self) }
        // The last eight once more, or some of them for the first time.
        high |= base.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        return high & 0x8080_8080_8080_8080 == 0
    }

    static func temporal(
        _ value: UnsafeRawBufferPointer
    ) throws(RowDamage) -> (instant: Temporal.Instant, text: String) {
        let instant = try instant(value)
        return (instant, try string(UnsafeRawBufferPointer(rebasing: value.dropFirst(instantByteCount))))
    }

    static let instantByteCount = 12

    @inline(__always)
    static func instant(_ value: UnsafeRawBufferPointer) throws(RowDamage) -> Temporal.Instant {
        guard value.count >= instantByteCount, let base = value.baseAddress else {
            throw RowDamage("a temporal is cut")
        }
        let nanoseconds = UnsafeRawPointer(base).load(8, as: Int32.self)
        guard nanoseconds >= 0, nanoseconds < 1_000_000_000 else { throw RowDamage("nanoseconds out of range") }
        return Temporal.Instant(
            seconds: UnsafeRawPointer(base).load(0, as: Int64.self), nanoseconds: nanoseconds)
    }
}
