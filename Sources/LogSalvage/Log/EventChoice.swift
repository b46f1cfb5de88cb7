internal import TidelogCore

/// Chooses the events of a log among everything that looks like one. The result has one event for each sequence number.
///
/// An event that the newest tree leads to has priority. Free pages contain copies of events. In rare cases they also
/// contain events of an append that failed, and a later event has the same number. If several events have the same
/// number, the chain decides.
struct EventChoice {
    /// The chosen events, in ascending order. Each number occurs once.
    private(set) var events: ContiguousArray<FoundEvent> = []

    /// - Parameter found: All events that the scan found, in any order.
    init(_ found: ContiguousArray<FoundEvent>) {
        var sorted = found
        sorted.sort { left, right in
            if left.sequence != right.sequence { return left.sequence < right.sequence }
            if left.isReached != right.isReached { return left.isReached }
            if left.chain != right.chain { return left.chain < right.chain }
            return left.offset < right.offset
        }
        events.reserveCapacity(sorted.count)
        var hasChoice = false
        for event in sorted {
            if let last = events.last, last.sequence == event.sequence {
                if last.isCopy(of: event) || (last.isReached && !event.isReached) { continue }
                hasChoice = true
            }
            events.append(event)
        }
        if hasChoice { chooseByChain() }
    }

    /// Keeps one event for each number: the one in the sequence of events with the most chain links.
    private mutating func chooseByChain() {
        var links = [Int](repeating: 0, count: events.count)
        var before = [Int?](repeating: nil, count: events.count)
        var previous = 0..<0
        var start = 0
        while start < events.count {
            var end = start + 1
            while end < events.count, events[end].sequence == events[start].sequence { end += 1 }
            for index in start..<end {
                for candidate in previous {
                    let isNext = events[candidate].sequence + 1 == events[index].sequence
                    let isLinked = isNext && events[index].follows(events[candidate].chain)
                    let count = links[candidate] + (isLinked ? 1 : 0)
                    if before[index] == nil || count > links[index] {
                        (links[index], before[index]) = (count, candidate)
                    }
                }
            }
            (previous, start) = (start..<end, end)
        }
        var chosen: [Int] = []
        var next = previous.max { links[$0] < links[$1] }
        while let index = next {
            chosen.append(index)
            next = before[index]
        }
        events = ContiguousArray(chosen.reversed().map { events[$0] })
    }
}
