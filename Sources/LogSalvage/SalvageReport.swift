public import TidelogCore

/// The result of salvaging a log.
public struct SalvageReport: Sendable, Hashable {
    /// How many events were copied.
    public internal(set) var keptCount = 0
    /// How many events are damaged at a known place.
    public internal(set) var damagedCount = 0
    /// How many other events are lost.
    public internal(set) var missingCount = 0
    /// How many good events were dropped, because no schema for them could be found.
    public internal(set) var droppedCount = 0
    /// The last event of the new log, including the added events.
    public internal(set) var lastSequence = SequenceNumber.zero
    /// The gaps: the lost events above the old floor, in order. At or below the old floor, lost events cannot be
    /// distinguished from events that compaction dropped.
    public internal(set) var gaps: [ClosedRange<SequenceNumber>] = []
    /// The last event to which the chain leads from the old floor without a break. Up to this event, the new log has
    /// the same events as the old log.
    public internal(set) var chainEnd = SequenceNumber.zero
    /// How many records existed only in the rows. They were added at the end, and are marked as salvaged.
    public internal(set) var recordCount = 0
    /// How many deletions and server states existed only in the rows. They were added at the end, and are marked as salvaged.
    public internal(set) var noteCount = 0
    /// The versions of the lost schemas that were replaced by other schemas. The replacements are marked as salvaged.
    public internal(set) var replacedSchemas: [UInt32] = []
    /// The problems of the salvage, as one sentence for each. The sentences contain no data of records.
    public internal(set) var shortcomings: [String] = []

    /// Whether the new log has all events of the old log.
    public var isComplete: Bool {
        damagedCount == 0 && missingCount == 0 && droppedCount == 0 && recordCount == 0 && noteCount == 0
            && replacedSchemas.isEmpty
    }
}
