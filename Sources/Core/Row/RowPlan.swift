/// What the fields of a ``RowLayout`` need while rows are written and read, in plain memory: hot paths follow no object
/// and count no reference.
///
/// It lives as long as its layout. Encoders and decoders hold pointers to it: sound because the code that makes one keeps the
/// layout meanwhile.
struct RowPlan {
    let fieldCount: Int
    let slotCount: Int
    /// Whether every ordinal is its slot.
    let isSequential: Bool
    /// Where the table of ends stands, from the row's start.
    let tableOffset: Int
    /// Where the values of a row with two-byte ends start.
    let valuesOffset: Int
    /// A row's first eight bytes, all its fields present.
    let head: UInt64
    /// The presence of all fields, by ordinal.
    private let presence: UnsafeMutablePointer<UInt8>
    /// By ordinal, whether every row must have a value.
    private let required: UnsafeMutablePointer<Bool>
    /// By ordinal.
    private let slots: UnsafeMutablePointer<UInt16>
    private let reference: Unmanaged<RowLayout>

    /// The plan of `layout`, which deallocates it.
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

    /// The layout, which keeps the plan.
    var layout: RowLayout { reference.takeUnretainedValue() }

    @inline(__always)
    func isRequired(_ ordinal: Int) -> Bool { required[ordinal] }

    @inline(__always)
    func slot(_ ordinal: Int) -> Int { Int(slots[ordinal]) }

    /// Writes version, number of slots and presence of a row that has every field, into memory for eight bytes at least.
    @inline(__always)
    func writeHead(to row: UnsafeMutableRawPointer) {
        row.store(head, at: 0)
        let presenceByteCount = tableOffset - RowView.headerByteCount
        if presenceByteCount > 4 {
            (row + RowView.headerByteCount).copyMemory(from: presence, byteCount: presenceByteCount)
        }
    }
}
