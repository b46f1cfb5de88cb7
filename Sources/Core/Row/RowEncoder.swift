/// Writes one row, field after field in declaration order, into memory that will become part of an event.
///
/// Values that no store takes (a Float that is not finite, a text beyond the limit) are noted and refused by the write
/// that asked for the row, before anything is appended.
public struct RowEncoder: ~Copyable {
    private let arena: ArenaMemory
    private let layout: RowLayout
    private let start: Int
    private let depth: Int
    /// How the layout is looked at for every field, without going through it.
    private let fieldCount: Int
    private let isSequential: Bool
    /// Where the table of ends stands, from the row's start.
    private let tableOffset: Int
    private var ordinal = 0
    private var isWide = false
    /// Where each slot's value stands, kept only while slots are not written in order.
    private var ranges: [Range<Int>]
    package private(set) var failure: String?

    @inline(__always)
    package init(arena: ByteArena, layout: RowLayout) { self.init(arena: arena.memory, layout: layout, depth: 0) }

    @inline(__always)
    fileprivate init(arena: ArenaMemory, layout: RowLayout, depth: Int) {
        self.arena = arena
        self.layout = layout
        self.depth = depth
        start = arena.count
        fieldCount = layout.fields.count
        isSequential = layout.isSequential
        tableOffset = RowView.headerByteCount + (layout.slotCount + 7) / 8
        ranges = layout.isSequential ? [] : Array(repeating: 0..<0, count: layout.slotCount)
        let byteCount = Self.headerByteCount(slotCount: layout.slotCount, isWide: false)
        let base = arena.reserve(byteCount)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        base.store(RowView.version, at: 0)
        base.store(UInt16(layout.slotCount), at: 2)
        arena.count += byteCount
    }

    /// The names of the fields in declaration order.
    var fieldNames: [String] { layout.fields.map(\.name) }

    private static func headerByteCount(slotCount: Int, isWide: Bool) -> Int {
        RowView.headerByteCount + (slotCount + 7) / 8 + slotCount * (isWide ? 4 : 2)
    }

    /// The next field is missing.
    @inline(__always)
    public mutating func encodeMissing() {
        precondition(ordinal < fieldCount, "a row has as many values as its model has fields")
        if layout.fields[ordinal].isRequired { fail("a required value is missing") }
        endField(isPresent: false, from: arena.count)
    }

    /// The next field is `value`: an `ID`, `String` or enum.
    @inline(__always)
    public mutating func encode(_ value: String) {
        let from = arena.count
        arena.append(value)
        endField(isPresent: true, from: from)
    }

    /// The next field is the value whose encoding (FORMATS, section 4) `bytes` are: of a text its UTF-8 bytes.
    @inline(__always)
    package mutating func encode(bytes: UnsafeRawBufferPointer) {
        let from = arena.count
        arena.append(bytes)
        endField(isPresent: true, from: from)
    }

    /// The next field is `value`, an `Int`.
    @inline(__always)
    public mutating func encode(_ value: Int) { encode(Int64(value)) }

    /// The next field is `value`, an `Int`.
    @inline(__always)
    public mutating func encode(_ value: Int64) {
        let from = arena.count
        arena.reserve(8).store(value, at: 0)
        arena.count += 8
        endField(isPresent: true, from: from)
    }

    /// The next field is `value`, a `Float`; −0 is written as 0, a value that is not finite is refused.
    public mutating func encode(_ value: Double) {
        let from = arena.count
        if !value.isFinite { fail("a Float is not finite") }
        arena.reserve(8).store((value == 0 ? 0 : value).bitPattern, at: 0)
        arena.count += 8
        endField(isPresent: true, from: from)
    }

    /// The next field is `value`, a `Boolean`.
    public mutating func encode(_ value: Bool) {
        let from = arena.count
        arena.reserve(1).store(UInt8(value ? 1 : 0), at: 0)
        arena.count += 1
        endField(isPresent: true, from: from)
    }

    /// The next field is `value`, an `AWSDate`, `AWSTime` or `AWSDateTime`.
    public mutating func encode(_ value: some TemporalText) {
        let from = arena.count
        appendTemporal(value)
        endField(isPresent: true, from: from)
    }

    /// The next field is `value`, an `AWSTimestamp`.
    public mutating func encode(_ value: Temporal.Timestamp) { encode(value.seconds) }

    /// The next field is an enum whose raw text `value` is.
    public mutating func encode<Value: RawRepresentable>(_ value: Value) where Value.RawValue == String {
        encode(value.rawValue)
    }

