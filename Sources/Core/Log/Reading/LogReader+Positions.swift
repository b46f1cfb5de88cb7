extension LogReader {
    /// Checks that `position` belongs to this log.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidPosition` if the position does not belong to this log. The code
    ///   is `lagged` if the position is below the floor, because compaction may have dropped events after it.
    func check(_ position: Position) throws {
        guard position != .start else { return }
        let floor = try metadata().floor
        guard position.sequence >= floor.sequence else {
            throw DataStoreError.lagged(after: position.sequence, floor: floor.sequence)
        }
        let chain = position.sequence == floor.sequence ? floor.chain : try event(at: position.sequence)?.chain
        guard chain == position.chain else {
            throw DataStoreError(
                .invalidPosition, "The position at event \(position.sequence) does not lie on this log.",
                recovery: "Use positions of this store only, as its events and consumers give them.")
        }
    }
}
