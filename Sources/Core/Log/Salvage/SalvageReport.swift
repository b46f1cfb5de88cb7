/// What salvaging a log found and copied.
public struct SalvageReport: Sendable, Hashable {
    /// Events copied.
    public internal(set) var keptCount = 0
    /// Events whose place is known, and that are damaged there.
    public internal(set) var damagedCount = 0
    /// Other events that are lost.
    public internal(set) var missingCount = 0
    /// Good events that were left behind, because no schema could be had for them.
    public internal(set) var droppedCount = 0
    /// The last event of the new log, added ones included.
    public internal(set) var lastSequence = SequenceNumber.zero
    /// Which events above the old floor are lost, in order. At or below it nobody can tell them from those that compaction
    /// dropped.
    public internal(set) var gaps: [ClosedRange<SequenceNumber>] = []
    /// The last event to which the chain goes from the old floor without a break: up to here the new log is, event by
    /// event, the old one.
    public internal(set) var chainEnd = SequenceNumber.zero
    /// Records that only the rows still had, as they were there: added at the end, marked as salvaged.
    public internal(set) var recordCount = 0
    /// Deletions, and what a server said, that only the rows still knew: added at the end, marked as salvaged.
    public internal(set) var noteCount = 0
    /// The versions of schemas that were lost, and in whose place another was put, marked as salvaged.
    public internal(set) var replacedSchemas: [UInt32] = []
    /// What could not be done, a sentence each; none of it is a record's data.
    public internal(set) var shortcomings: [String] = []

    /// Whether everything that the log had is in the new one, event by event.
    public var isComplete: Bool {
        damagedCount == 0 && missingCount == 0 && droppedCount == 0 && recordCount == 0 && noteCount == 0
            && replacedSchemas.isEmpty
    }
}
