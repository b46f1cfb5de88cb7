/// Writes one row, field after field in declaration order, into memory that becomes part of an event.
///
/// The encoder remembers the first value that no store accepts, for example a Float that is not finite or a text over the
/// limit. The write that needed the row then throws, before it appends anything.
///
/// The methods that generated code calls for each field are inlined. One comparison with `limit` decides whether a value fits
/// the memory and its end fits two bytes. If not, the value takes the slow path in RowEncoder+Room.swift.
public struct RowEncoder: ~Copyable {
    let arena: ByteArena.Memory
    let plan: UnsafePointer<RowLayout.Plan>
    let depth: Int
    /// The first byte of the row.
    @usableFromInline var row: UnsafeMutableRawPointer
    /// The table of the fields' ends. They are in the order of the ordinals until the row is finished.
    @usableFromInline var table: UnsafeMutableRawPointer
    /// The place of the next value. The arena's count is updated when the row is finished.
    @usableFromInline var cursor: UnsafeMutableRawPointer
    /// The address up to which values may be written without a further check. For a row with wide ends, it is the row's first
    /// byte.
    @usableFromInline var limit: UnsafeMutableRawPointer
    @usableFromInline var ordinal = 0
    @usableFromInline let fieldCount: Int
    var isWide = false
    var failure: RowRefusal?

    /// An encoder that writes a row at the end of `arena`. The caller keeps `arena` and `layout` alive while it uses the
    /// encoder.
    @inline(__always)
    package init(arena: ByteArena, layout: RowLayout) { self.init(arena: arena.memory, plan: layout.plan, depth: 0) }

    @inline(__always)
    init(arena: ByteArena.Memory, plan: UnsafePointer<RowLayout.Plan>, depth: Int) {
        self.arena = arena
        self.plan = plan
        self.depth = depth
        fieldCount = plan.pointee.fieldCount
        // This reserves more memory than the values of most rows need, so that they do not have to make space.
        row = arena.reserve(plan.pointee.valuesOffset &+ 256)
        table = row + plan.pointee.tableOffset
        cursor = row + plan.pointee.valuesOffset
        limit = min(arena.limit, row + Int(UInt16.max))
        plan.pointee.writeHead(to: row)
    }

    /// The names of the fields in declaration order.
    var fieldNames: [String] { plan.pointee.layout.fields.map(\.name) }

    /// Writes a missing value as the next field.
    public mutating func encodeMissing() {
        precondition(ordinal < fieldCount, "a row has as many values as its model has fields")
        if plan.pointee.isRequired(ordinal) { fail("a required value is missing") }
        let presence = row + (RowView.headerByteCount + ordinal >> 3)
        presence.store(UnsafeRawPointer(presence).load(0, as: UInt8.self) & ~(1 << UInt8(ordinal & 7)), at: 0)
        endFieldSlowly()
    }

    /// Writes the next field: `value`, an `ID`, `String` or enum.
    @inlinable
    @inline(__always)
    public mutating func encode(_ value: String) {
        let (target, room) = (cursor, limit - cursor)
        // `withUTF8` would make a copy, which costs more than copying the bytes.
        let byteCount = value.utf8.withContiguousStorageIfAvailable { bytes in
            if let source = bytes.baseAddress, bytes.count <= room {
                target.copyMemory(from: source, byteCount: bytes.count)
            }
            return bytes.count
        }
        guard let byteCount, byteCount <= room else { return encodeSlowly(value) }
        endField(at: target + byteCount)
    }

    /// Writes the next field from its encoded `bytes` (FORMATS, section 4). For a text, these are its UTF-8 bytes.
    package mutating func encode(bytes: UnsafeRawBufferPointer) {
        makeRoom(bytes.count)
        if let source = bytes.baseAddress { cursor.copyMemory(from: source, byteCount: bytes.count) }
        cursor += bytes.count
        endFieldSlowly()
    }

    /// Writes the next field: `value`, an `Int`.
    @inlinable
    @inline(__always)
    public mutating func encode(_ value: Int) { encode(Int64(value)) }

