/// The history of a record: the events that gave it its present state.
public struct RecordHistory: Sendable {
    /// The events that saved, deleted or received the record, or removed it from the synced records; the oldest first.
    public let events: [Event]
    /// Whether ``events`` begins with the record's first event. The value is false if compaction dropped earlier
    /// events, or if the record has more events than the limit.
    public let isComplete: Bool
}

extension LogSlices {
    /// Reads the history of a record: follows the links to previous events, beginning with the event at `sequence`. The
    /// history ends where compaction has dropped an event.
    ///
    /// - Parameter event: Makes an ``Event`` from a view. This closure may read further events, which ends the validity
    ///   of the view.
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
