/// Decoding the bytes of single values.
extension RowView {
    @inlinable
    @inline(__always)
    static func int(_ value: UnsafeRawBufferPointer) throws(RowDamage) -> Int64 {
        guard value.count == 8 else { throw noInt() }
        return Int64(littleEndian: value.loadUnaligned(as: Int64.self))
    }

    @inlinable
    @inline(__always)
    static func double(_ value: UnsafeRawBufferPointer) throws(RowDamage) -> Double {
        guard value.count == 8 else { throw noDouble() }
        let number = Double(bitPattern: UInt64(littleEndian: value.loadUnaligned(as: UInt64.self)))
        guard number.isFinite else { throw notFinite() }
        return number
    }

    @inlinable
    @inline(__always)
    static func bool(_ value: UnsafeRawBufferPointer) throws(RowDamage) -> Bool {
        guard value.count == 1, value[0] <= 1 else { throw noBool() }
        return value[0] == 1
    }

    @inlinable
    @inline(__always)
    static func string(_ value: UnsafeRawBufferPointer) throws(RowDamage) -> String { try value.rowText() }

    @usableFromInline
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

    // MARK: Damage, in functions that are not inlined

    @usableFromInline
    @inline(never)
    static func beyondEnd() -> RowDamage { RowDamage("value beyond end") }

    @usableFromInline
    @inline(never)
    static func noInt() -> RowDamage { RowDamage("an Int is not 8 bytes") }

    @usableFromInline
    @inline(never)
    static func noDouble() -> RowDamage { RowDamage("a Float is not 8 bytes") }

    @usableFromInline
    @inline(never)
    static func notFinite() -> RowDamage { RowDamage("a Float is not finite") }

    @usableFromInline
    @inline(never)
    static func noBool() -> RowDamage { RowDamage("a Boolean is not 0 or 1") }

    @usableFromInline
    @inline(never)
    static func unknownCase() -> RowDamage { RowDamage("an enum has a case this build does not know") }
}
