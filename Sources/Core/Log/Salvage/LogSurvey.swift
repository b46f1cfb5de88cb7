internal import TidelogLMDB

/// What a look at every page of a log's file found: the events that can be saved, and what is known of those that cannot.
struct LogSurvey {
    let metadata: SalvagedMetadata
    /// The events to be saved, of one number each, ascending.
    private(set) var events: ContiguousArray<FoundEvent> = []
    /// The events that the newest tree leads to, and that are damaged.
    private(set) var damaged: Set<UInt64> = []
    /// The last event that the newest tree has, if that is known.
    private(set) var head: UInt64?
    /// How many events the newest tree has, if that is known.
    private(set) var eventCount: UInt64?

    let floor: Position

    /// - Parameter progress: Told which part of the file was read.
    init(_ files: DamagedLogFiles, progress: (Int) throws -> Void = { _ in }) throws {
        let pages = files.pages
        let trees = try LooseTrees(pages)
        var metadata = try SalvagedMetadata(trees)
        metadata.move(files.tailConsumers(of: metadata.store))
        self.metadata = metadata
        floor = metadata.floor ?? .start
        var scan = EventScan(pages)
        try scan.run(progress: progress)
        guard let tree = trees.keyspaces["events"] else {
            events = EventChoice(scan.events + (try files.tailEvents(of: metadata.store))).events
            return
        }
        let places = try trees.places(of: tree)
        var found = Self.marked(scan.events, places, pageSize: pages.pageSize, &damaged)
        let reachedCount = UInt64(found.count { $0.isReached })
        if trees.isNewest {
            eventCount = tree.entryCount
            let (sum, overflows) = tree.entryCount.addingReportingOverflow(metadata.droppedCount)
            if metadata.floor != nil, !overflows, sum < FoundEvent.sequenceLimit {
                head = max(sum, floor.sequence.value)
            }
        }
        let isWhole =
            trees.isNewest && places.lostKeys.isEmpty && damaged.isEmpty && reachedCount == tree.entryCount
        let isShort = reachedCount + UInt64(damaged.count) < tree.entryCount && places.lostKeys.isEmpty
        let lost = NumberRanges(places.lostKeys)
        found.removeAll { event in
            guard !event.isReached else { return false }
            if isWhole { return true }
            if event.number > floor.sequence { return head.map { event.sequence > $0 } ?? false }
            if isShort, event.isOnReachedPage { return false }
            return !damaged.contains(event.sequence) && !lost.contains(event.sequence)
        }
        let recent = try files.tailEvents(of: metadata.store).filter { event in head.map { event.sequence > $0 } ?? true
        }
        if let last = recent.map(\.sequence).max(), let known = head { head = max(known, last) }
        events = EventChoice(found + recent).events
    }

    /// The event with `number` that is to be saved, `nil` if there is none.
    func event(_ number: UInt64) -> FoundEvent? {
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].sequence < number { low = middle + 1 } else { high = middle }
        }
        return low < events.count && events[low].sequence == number ? events[low] : nil
    }

    /// Whether an event with `number` is to be saved.
    func contains(_ number: UInt64) -> Bool { event(number) != nil }

    /// The events of a scan, with what the tree says of them. What it leads to that is no event goes to `damaged`.
    private static func marked(
        _ scanned: ContiguousArray<FoundEvent>, _ places: LooseTrees.Places, pageSize: Int, _ damaged: inout Set<UInt64>
    ) -> ContiguousArray<FoundEvent> {
        var events = scanned
        let entries = places.entries.sorted { $0.offset < $1.offset }
        var next = 0
        for index in events.indices {
            events[index].isOnReachedPage = places.pages.contains(events[index].offset / pageSize)
            while next < entries.count, entries[next].offset < events[index].offset {
                damaged.insert(entries[next].key)
                next += 1
            }
            while next < entries.count, entries[next].offset == events[index].offset {
                // The key may be what is damaged: the event names its number itself.
                if entries[next].keys.contains(events[index].sequence) { events[index].isReached = true }
                next += 1
            }
        }
        for entry in entries[next...] { damaged.insert(entry.key) }
        for event in events where event.isReached { damaged.remove(event.sequence) }
        return events
    }
}

/// Numbers in ranges.
struct NumberRanges {
    /// Ascending, none of which touches another.
    private(set) var ranges: [ClosedRange<UInt64>] = []

    init(_ unsorted: [ClosedRange<UInt64>]) {
        for range in unsorted.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = ranges.last, range.lowerBound <= last.upperBound || range.lowerBound - 1 == last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
        }
    }

    func contains(_ number: UInt64) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(number)
    }
}
