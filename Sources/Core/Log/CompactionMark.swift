/// How far compaction has come: while it is the same, nothing was dropped.
struct CompactionMark: Sendable, Equatable {
    /// At or below this event numbers may have holes.
    let floor: SequenceNumber
    private let droppedCount: UInt64

    init(_ metadata: LogMetadata) {
        floor = metadata.floor.sequence
        droppedCount = metadata.droppedCount
    }
}
