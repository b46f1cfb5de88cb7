/// The events of one group before they are appended. Each event is encoded once, in memory that the next group uses again.
///
/// The writer owns this object. The sequence number of an event is known when it is staged, because a member of the
/// group that fails removes only events at the end.
package final class StagedEvents {
    let arena = ByteArena(capacity: 1 << 16)
    let events = StagedMemory<StagedEvent>(capacity: 64)
    /// Finds the latest staged event of each record.
    private let latest = KeyTable()
    /// Memory for linking, which is used again by the next group.
    var heads = StagedHeads()
    /// Memory for the fields that several events of one record change together, which is used again like ``heads``.
    let unions = ByteArena()
    private var base = Position.start
    private var wallClock: Int64 = 0
    private var incarnation: UInt64 = 0
    private(set) var commitStart = 0
    /// The offset at which the bytes of the current commit begin.
    private var commitByteStart = 0
    private(set) var schemaVersions: [(version: UInt32, sequence: SequenceNumber)] = []

    package init() {}

    deinit { events.deallocate() }

    package var count: Int { events.count }
    package var byteCount: Int { arena.count }
    /// How many more bytes of events the current commit may take.
    var remainingCommitByteCount: Int { Limits.commitByteCount - (arena.count - commitByteStart) }
    /// The position in the log before the first staged event.
    var start: Position { base }

    /// Starts a group after `position`.
    ///
    /// - Parameter wallClock: The time for all events of the group, in microseconds since 1970-01-01T00:00:00Z.
    package func begin(after position: Position, wallClock: Int64, incarnation: UInt64) {
        base = position
        self.wallClock = wallClock
        self.incarnation = incarnation
        arena.count = 0
        events.removeAll(from: 0)
        latest.removeAll()
        schemaVersions = []
        beginCommit()
    }

    /// Starts the commit of the next member of the group.
    package func beginCommit() {
        commitStart = events.count
        commitByteStart = arena.count
    }

    /// Frees memory that one large group needed.
    func trim() {
        arena.shrink(to: 8 << 20)
        events.shrink(to: 1 << 17)
    }

    func sequence(at index: Int) -> UInt64 { base.sequence.value + 1 + UInt64(index) }

    func bytes(at index: Int) -> UnsafeRawBufferPointer { arena[events[index].range] }

    func view(at index: Int) throws -> EventView { try EventView(bytes(at: index)) }

    func key(at index: Int) -> UnsafeRawBufferPointer { arena[events[index].keyRange] }

    func bitmap(at index: Int) -> UnsafeMutableRawBufferPointer {
        let range = events[index].bitmapRange
        assert(range.upperBound <= arena.count, "a bitmap lies inside the arena")
        return UnsafeMutableRawBufferPointer(start: arena.base + range.lowerBound, count: range.count)
    }

    /// The row that the event at `index` leaves, `nil` if it leaves none.
    func row(at index: Int) throws(RowDamage) -> RowView? {
        let event = events[index]
        return event.rowByteCount == 0 ? nil : try RowView(arena[event.rowRange])
    }

    package func setPrevious(_ previous: UInt64, at index: Int) {
        (arena.base + events[index].start).store(previous, at: EventFormat.Offset.previous)
    }

    /// Notes which fields the event at `index` changes, in comparison with the previous row `old` of its record. The
    /// event must have a row. Before this call, the event counts as the first one of its record: every field that has a
    /// value is marked as changed.
    func noteDifferences(from old: RowView?, at index: Int) throws(RowDamage) {
        guard let row = try row(at: index) else { return }
        let bitmap = bitmap(at: index)
        bitmap.initializeMemory(as: UInt8.self, repeating: 0)
        try row.markDifferences(from: old, in: bitmap)
    }

    /// The latest staged event of a record, `nil` if none is staged.
    func latest(of key: UnsafeRawBufferPointer, model: UInt32) -> Int? {
        latest.find(key, model: model) { isEvent($0, of: key, model) }
    }

    /// Whether the event at `index` belongs to the record of `model` with `key`.
    @inline(__always)
    private func isEvent(_ index: Int, of key: UnsafeRawBufferPointer, _ model: UInt32) -> Bool {
        events[index].modelNumber == model && ByteComparison.order(self.key(at: index), key) == 0
    }

    /// Stages an event. The closure `encode` writes its row in place.
    ///
    /// - Returns: The index of the event.
    /// - Throws: ``DataStoreError`` if the row or its key may not be stored. Nothing is then staged.
    @inline(__always)
    func stageRow(
        _ layout: ModelLayout, header: EventHeader, sections: EventSections? = nil,
        _ encode: (inout RowEncoder) throws -> Void
    ) throws -> Int {
        try stage(layout, header, sections) {
            var encoder = RowEncoder(arena: arena, layout: layout.row)
            try encode(&encoder)
            if let refusal = encoder.finish() { throw layout.refused(refusal) }
        }
    }

    /// Stages an event whose row is already encoded.
    package func stageEncoded(
        _ row: UnsafeRawBufferPointer, _ layout: ModelLayout, header: EventHeader, sections: EventSections? = nil
    ) throws -> Int {
        try stage(layout, header, sections) { arena.append(row) }
    }

    /// Stages an event whose row `write` adds to the arena.
    @inline(__always)
    private func stage(
        _ layout: ModelLayout, _ header: EventHeader, _ sections: EventSections?, writing write: () throws -> Void
    ) throws -> Int {
        let start = arena.count
        arena.reserve(EventFormat.headerByteCount)
        arena.count += EventFormat.headerByteCount
        do {
            try write()
            if !layout.row.textFields.isEmpty, !header.flags.contains(.remote) { try checkTexts(layout, from: start) }
            return try finishRow(layout, header, sections, start: start)
        } catch {
            arena.count = start
            throw error
        }
    }

    /// Stages an event without a row.
    package func stage(
        _ layout: ModelLayout?, key: UnsafeRawBufferPointer?, header: EventHeader, sections: EventSections? = nil,
        payload: [UInt8] = []
    ) throws -> Int {
        let start = arena.count
        // The key may lie in the arena. It is copied, because the arena may move when it grows.
        let key = key.map { Array($0) } ?? []
        arena.reserve(EventFormat.headerByteCount)
        arena.count += EventFormat.headerByteCount
        payload.withUnsafeBytes { arena.append($0) }
        let keyStart = arena.count
        key.withUnsafeBytes { arena.append($0) }
        return try finish(layout, header, sections, start: start, keyStart: keyStart)
    }

    /// Checks the texts of the row at the end of the arena. The event begins at `start`.
    @inline(never)
    private func checkTexts(_ layout: ModelLayout, from start: Int) throws {
        try layout.checkTexts(arena[(start + EventFormat.headerByteCount)..<arena.count])
    }

    /// Adds the key of the row at the end of the arena, and the parts of the event that follow the key.
    @inline(__always)
    private func finishRow(
        _ layout: ModelLayout, _ header: EventHeader, _ sections: EventSections?, start: Int
    ) throws -> Int {
        let keyStart = arena.count
        let target = UnsafeMutableRawBufferPointer(
            start: arena.reserve(Limits.keyByteCount), count: Limits.keyByteCount)
        var key = KeyEncoder(target)
        let row = arena[(start + EventFormat.headerByteCount)..<keyStart]
        try key.appendPrimaryKey(of: RowView(row), layout: layout)
        guard !key.isOverflowing else { throw layout.refusedKey() }
        arena.count += key.byteCount
        return try finish(layout, header, sections, start: start, keyStart: keyStart)
    }

    @inline(__always)
    private func finish(
        _ layout: ModelLayout?, _ header: EventHeader, _ sections: EventSections?, start: Int, keyStart: Int
    ) throws -> Int {
        assert(keyStart >= start + EventFormat.headerByteCount, "a key comes after its event's header")
        let keyByteCount = arena.count - keyStart
        let bitmapByteCount = layout.map { ($0.row.slotCount + 7) / 8 } ?? 0
        let hasRow = header.kind == .saved || (header.kind == .received && !header.flags.contains(.rowIsAbsent))
        let rowByteCount = hasRow ? keyStart - start - EventFormat.headerByteCount : 0
        appendBitmap(bitmapByteCount, rowByteCount: rowByteCount, rowStart: start + EventFormat.headerByteCount)
        var header = header
        if let sections { sections.append(to: arena, &header) }
        header.keyLength = UInt16(keyByteCount)
        header.bitmapLength = UInt16(bitmapByteCount)
        header.model = layout?.number ?? 0
        header.sequence = sequence(at: events.count)
        header.wallClock = wallClock
        header.incarnation = incarnation
        header.indexInCommit = UInt32(events.count - commitStart)
        let length = arena.count - start
        assert(start >= commitByteStart, "an event comes after the start of its commit")
        guard arena.count - commitByteStart <= Limits.commitByteCount else {
            arena.count = start
            throw DataStoreError.transactionTooLarge
        }
        header.write(to: arena.base + start, length: length)
        var event = StagedEvent(
            start: start, length: UInt32(length), layout: layout, kind: header.kind,
            changesRow: header.kind.changesRow(header.flags),
            rowByteCount: UInt32(rowByteCount), keyOffset: UInt32(keyStart - start), keyByteCount: UInt16(keyByteCount),
            bitmapByteCount: UInt16(bitmapByteCount))
        if event.changesRow, let layout {
            let key = arena[keyStart..<(keyStart + keyByteCount)]
            assert(keyByteCount > 0, "an event that changes a row names its record")
            let prior = latest.insert(events.count, key, model: layout.number) { isEvent($0, of: key, layout.number) }
            event.prior = Int32(prior ?? -1)
        }
        events.append(event)
        return events.count - 1
    }

    /// Adds the bitmap of changed fields. At first it marks every field that has a value, as for a new record.
    @inline(__always)
    private func appendBitmap(_ byteCount: Int, rowByteCount: Int, rowStart: Int) {
        let bitmap = arena.reserve(byteCount)
        bitmap.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        if rowByteCount > 0 {
            let row = UnsafeRawPointer(arena.base + rowStart)
            let presentByteCount = (Int(row.load(2, as: UInt16.self)) + 7) / 8
            bitmap.copyMemory(from: row + RowView.headerByteCount, byteCount: min(byteCount, presentByteCount))
        }
        arena.count += byteCount
    }

    func noteSchema(version: UInt32, at index: Int) {
        precondition(index >= 0 && index < events.count, "a schema is that of a staged event")
        assert(schemaVersions.last.map { $0.version < version } ?? true, "schema versions rise")
        schemaVersions.append((version, SequenceNumber(sequence(at: index))))
    }

    /// Removes the staged events from `index` on.
    func truncate(to index: Int) {
        guard index < events.count else { return }
        let start = events[index].start
        assert(start <= arena.count, "a staged event begins inside the arena")
        for later in stride(from: events.count - 1, through: index, by: -1) {
            let event = events[later]
            guard event.changesRow, event.modelNumber != 0 else { continue }
            let key = key(at: later)
            latest.replace(later, with: event.prior < 0 ? nil : Int(event.prior), key, model: event.modelNumber) {
                isEvent($0, of: key, event.modelNumber)
            }
        }
        events.removeAll(from: index)
        arena.count = start
        schemaVersions.removeAll { $0.sequence.value >= sequence(at: index) }
    }
}
