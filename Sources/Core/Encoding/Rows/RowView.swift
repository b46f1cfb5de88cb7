/// An encoded row (FORMATS, section 4), read without a copy.
///
/// A view borrows its bytes. It is valid only as long as these bytes, inside the closure that received it. Every access is
/// checked against the row's bounds.
public struct RowView {
    @usableFromInline let base: UnsafeRawPointer
    // The view has two words, so that it is passed in registers. Functions that get a larger one copy it from memory that was
    // just written, and many processors wait for such a copy.
    @usableFromInline let length: UInt32
    @usableFromInline let slots: UInt16
    @usableFromInline let isWide: Bool

    @inlinable static var headerByteCount: Int { 4 }
    @inlinable static var version: UInt8 { 1 }
    @inlinable static var wideFlag: UInt8 { 0x80 }

    /// A view of `bytes`. Throws if they are not a row.
    @inlinable
    @inline(__always)
    public init(_ bytes: UnsafeRawBufferPointer) throws(RowDamage) {
        guard let base = bytes.baseAddress, bytes.count >= Self.headerByteCount else { throw Self.damage("too short") }
        guard let length = UInt32(exactly: bytes.count) else { throw Self.damage("too long") }
        let format = base.loadUnaligned(as: UInt16.self).littleEndian
        guard format & ~UInt16(Self.wideFlag) == UInt16(Self.version) else { throw Self.damage("unknown row format") }
        self.base = base
        self.length = length
        slots = base.loadUnaligned(fromByteOffset: 2, as: UInt16.self).littleEndian
        isWide = format & UInt16(Self.wideFlag) != 0
        guard byteCount >= valuesOffset else { throw Self.damage("table beyond end") }
    }

    /// The number of slots of the row.
    @inlinable public var slotCount: Int { Int(slots) }

    @inlinable var byteCount: Int { Int(length) }

    /// The offset of the ends of the values.
    @inlinable var tableOffset: Int { Self.headerByteCount &+ (slotCount &+ 7) &>> 3 }

    /// The offset of the first value.
    @inlinable var valuesOffset: Int { tableOffset &+ slotCount &* (isWide ? 4 : 2) }

    /// The row's bytes.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: byteCount) }

    /// Throws if values nest deeper than the limit for rows, because deeper values could exhaust the stack.
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

    /// The bytes of the value in `slot`, or `nil` if it is missing.
    @inline(__always)
    public func value(_ slot: Int) throws(RowDamage) -> UnsafeRawBufferPointer? {
        guard isPresent(slot) else { return nil }
        let start = slot == 0 ? valuesOffset : end(slot - 1)
        let end = end(slot)
        guard start <= end, end <= byteCount else { throw Self.damage("value beyond end") }
        return UnsafeRawBufferPointer(start: base + start, count: end - start)
    }

    /// The whole number in `slot`, or `nil` if it is missing.
    @inline(__always)
    public func int(_ slot: Int) throws(RowDamage) -> Int64? {
        guard let value = try value(slot) else { return nil }
        return try Self.int(value)
    }

    /// The floating-point number in `slot`, or `nil` if it is missing.
    @inline(__always)
    public func double(_ slot: Int) throws(RowDamage) -> Double? {
        guard let value = try value(slot) else { return nil }
        return try Double.decoded(from: value)
    }

    /// The truth value in `slot`, or `nil` if it is missing.
    @inline(__always)
    public func bool(_ slot: Int) throws(RowDamage) -> Bool? {
        guard let value = try value(slot) else { return nil }
        return try Bool.decoded(from: value)
    }

    /// The text in `slot`, or `nil` if it is missing.
    @inline(__always)
    public func string(_ slot: Int) throws(RowDamage) -> String? {
        guard let value = try value(slot) else { return nil }
        return try value.rowText()
    }

    /// The instant and text of the temporal in `slot`, or `nil` if it is missing.
    public func temporal(_ slot: Int) throws(RowDamage) -> (instant: Temporal.Instant, text: String)? {
        guard let value = try value(slot) else { return nil }
        return try Self.temporal(value)
    }

    // MARK: Single values

    @inlinable
    @inline(__always)
    static func int(_ value: UnsafeRawBufferPointer) throws(RowDamage) -> Int64 {
        guard value.count == 8 else { throw damage("an Int is not 8 bytes") }
        return Int64(littleEndian: value.loadUnaligned(as: Int64.self))
    }

    @usableFromInline
    static func temporal(
        _ value: UnsafeRawBufferPointer
    ) throws(RowDamage) -> (instant: Temporal.Instant, text: String) {
        let instant = try instant(value)
        return (instant, try UnsafeRawBufferPointer(rebasing: value.dropFirst(instantByteCount)).rowText())
    }

    static let instantByteCount = 12

    @inline(__always)
    static func instant(_ value: UnsafeRawBufferPointer) throws(RowDamage) -> Temporal.Instant {
        guard value.count >= instantByteCount, let base = value.baseAddress else {
            throw RowDamage("a temporal is cut")
        }
        let nanoseconds = UnsafeRawPointer(base).load(8, as: Int32.self)
        guard nanoseconds >= 0, nanoseconds < 1_000_000_000 else { throw RowDamage("nanoseconds out of range") }
        return Temporal.Instant(seconds: UnsafeRawPointer(base).load(0, as: Int64.self), nanoseconds: nanoseconds)
    }

    /// The error with `reason`. Code that is inlined for each field calls this, so that it does not make the error itself.
    @usableFromInline
    @inline(never)
    static func damage(_ reason: StaticString) -> RowDamage { RowDamage("\(reason)") }
}

/// An error for a row that cannot be decoded because its bytes are damaged.
public struct RowDamage: Error, Sendable, Hashable, CustomStringConvertible {
    /// The description of the damage.
    public let reason: String

    /// Damage described by `reason`, without the row's data.
    public init(_ reason: String) { self.reason = reason }

    /// The description of the damage.
    public var description: String { "damaged row: \(reason)" }
}
