/// The place of a staged event in the arena, and its properties.
struct StagedEvent {
    let start: Int
    let length: UInt32
    /// The layout is unmanaged, because the schema of the group outlives the staged event, and because counting
    /// references would cost more than the rest of staging.
    private let model: Unmanaged<ModelLayout>?
    /// The number of the record's model, 0 if the event concerns no record.
    let modelNumber: UInt32
    let kind: EventKind
    /// Whether the event writes or removes the visible row of its record.
    let changesRow: Bool
    let rowByteCount: UInt32
    let keyOffset: UInt32
    let keyByteCount: UInt16
    let bitmapByteCount: UInt16
    /// The index of the previous staged event of the same record, −1 if there is none.
    var prior: Int32 = -1

    init(
        start: Int, length: UInt32, layout: ModelLayout?, kind: EventKind, changesRow: Bool, rowByteCount: UInt32,
        keyOffset: UInt32, keyByteCount: UInt16, bitmapByteCount: UInt16
    ) {
        self.start = start
        self.length = length
        model = layout.map { Unmanaged.passUnretained($0) }
        modelNumber = layout?.number ?? 0
        self.kind = kind
        self.changesRow = changesRow
        self.rowByteCount = rowByteCount
        self.keyOffset = keyOffset
        self.keyByteCount = keyByteCount
        self.bitmapByteCount = bitmapByteCount
    }

    var layout: ModelLayout? { model?.takeUnretainedValue() }

    var range: Range<Int> { start..<(start + Int(length)) }
    var rowRange: Range<Int> {
        let rowStart = start + EventFormat.headerByteCount
        return rowStart..<(rowStart + Int(rowByteCount))
    }
    var keyRange: Range<Int> {
        let keyStart = start + Int(keyOffset)
        return keyStart..<(keyStart + Int(keyByteCount))
    }
    var bitmapRange: Range<Int> {
        let bitmapStart = start + Int(keyOffset) + Int(keyByteCount)
        return bitmapStart..<(bitmapStart + Int(bitmapByteCount))
    }
}
