/// A stretch of the log that is projected at a time.
struct LoadedEvents {
    /// In the log's order.
    private(set) var events: ContiguousArray<LoadedEvent> = []
    /// The place that the events lead to; `nil` if there is nothing more to project.
    private(set) var end: Position?

    /// Collects the events after `position`, in whole commits, until there are `eventCount` or `byteCount` bytes.
    ///
    /// At or below the floor commits have holes, so every event may end the stretch; and where nothing above it is left to
    /// read, the place reached is the floor itself.
    ///
    /// - Parameters:
    ///   - limit: The end of a commit; events after it are left.
    ///   - isWanted: Whether the view is to be given up.
    /// - Throws: ``LogViewWanted`` if it is.
    init(
        _ reader: LogReader, after position: Position, floor: Position, upTo limit: SequenceNumber?, eventCount: Int,
        byteCount: Int = .max, isWanted: () -> Bool
    ) throws {
        precondition(eventCount > 0 && byteCount > 0, "a stretch has room for an event")
        var (events, end, collectedByteCount): (ContiguousArray<LoadedEvent>, Position?, Int) = ([], nil, 0)
        var last = position.sequence
        var isFull: Bool { events.count >= eventCount || collectedByteCount >= byteCount }
        try reader.forEach(after: position.sequence) { event in
            if isWanted() { throw LogViewWanted() }
            if let limit, event.sequence > limit { return false }
            last = event.sequence
            events.append(LoadedEvent(event))
            collectedByteCount += event.bytes.count
            guard event.isLastInCommit || event.sequence <= floor.sequence else { return true }
            end = Position(sequence: event.sequence, chain: event.chain)
            return !isFull
        }
        if last != end?.sequence ?? position.sequence {
            throw DataStoreError.damagedLog("ends in the middle of a commit, at event \(last)")
        }
        let reachesFloor = limit.map { floor.sequence <= $0 } ?? true
        if !isFull, reachesFloor, (end ?? position).sequence < floor.sequence { end = floor }
        (self.events, self.end) = (events, end)
    }

    /// Hands the events that change rows to `body`, of one model at a time and sorted by key, then sequence; in slices of
    /// about `count` that part no record's events.
    func forEachSortedSlice(
        of count: Int, _ body: (_ model: UInt32, ArraySlice<LoadedEvent>) throws -> Void
    ) throws {
        precondition(count > 0, "a slice has room for an event")
        var sorted = try events.filter { try $0.view().changesRow }
        try sorted.sort { try $0.precedes($1) }
        var first = 0
        while first < sorted.count {
            let model = sorted[first].model
            var end = min(first + count, sorted.count)
            while end > first, sorted[end - 1].model != model { end -= 1 }
            while end < sorted.count, try sorted[end].isSameRecord(as: sorted[end - 1]) { end += 1 }
            assert(end > first, "a slice has an event")
            try body(model, sorted[first..<end])
            first = end
        }
    }
}

/// An event in the log's map, in 24 bytes. Valid as long as the log's reader.
struct LoadedEvent {
    private let base: UnsafeRawPointer
    private let length: UInt32
    let model: UInt32
    private let prefix: UInt64

    init(_ event: EventView) {
        guard let base = event.bytes.baseAddress else { preconditionFailure("an event has bytes") }
        self.base = base
        length = UInt32(event.bytes.count)
        model = event.modelNumber
        prefix = event.key.bigEndianPrefix
    }

    func view() throws(EventDamage) -> EventView {
        try EventView(UnsafeRawBufferPointer(start: base, count: Int(length)))
    }

    /// By model, key and sequence.
    fileprivate func precedes(_ other: LoadedEvent) throws -> Bool {
        if model != other.model { return model < other.model }
        if prefix != other.prefix { return prefix < other.prefix }
        let (mine, theirs) = (try view(), try other.view())
        let order = ByteComparison.order(mine.key, theirs.key)
        return order != 0 ? order < 0 : mine.sequence < theirs.sequence
    }

    func isSameRecord(as other: LoadedEvent) throws -> Bool {
        guard model == other.model, prefix == other.prefix else { return false }
        return ByteComparison.order(try view().key, try other.view().key) == 0
    }
}
