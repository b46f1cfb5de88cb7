@_spi(Adapters) internal import TidelogCore

/// What write transactions hand on, one to the next: above all memory for the index entries that wait to be written.
///
/// Sound as `@unchecked Sendable`: an adapter has one write transaction at a time, used by one thread at a time.
final class WriteScratch: @unchecked Sendable {
    /// The model whose entries wait, `nil` if none do.
    var model: UInt32?
    /// The changes of each of its indexes, as keys to put or to delete.
    var changes: ContiguousArray<KeyRun> = []

    /// Whether an index may be under construction, which a change of the rows ends.
    var mayHaveConstruction = true

    /// Bytes that each index's changes keep between batches.
    private static let keptByteCount = 4 << 20

    /// Makes sure that there is a place for the changes of `count` indexes.
    func prepare(_ count: Int) {
        while changes.count < count { changes.append(KeyRun()) }
    }

    /// Whether the changes of an index take more than `byteCount` bytes.
    func isOver(_ byteCount: Int) -> Bool { changes.contains { $0.arena.count > byteCount } }

    /// Forgets all changes.
    func removeAll() {
        model = nil
        for index in changes.indices { changes[index].removeAll(keeping: Self.keptByteCount) }
    }
}
