/// How far compaction has come. As long as two marks are equal, compaction has dropped nothing in between.
struct CompactionMark: Sendable, Equatable {
    /// At or below the floor, sequence numbers may be missing.
    let floor: SequenceNumber
    private let droppedCount: UInt64

    init(_ metadata: LogMetadata) {
        floor = metadata.floor.sequence
        droppedCount = metadata.droppedCount
    }
}