    /// The next field is an embedded value, whose own fields `body` writes in declaration order.
    ///
    /// - Throws: what `body` throws; the row is then of no further use.
    public mutating func encodeEmbedded<Failure: Error>(
        _ body: (inout RowEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        let from = arena.count
        guard let embedded = layout.fields[ordinal].embedded else {
            preconditionFailure("\(layout.name).\(layout.fields[ordinal].name) is no embedded value")
        }
        try encodeNested(embedded, body)
        endField(isPresent: true, from: from)
    }

    /// The next field is a list, whose elements `body` writes.
    ///
    /// - Throws: what `body` throws; the row is then of no further use.
    public mutating func encodeList<Failure: Error>(
        _ body: (inout ListEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        let from = arena.count
        if depth < Limits.nestingDepth {
            var list = ListEncoder(arena: arena, embedded: layout.fields[ordinal].embedded, depth: depth + 1)
            try body(&list)
            if let reason = list.finish() { fail(reason) }
        } else {
            fail("values nest deeper than \(Limits.nestingDepth)")
        }
        endField(isPresent: true, from: from)
    }

    private mutating func encodeNested<Failure: Error>(
        _ embedded: RowLayout, _ body: (inout RowEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        guard depth < Limits.nestingDepth else { return fail("values nest deeper than \(Limits.nestingDepth)") }
        var nested = RowEncoder(arena: arena, layout: embedded, depth: depth + 1)
        try body(&nested)
        if let reason = nested.finish() { fail(reason) }
    }

    private func appendTemporal(_ value: some TemporalText) { arena.appendTemporal(value.instant, value.text) }

    private mutating func fail(_ reason: String) {
        if failure == nil {
            failure = "\(layout.name).\(layout.fields[min(ordinal, layout.fields.count - 1)].name): \(reason)"
        }
    }

    @inline(__always)
    private mutating func endField(isPresent: Bool, from: Int) {
        precondition(ordinal < fieldCount, "a row has as many values as its model has fields")
        if isSequential {
            setEnd(slot: ordinal, isPresent: isPresent)
        } else if isPresent {
            ranges[layout.fields[ordinal].slot] = (from - start)..<(arena.count - start)
            markPresent(layout.fields[ordinal].slot)
        }
        ordinal += 1
    }

    @inline(__always)
    private func markPresent(_ slot: Int) {
        let address = arena.base + start + RowView.headerByteCount + slot >> 3
        address.store(UnsafeRawPointer(address).load(0, as: UInt8.self) | 1 << UInt8(slot & 7), at: 0)
    }

    @inline(__always)
    private mutating func setEnd(slot: Int, isPresent: Bool) {
        if isPresent { markPresent(slot) }
        if !isWide, arena.count &- start > Int(UInt16.max) { widen(writtenSlots: slot) }
        let table = arena.base + (start &+ tableOffset)
        if isWide {
            table.store(UInt32(truncatingIfNeeded: arena.count &- start), at: slot &* 4)
        } else {
            table.store(UInt16(truncatingIfNeeded: arena.count &- start), at: slot &* 2)
        }
    }

    /// Makes room for 4-byte ends once the row has outgrown 2-byte ones.
    private mutating func widen(writtenSlots: Int) {
        let table = start + tableOffset
        let growth = layout.slotCount * 2
        let valuesStart = table + growth
        arena.reserve(growth)
        let values = arena.base + valuesStart
        (values + growth).copyMemory(from: values, byteCount: arena.count - valuesStart)
        arena.count += growth
        for slot in stride(from: writtenSlots - 1, through: 0, by: -1) {
            let end = UnsafeRawPointer(arena.base + table).load(slot * 2, as: UInt16.self)
            (arena.base + table).store(UInt32(end) + UInt32(growth), at: slot * 4)
        }
        (arena.base + start).store(RowView.version | RowView.wideFlag, at: 0)
        isWide = true
    }

    /// Completes the row and says what is wrong with it, if anything is. The row runs from where it started to the
    /// arena's end.
    package mutating func finish() -> String? {
        precondition(ordinal == fieldCount, "a row has as many values as its model has fields")
        if !isSequential { arrange() }
        if arena.count - start > Limits.rowByteCount { fail("the row is larger than \(Limits.rowByteCount) bytes") }
        return failure
    }

    /// Puts values that were written in declaration order into the order of their slots.
    private mutating func arrange() {
        let header = Self.headerByteCount(slotCount: layout.slotCount, isWide: false)
        let values = Array(arena[(start + header)..<arena.count])
        arena.count = start + header
        for slot in 0..<layout.slotCount {
            let range = ranges[slot]
            if !range.isEmpty {
                values.withUnsafeBytes {
                    arena.append(
                        UnsafeRawBufferPointer(rebasing: $0[(range.lowerBound - header)..<(range.upperBound - header)]))
                }
            }
            setEnd(slot: slot, isPresent: false)
        }
    }
}

/// Writes the elements of a list field.
public struct ListEncoder: ~Copyable {
    private let arena: ArenaMemory
    private let embedded: RowLayout?
    private let depth: Int
    private let start: Int
    private var elementCount: UInt32 = 0
    private var failure: String?

    static let missingElement = UInt32.max

    init(arena: ByteArena, embedded: RowLayout?, depth: Int) {
        self.init(arena: arena.memory, embedded: embedded, depth: depth)
    }

    fileprivate init(arena: ArenaMemory, embedded: RowLayout?, depth: Int) {
        self.arena = arena
        self.embedded = embedded
        self.depth = depth
        start = arena.count
        arena.reserve(4)
        arena.count += 4
    }

    /// The next element is missing.
    public mutating func appendMissing() {
        arena.reserve(4).store(Self.missingElement, at: 0)
        arena.count += 4
        elementCount += 1
    }

    /// The next element is `value`: an `ID`, `String` or enum.
    public mutating func append(_ value: String) {
        element { $0.append(value) }
    }

    /// The next element is the value whose encoding (FORMATS, section 4) `bytes` are: of a text its UTF-8 bytes.
    package mutating func append(bytes: UnsafeRawBufferPointer) { element { $0.append(bytes) } }

    /// The next element is `value`, an `Int`.
    public mutating func append(_ value: Int) { append(Int64(value)) }

    /// The next element is `value`, an `Int`.
    public mutating func append(_ value: Int64) {
        element {
            $0.reserve(8).store(value, at: 0)
            $0.count += 8
        }
    }

    /// The next element is `value`, a finite `Float`.
    public mutating func append(_ value: Double) {
        if !value.isFinite { failure = failure ?? "a Float is not finite" }
        append(Int64(bitPattern: (value == 0 ? 0 : value).bitPattern))
    }

    /// The next element is `value`, a `Boolean`.
    public mutating func append(_ value: Bool) {
        element {
            $0.reserve(1).store(UInt8(value ? 1 : 0), at: 0)
            $0.count += 1
        }
    }

    /// The next element is `value`, a temporal.
    public mutating func append(_ value: some TemporalText) {
        element { $0.appendTemporal(value.instant, value.text) }
    }

    /// The next element is `value`, an `AWSTimestamp`.
    public mutating func append(_ value: Temporal.Timestamp) { append(value.seconds) }

    /// The next element is an embedded value, whose fields `body` writes.
    ///
    /// - Throws: what `body` throws; the list is then of no further use.
    public mutating func appendEmbedded<Failure: Error>(
        _ body: (inout RowEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        guard let embedded else { preconditionFailure("the list holds no embedded values") }
        guard depth < Limits.nestingDepth else {
            failure = failure ?? "values nest deeper than \(Limits.nestingDepth)"
            return
        }
        var reason: String?
        let depth = depth + 1
        try element { (arena) throws(Failure) in
            var nested = RowEncoder(arena: arena, layout: embedded, depth: depth)
            try body(&nested)
            reason = nested.finish()
        }
        failure = failure ?? reason
    }

    /// The next element is a list, whose elements `body` writes.
    ///
    /// - Throws: what `body` throws; the list is then of no further use.
    public mutating func appendList<Failure: Error>(
        _ body: (inout ListEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        guard depth < Limits.nestingDepth else {
            failure = failure ?? "values nest deeper than \(Limits.nestingDepth)"
            return
        }
        var reason: String?
        let (embedded, depth) = (embedded, depth + 1)
        try element { (arena) throws(Failure) in
            var nested = ListEncoder(arena: arena, embedded: embedded, depth: depth)
            try body(&nested)
            reason = nested.finish()
        }
        failure = failure ?? reason
    }

    private mutating func element<Failure: Error>(_ body: (ArenaMemory) throws(Failure) -> Void) throws(Failure) {
        let lengthOffset = arena.count
        arena.reserve(4)
        arena.count += 4
        try body(arena)
        (arena.base + lengthOffset).store(UInt32(truncatingIfNeeded: arena.count - lengthOffset - 4), at: 0)
        elementCount += 1
    }

    consuming func finish() -> String? {
        (arena.base + start).store(elementCount, at: 0)
        return failure
    }
}

extension ArenaMemory {
    fileprivate func appendTemporal(_ instant: Temporal.Instant, _ text: String) {
        let base = reserve(RowView.instantByteCount)
        base.store(instant.seconds, at: 0)
        base.store(instant.nanoseconds, at: 8)
        count += RowView.instantByteCount
        append(text)
    }
}
