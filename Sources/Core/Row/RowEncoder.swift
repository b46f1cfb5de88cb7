/// Writes one row, field after field in declaration order, into memory that will become part of an event.
///
/// Values that no store takes (a Float that is not finite, a text beyond the limit) are noted and refused by the write
/// that asked for the row, before anything is appended.
///
/// What generated code calls for each field is inlined into it: one comparison with ``limit`` says whether a value fits
/// the memory and its end two bytes; if it does not, the value takes the slow way of RowEncoder+Room.swift.
public struct RowEncoder: ~Copyable {
    let arena: ArenaMemory
    let plan: UnsafePointer<RowPlan>
    let depth: Int
    /// The first byte of the row.
    @usableFromInline var row: UnsafeMutableRawPointer
    /// Where the fields' ends are written; by ordinal, until the row is finished.
    @usableFromInline var table: UnsafeMutableRawPointer
    /// Where the next value goes. The arena's count follows when the row is finished.
    @usableFromInline var cursor: UnsafeMutableRawPointer
    /// Up to where values may be written without looking closer; the row's first byte once its ends are wide.
    @usableFromInline var limit: UnsafeMutableRawPointer
    @usableFromInline var ordinal = 0
    @usableFromInline let fieldCount: Int
    var isWide = false
    package internal(set) var failure: String?

    /// An encoder of a row at the end of `arena`, which the caller keeps meanwhile, as it keeps `layout`.
    @inline(__always)
    package init(arena: ByteArena, layout: RowLayout) { self.init(arena: arena.memory, plan: layout.plan, depth: 0) }

    @inline(__always)
    init(arena: ArenaMemory, plan: UnsafePointer<RowPlan>, depth: Int) {
        self.arena = arena
        self.plan = plan
        self.depth = depth
        fieldCount = plan.pointee.fieldCount
        // As much again as most values take, so that the first of them need no room made.
        row = arena.reserve(plan.pointee.valuesOffset &+ 256)
        table = row + plan.pointee.tableOffset
        cursor = row + plan.pointee.valuesOffset
        limit = min(arena.limit, row + Int(UInt16.max))
        plan.pointee.writeHead(to: row)
    }

    /// The names of the fields in declaration order.
    var fieldNames: [String] { plan.pointee.layout.fields.map(\.name) }

    /// The next field is missing.
    public mutating func encodeMissing() {
        precondition(ordinal < fieldCount, "a row has as many values as its model has fields")
        if plan.pointee.isRequired(ordinal) { fail("a required value is missing") }
        let presence = row + (RowView.headerByteCount + ordinal >> 3)
        presence.store(UnsafeRawPointer(presence).load(0, as: UInt8.self) & ~(1 << UInt8(ordinal & 7)), at: 0)
        endFieldSlowly()
    }

    /// The next field is `value`: an `ID`, `String` or enum.
    @inlinable
    @inline(__always)
    public mutating func encode(_ value: String) {
        let (target, room) = (cursor, limit - cursor)
        // `withUTF8` wants a copy of its own, which costs more than the bytes do.
        let byteCount = value.utf8.withContiguousStorageIfAvailable { bytes in
            if let source = bytes.baseAddress, bytes.count <= room {
                target.copyMemory(from: source, byteCount: bytes.count)
            }
            return bytes.count
        }
        guard let byteCount, byteCount <= room else { return encodeSlowly(value) }
        endField(at: target + byteCount)
    }

    /// The next field is the value whose encoding (FORMATS, section 4) `bytes` are: of a text its UTF-8 bytes.
    package mutating func encode(bytes: UnsafeRawBufferPointer) {
        makeRoom(bytes.count)
        if let source = bytes.baseAddress { cursor.copyMemory(from: source, byteCount: bytes.count) }
        cursor += bytes.count
        endFieldSlowly()
    }

    /// The next field is `value`, an `Int`.
    @inlinable
    @inline(__always)
    public mutating func encode(_ value: Int) { encode(Int64(value)) }

    /// The next field is `value`, an `Int`.
    @inlinable
    @inline(__always)
    public mutating func encode(_ value: Int64) {
        guard limit - cursor >= 8 else { return encodeSlowly(value) }
        cursor.storeBytes(of: value.littleEndian, as: Int64.self)
        endField(at: cursor + 8)
    }

    /// The next field is `value`, a `Float`; −0 is written as 0, a value that is not finite is refused.
    @inlinable
    @inline(__always)
    public mutating func encode(_ value: Double) {
        if !value.isFinite { failNotFinite() }
        encode(Int64(bitPattern: (value == 0 ? 0 : value).bitPattern))
    }

    /// The next field is `value`, a `Boolean`.
    @inlinable
    @inline(__always)
    public mutating func encode(_ value: Bool) {
        guard limit - cursor >= 1 else { return encodeSlowly(value) }
        cursor.storeBytes(of: value ? 1 : 0, as: UInt8.self)
        endField(at: cursor + 1)
    }

    /// The next field is `value`, an `AWSDate`, `AWSTime` or `AWSDateTime`.
    @inlinable
    @inline(__always)
    public mutating func encode(_ value: some TemporalText) {
        encode(value.instant, value.text)
    }

    @usableFromInline
    mutating func encode(_ instant: Temporal.Instant, _ text: String) {
        writing { $0.appendTemporal(instant, text) }
        endFieldSlowly()
    }

    /// The next field is `value`, an `AWSTimestamp`.
    @inlinable
    @inline(__always)
    public mutating func encode(_ value: Temporal.Timestamp) { encode(value.seconds) }

    /// The next field is an enum whose raw text `value` is.
    @inlinable
    @inline(__always)
    public mutating func encode<Value: RawRepresentable>(_ value: Value) where Value.RawValue == String {
        encode(value.rawValue)
    }

    /// The next field's value ends at `end`, within the limit.
    @inlinable
    @inline(__always)
    mutating func endField(at end: UnsafeMutableRawPointer) {
        precondition(ordinal < fieldCount, "a row has as many values as its model has fields")
        table.storeBytes(
            of: UInt16(truncatingIfNeeded: end - row).littleEndian, toByteOffset: ordinal &* 2, as: UInt16.self)
        ordinal &+= 1
        cursor = end
    }
}
