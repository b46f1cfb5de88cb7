internal import TidelogCore

/// Memory that write transactions use one after the other: the index changes of a batch.
///
/// Sound as `@unchecked Sendable`: an adapter has one write transaction at a time, used by one thread at a time.
final class WriteScratch: @unchecked Sendable {
    /// The changes of each index of the model at hand, as keys to put or to delete.
    var changes: ContiguousArray<KeyRun> = []

    /// Bytes that each index's changes keep between batches.
    static let keptByteCount = 4 << 20

    /// Makes sure that there are empty changes for `count` indexes.
    func prepare(_ count: Int) {
        while changes.count < count { changes.append(KeyRun()) }
        for index in changes.indices where !changes[index].entries.isEmpty {
            changes[index].removeAll(keeping: Self.keptByteCount)
        }
    }
}
