extension LogReader {
    /// Checks that `position` lies on this log.
    ///
    /// - Throws: ``DataStoreError``: `invalidPosition` if it does not; `lagged` if it lies below the floor, so that
    ///   events after it may have been dropped.
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
