internal import TidelogCore
internal import TidelogLMDB

/// The result of reading all pages of a log's file: the events that can be saved, and the known facts about lost events.
struct LogSurvey {
    let metadata: SalvagedMetadata
    /// The events that can be saved, in ascending order. Each number occurs once.
    private(set) var events: ContiguousArray<FoundEvent> = []
    /// The numbers of the damaged events that the newest tree leads to.
    private(set) var damaged: Set<UInt64> = []
    /// The number of the last event in the newest tree, `nil` if it is not known.
    private(set) var head: UInt64?
    /// The number of events in the newest tree, `nil` if it is not known.
    private(set) var eventCount: UInt64?

    let floor: Position

    /// - Parameter progress: Called with the number of bytes of the file that were read.
    init(_ files: DamagedLogFiles, progress: (Int) throws -> Void = { _ in }) throws {
        let pages = files.pages
        let trees = try SalvagedTrees(pages)
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
        let isWhole = trees.isNewest && places.lostKeys.isEmpty && damaged.isEmpty && reachedCount == tree.entryCount
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

    /// The event that can be saved with this number, `nil` if there is none.
    func event(_ number: UInt64) -> FoundEvent? {
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].sequence < number { low = middle + 1 } else { high = middle }
        }
        return low < events.count && events[low].sequence == number ? events[low] : nil
    }

    /// Whether an event with this number can be saved.
    func contains(_ number: UInt64) -> Bool { event(number) != nil }

    /// The scanned events, with notes of whether the newest tree leads to them. If the tree leads to a place without an
    /// event, the key goes to `damaged`.
    private static func marked(
        _ scanned: ContiguousArray<FoundEvent>, _ places: SalvagedTrees.Places,
        pageSize: Int, _ damaged: inout Set<UInt64>
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
                // The key itself may be damaged. The event also contains its number.
                if entries[next].keys.contains(events[index].sequence) { events[index].isReached = true }
                next += 1
            }
        }
        for entry in entries[next...] { damaged.insert(entry.key) }
        for event in events where event.isReached { damaged.remove(event.sequence) }
        return events
    }
}

extension LogSurvey {
    /// A set of numbers, kept as ranges.
    struct NumberRanges {
        /// The ranges in ascending order. No two of them touch each other.
        private(set) var ranges: [ClosedRange<UInt64>] = []

        init(_ unsorted: [ClosedRange<UInt64>]) {
            for range in unsorted.sorted(by: { $0.lowerBound < $1.lowerBound }) {
                if let last = ranges.last,
                    range.lowerBound <= last.upperBound || range.lowerBound - 1 == last.upperBound
                {
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
}
