/// The slow path, for rows that outgrow their memory or two-byte ends, and for rows with their slots in another order.
extension RowEncoder {
    @usableFromInline
    @inline(never)
    mutating func encodeSlowly(_ value: String) {
        var value = value
        value.withUTF8 { encode(bytes: UnsafeRawBufferPointer($0)) }
    }

    @usableFromInline
    @inline(never)
    mutating func encodeSlowly(_ value: Int64) {
        withUnsafeBytes(of: value.littleEndian) { encode(bytes: $0) }
    }

    @usableFromInline
    @inline(never)
    mutating func encodeSlowly(_ value: Bool) {
        withUnsafeBytes(of: UInt8(value ? 1 : 0)) { encode(bytes: $0) }
    }

    @usableFromInline
    @inline(never)
    mutating func failNotFinite() { fail("a Float is not finite") }

    @inline(never)
    mutating func fail(_ reason: String) {
        let fields = plan.pointee.layout.fields
        refuse(fields[min(ordinal, fields.count - 1)], reason)
    }

    /// Notes the first refusal.
    private mutating func refuse(_ field: FieldLayout, _ reason: String) {
        guard failure == nil else { return }
        failure = RowRefusal(owner: plan.pointee.layout.name, ordinal: field.ordinal, field: field.name, reason)
    }

    /// Refuses a row that is larger than a row may be. The refusal names the field that takes most of its bytes.
    @inline(never)
    private mutating func failForSize() {
        let (plan, layout) = (plan.pointee, plan.pointee.layout)
        let valuesStart = plan.valuesOffset + (isWide ? plan.slotCount * 2 : 0)
        let sizes = layout.fields.map { field in
            (field: field, byteCount: end(field.slot) - (field.slot == 0 ? valuesStart : end(field.slot - 1)))
        }
        guard let largest = sizes.max(by: { $0.byteCount < $1.byteCount }) else { return }
        refuse(
            largest.field,
            "the row is larger than \(Limits.rowByteCount) bytes; this field has \(largest.byteCount) of them")
    }

    /// Completes the row, which reaches to the arena's end. Returns the reason if the row is invalid.
    @inline(__always)
    package mutating func finish() -> RowRefusal? {
        precondition(ordinal == fieldCount, "a row has as many values as its model has fields")
        if !plan.pointee.isSequential { arrange() }
        commit()
        if cursor - row > Limits.rowByteCount { failForSize() }
        return failure
    }

    /// Tells the arena how many bytes were written, before other code writes to it.
    @inline(__always)
    func commit() { arena.count = cursor - arena.base }

    /// Makes sure that `byteCount` more bytes fit the memory.
    mutating func makeRoom(_ byteCount: Int) {
        guard arena.limit - cursor < byteCount else { return }
        let start = row - arena.base
        commit()
        arena.reserve(byteCount)
        resume(at: start)
    }

    /// Calls `body`, which writes the next value at the arena's end.
    @inline(__always)
    mutating func writing<Failure: Error>(_ body: (ByteArena.Memory) throws(Failure) -> Void) throws(Failure) {
        let start = row - arena.base
        commit()
        try body(arena)
        resume(at: start)
    }

    /// Continues at the arena's end after other code wrote to the arena and may have moved it. The row begins at `start`.
    private mutating func resume(at start: Int) {
        row = arena.base + start
        table = row + plan.pointee.tableOffset
        cursor = arena.base + arena.count
        limit = isWide ? row : min(arena.limit, row + Int(UInt16.max))
    }

    /// Ends the next field's value at the cursor. The value may end after the limit of two-byte ends.
    mutating func endFieldSlowly() {
        precondition(ordinal < fieldCount, "a row has as many values as its model has fields")
        if !isWide, cursor - row > Int(UInt16.max) { widen() }
        setEnd(ordinal)
        ordinal += 1
    }

    /// Stores the cursor as the end of the value at `place` in the table.
    private func setEnd(_ place: Int) {
        if isWide {
            table.store(UInt32(truncatingIfNeeded: cursor - row), at: place * 4)
        } else {
            table.store(UInt16(truncatingIfNeeded: cursor - row), at: place * 2)
        }
    }

    private func end(_ place: Int) -> Int {
        let table = UnsafeRawPointer(table)
        return isWide ? Int(table.load(place * 4, as: UInt32.self)) : Int(table.load(place * 2, as: UInt16.self))
    }

    /// Makes space for 4-byte ends after the row has outgrown 2-byte ends.
    private mutating func widen() {
        let growth = plan.pointee.slotCount * 2
        makeRoom(growth)
        let values = row + plan.pointee.valuesOffset
        (values + growth).copyMemory(from: values, byteCount: cursor - values)
        cursor += growth
        for place in stride(from: ordinal - 1, through: 0, by: -1) {
            let end = UnsafeRawPointer(table).load(place * 2, as: UInt16.self)
            table.store(UInt32(end) + UInt32(growth), at: place * 4)
        }
        row.store(RowView.version | RowView.wideFlag, at: 0)
        isWide = true
        limit = row
    }

    /// Moves values that were written in declaration order into the order of their slots.
    private mutating func arrange() {
        let (plan, fields) = (plan.pointee, plan.pointee.layout.fields)
        let valuesOffset = plan.valuesOffset + (isWide ? plan.slotCount * 2 : 0)
        let written = Array(UnsafeRawBufferPointer(start: row, count: cursor - row))
        var ends: [Int] = []
        for ordinal in fields.indices { ends.append(end(ordinal)) }
        var ordinals = [Int?](repeating: nil, count: plan.slotCount)
        for field in fields where written[RowView.headerByteCount + field.ordinal >> 3] & 1 << (field.ordinal & 7) != 0
        {
            ordinals[field.slot] = field.ordinal
        }
        let presence = row + RowView.headerByteCount
        presence.initializeMemory(as: UInt8.self, repeating: 0, count: plan.tableOffset - RowView.headerByteCount)
        cursor = row + valuesOffset
        for (slot, ordinal) in ordinals.enumerated() {
            if let ordinal {
                let start = ordinal == 0 ? valuesOffset : ends[ordinal - 1]
                written.withUnsafeBytes { bytes in
                    let value = UnsafeRawBufferPointer(rebasing: bytes[start..<ends[ordinal]])
                    if let source = value.baseAddress { cursor.copyMemory(from: source, byteCount: value.count) }
                }
                cursor += ends[ordinal] - start
                let byte = UnsafeRawPointer(presence).load(slot >> 3, as: UInt8.self)
                presence.store(byte | 1 << UInt8(slot & 7), at: slot >> 3)
            }
            setEnd(slot)
        }
    }
}
