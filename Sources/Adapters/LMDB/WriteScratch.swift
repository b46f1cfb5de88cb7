@_spi(Adapters) internal import TidelogCore

/// State that one write transaction leaves for the next, above all memory for index entries that were not written yet.
///
/// Sound as `@unchecked Sendable`, because only one write transaction, on one thread, uses it at a time.
final class WriteScratch: @unchecked Sendable {
    /// The model with unwritten entries, or `nil` if there are none.
    var model: UInt32?
    /// The changes of each of the model's indexes, as keys to put or to delete.
    var changes: ContiguousArray<KeyRun> = []

    /// Whether an index may be under construction. A change of the rows ends the construction.
    var mayHaveConstruction = true

    /// The number of bytes of each index's changes that are kept between batches.
    private static let keptByteCount = 4 << 20

    /// Makes space for the changes of `count` indexes.
    func prepare(_ count: Int) {
        while changes.count < count { changes.append(KeyRun()) }
    }

    /// Whether the changes of an index take more than `byteCount` bytes.
    func isOver(_ byteCount: Int) -> Bool { changes.contains { $0.arena.count > byteCount } }

    /// Removes all changes.
    func removeAll() {
        model = nil
        for index in changes.indices { changes[index].removeAll(keeping: Self.keptByteCount) }
    }
}
