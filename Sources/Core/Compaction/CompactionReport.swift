/// The result of a compaction.
public struct CompactionReport: Sendable, Hashable {
    /// How many events were dropped.
    public internal(set) var droppedCount = 0
    /// The floor of the log. At or below this event, sequence numbers may be missing.
    public internal(set) var floor = SequenceNumber.zero
    /// The consumers that lagged too far for the compaction to wait. The next use of such a consumer throws `lagged`.
    public internal(set) var lapsedConsumers: [String] = []
    /// The bytes of the log's files before the compaction.
    public internal(set) var byteCountBefore = 0
    /// The bytes of the log's files after the compaction. Without shrinking, free room in the files is not returned to the
    /// disk, but is used again.
    public internal(set) var byteCountAfter = 0
}

/// The events that a compaction keeps.
public enum Retention: String, Sendable, Hashable, CaseIterable {
    /// The compaction drops no events, so that the log keeps its whole history.
    case all
    /// The compaction drops superseded events that no consumer waits for.
    case latest
}
