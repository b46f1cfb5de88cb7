/// The facts about the fields of a ``RowLayout`` that encoding and decoding need.
///
/// They are in plain memory, so that hot paths do not follow objects or count references.
///
/// A plan exists as long as its layout. Encoders and decoders hold pointers to it. That is safe because the code that makes an
/// encoder or decoder keeps the layout alive while it uses it.
struct RowPlan {
    let fieldCount: Int
    let slotCount: Int
    /// Whether each field's ordinal equals its slot.
    let isSequential: Bool
    /// The offset of the table of ends from the row's start.
    let tableOffset: Int
    /// The offset of the values in a row with two-byte ends.
    let valuesOffset: Int
    /// The first 8 bytes of a row in which all fields have values.
    let head: UInt64
    /// The presence bits of a row in which all fields have values.
    private let presence: UnsafeMutablePointer<UInt8>
    /// Whether each field must have a value, by ordinal.
    private let required: UnsafeMutablePointer<Bool>
    /// The slot of each field, by ordinal.
    private let slots: UnsafeMutablePointer<UInt16>
    private let reference: Unmanaged<RowLayout>

    /// The plan of `layout`. The layout deallocates it.
    init(_ layout: RowLayout) {
        reference = Unmanaged.passUnretained(layout)
        fieldCount = layout.fields.count
        slotCount = layout.slotCount
        isSequential = layout.isSequential
        let presenceByteCount = (slotCount + 7) / 8
        tableOffset = RowView.headerByteCount + presenceByteCount
        valuesOffset = tableOffset + slotCount * 2
        presence = .allocate(capacity: presenceByteCount)
        presence.initialize(repeating: 0, count: presenceByteCount)
        required = .allocate(capacity: layout.fields.count)
        slots = .allocate(capacity: layout.fields.count)
        for (ordinal, field) in layout.fields.enumerated() {
            presence[ordinal >> 3] |= 1 << UInt8(ordinal & 7)
            (required + ordinal).initialize(to: field.isRequired)
            (slots + ordinal).initialize(to: UInt16(field.slot))
        }
        var head = UInt64(RowView.version) | UInt64(UInt16(slotCount)) << 16
        for place in 0..<min(presenceByteCount, 4) { head |= UInt64(presence[place]) << UInt64(32 + place * 8) }
        self.head = head
    }

    func deallocate() {
        presence.deallocate()
        required.deallocate()
        slots.deallocate()
    }

    /// The layout, which owns the plan.
    var layout: RowLayout { reference.takeUnretainedValue() }

    @inline(__always)
    func isRequired(_ ordinal: Int) -> Bool { required[ordinal] }

    @inline(__always)
    func slot(_ ordinal: Int) -> Int { Int(slots[ordinal]) }

    /// Writes the version, the number of slots and the presence bits of a row with all fields. The memory has at least 8 bytes.
    @inline(__always)
    func writeHead(to row: UnsafeMutableRawPointer) {
        row.store(head, at: 0)
        let presenceByteCount = tableOffset - RowView.headerByteCount
        if presenceByteCount > 4 {
            (row + RowView.headerByteCount).copyMemory(from: presence, byteCount: presenceByteCount)
        }
    }
}