    /// Writes the next field: `value`, an `Int`.
    @inlinable
    @inline(__always)
    public mutating func encode(_ value: Int64) {
        guard limit - cursor >= 8 else { return encodeSlowly(value) }
        cursor.storeBytes(of: value.littleEndian, as: Int64.self)
        endField(at: cursor + 8)
    }

    /// Writes the next field: `value`, a `Float`. −0 is written as 0. A value that is not finite is refused.
    @inlinable
    @inline(__always)
    public mutating func encode(_ value: Double) {
        if !value.isFinite { failNotFinite() }
        encode(Int64(bitPattern: (value == 0 ? 0 : value).bitPattern))
    }

    /// Writes the next field: `value`, a `Boolean`.
    @inlinable
    @inline(__always)
    public mutating func encode(_ value: Bool) {
        guard limit - cursor >= 1 else { return encodeSlowly(value) }
        cursor.storeBytes(of: value ? 1 : 0, as: UInt8.self)
        endField(at: cursor + 1)
    }

    /// Writes the next field: `value`, an `AWSDate`, `AWSTime` or `AWSDateTime`.
    @inlinable
    @inline(__always)
    public mutating func encode(_ value: some TemporalText) { encode(value.instant, value.text) }

    @usableFromInline
    mutating func encode(_ instant: Temporal.Instant, _ text: String) {
        writing { $0.appendTemporal(instant, text) }
        endFieldSlowly()
    }

    /// Writes the next field: `value`, an `AWSTimestamp`.
    @inlinable
    @inline(__always)
    public mutating func encode(_ value: Temporal.Timestamp) { encode(value.seconds) }

    /// Writes the next field: an enum with the raw text of `value`.
    @inlinable
    @inline(__always)
    public mutating func encode<Value: RawRepresentable>(_ value: Value) where Value.RawValue == String {
        encode(value.rawValue)
    }

    /// Ends the next field's value at `end`, which is within the limit.
    @inlinable
    @inline(__always)
    mutating func endField(at end: UnsafeMutableRawPointer) {
        precondition(ordinal < fieldCount, "a row has as many values as its model has fields")
        table.storeBytes(
            of: UInt16(truncatingIfNeeded: end - row).littleEndian, toByteOffset: ordinal &* 2, as: UInt16.self)
        ordinal &+= 1
        cursor = end
    }

    // MARK: Embedded values and lists

    /// Writes an embedded value as the next field. `body` writes its fields in declaration order.
    ///
    /// - Throws: any error of `body`. The row cannot be used any further after an error.
    public mutating func encodeEmbedded<Failure: Error>(
        _ body: (inout RowEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        let layout = plan.pointee.layout
        guard let embedded = layout.fields[ordinal].embedded else {
            preconditionFailure("\(layout.name).\(layout.fields[ordinal].name) is no embedded value")
        }
        try encodeNested(embedded, body)
        endFieldSlowly()
    }

    /// Writes a list as the next field. `body` writes its elements.
    ///
    /// - Throws: any error of `body`. The row cannot be used any further after an error.
    public mutating func encodeList<Failure: Error>(
        _ body: (inout ListEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        if depth < Limits.nestingDepth {
            let (embedded, depth) = (plan.pointee.layout.fields[ordinal].embedded, depth + 1)
            var reason: String?
            try writing { (arena) throws(Failure) in
                var list = ListEncoder(arena: arena, embedded: embedded, depth: depth)
                try body(&list)
                reason = list.finish()
            }
            if let reason { fail(reason) }
        } else {
            fail("values nest deeper than \(Limits.nestingDepth)")
        }
        endFieldSlowly()
    }

    private mutating func encodeNested<Failure: Error>(
        _ embedded: RowLayout, _ body: (inout RowEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        guard depth < Limits.nestingDepth else { return fail("values nest deeper than \(Limits.nestingDepth)") }
        let depth = depth + 1
        var refusal: RowRefusal?
        try writing { (arena) throws(Failure) in
            var nested = RowEncoder(arena: arena, plan: embedded.plan, depth: depth)
            try body(&nested)
            refusal = nested.finish()
        }
        if let refusal { fail("\(refusal)") }
    }
}
