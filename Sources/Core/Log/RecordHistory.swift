/// The events that made a record what it is.
public struct RecordHistory: Sendable {
    /// The events that saved, deleted or received the record, or took it out of scope; the oldest first.
    public let events: [Event]
    /// Whether ``events`` goes back to the record's first event: false if compaction dropped earlier ones, or more were
    /// there than asked for.
    public let isComplete: Bool
}

extension LogSlices {
    /// Follows the back links from the event at `sequence`; what compaction dropped ends them.
    ///
    /// - Parameter event: Makes an event of what the look shows; it may look further, which ends that view.
    func history(endingAt sequence: SequenceNumber, limit: Int, _ event: (EventView) throws -> Event) throws
        -> RecordHistory
    {
        var events: [Event] = []
        var next = sequence
        while next != .zero, events.count < limit, let view = try self.event(at: next) {
            guard view.previous < next else { throw DataStoreError.damagedLog("has a link forwards at event \(next)") }
            next = view.previous
            events.append(try event(view))
        }
        if next != .zero, events.count < limit, try next > metadata().floor.sequence {
            throw DataStoreError.damagedLog("has lost event \(next)")
        }
        return RecordHistory(events: events.reversed(), isComplete: next == .zero)
    }
}
