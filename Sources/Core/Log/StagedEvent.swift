/// Where one staged event lies in the arena.
struct StagedEvent {
    let start: Int
    let length: UInt32
    /// Unmanaged: the group's schema outlives it, and counting references costs more than the rest of staging.
    private let model: Unmanaged<ModelLayout>?
    /// The model's number, 0 if the event is of none.
    let modelNumber: UInt32
    let kind: EventKind
    /// Whether the event puts or removes its record's visible row.
    let changesRow: Bool
    let rowByteCount: UInt32
    let keyOffset: UInt32
    let keyByteCount: UInt16
    let bitmapByteCount: UInt16
    /// The staged event of the same record before this one, −1 if there is none.
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
