/// A part of the log that is projected at once.
struct LoadedEvents {
    /// The events in the log's order.
    private(set) var events: ContiguousArray<Entry> = []
    /// The position after the events, or `nil` if there are no further events to project.
    private(set) var end: Position?

    /// Collects the events after `position` in whole commits, until there are `eventCount` events or `byteCount` bytes.
    ///
    /// At or below the floor, commits have gaps, so the part may end after any event there. If no further event can be read
    /// below the floor, the part ends at the floor itself.
    ///
    /// - Parameters:
    ///   - limit: The end of a commit. Later events are not collected.
    ///   - isWanted: Whether the caller must release the view of the log.
    /// - Throws: ``Projector.LogViewWanted`` if the caller must release it.
    init(
        _ reader: LogReader, after position: Position, floor: Position, upTo limit: SequenceNumber?, eventCount: Int,
        byteCount: Int = .max, isWanted: () -> Bool
    ) throws {
        precondition(eventCount > 0 && byteCount > 0, "a stretch has room for an event")
        var (events, end, collectedByteCount): (ContiguousArray<Entry>, Position?, Int) = ([], nil, 0)
        var last = position.sequence
        var isFull: Bool { events.count >= eventCount || collectedByteCount >= byteCount }
        try reader.forEach(after: position.sequence) { event in
            if isWanted() { throw Projector.LogViewWanted() }
            if let limit, event.sequence > limit { return false }
            last = event.sequence
            events.append(Entry(event))
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
        self.events = events
        self.end = end
    }

    /// Passes the events that change rows to `body`, in slices of about `count` events.
    ///
    /// Each slice has events of one model, sorted by key and then by sequence number. All events of a record are in the same
    /// slice.
    func forEachSortedSlice(of count: Int, _ body: (_ model: UInt32, ArraySlice<Entry>) throws -> Void) throws {
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

    /// An event in the memory map of the log, in 24 bytes. It is valid as long as the log's reader.
    struct Entry {
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

        /// Whether this event comes before `other` by model, key and sequence number.
        fileprivate func precedes(_ other: Entry) throws -> Bool {
            if model != other.model { return model < other.model }
            if prefix != other.prefix { return prefix < other.prefix }
            let (mine, theirs) = (try view(), try other.view())
            let order = ByteComparison.order(mine.key, theirs.key)
            return order != 0 ? order < 0 : mine.sequence < theirs.sequence
        }

        func isSameRecord(as other: Entry) throws -> Bool {
            guard model == other.model, prefix == other.prefix else { return false }
            return ByteComparison.order(try view().key, try other.view().key) == 0
        }
    }
}
