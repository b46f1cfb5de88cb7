/// A cursor that reads the log forward, in memory. It holds no view of the log between two reads, so it may be slow.
struct EventCursor: Sendable {
    private(set) var log: FollowedLog
    /// The last event that the cursor has read. The next read begins after it.
    private(set) var sequence: SequenceNumber
    /// The state of compaction at the cursor's last read.
    private var compaction: LogMetadata.CompactionMark?

    /// Makes a cursor that reads every event after `sequence`, or throws if events after it were dropped.
    init(_ log: FollowedLog, everythingAfter sequence: SequenceNumber) {
        self.log = log
        self.sequence = sequence
    }

    /// Makes a cursor that first reads the events that the log still has after `sequence`, and then misses none.
    init(_ log: FollowedLog, keptAfter sequence: SequenceNumber) throws {
        self.log = log
        self.sequence = sequence
        compaction = try log.compaction()
    }

    /// Continues after a suspension of the store. Waits until the store is resumed.
    ///
    /// - Throws: as ``FollowedLog/resumed()``.
    mutating func resume() async throws { log = try await log.resumed() }

    /// Passes the events up to `end` to `body`, in order, until it returns false. `body` also gets the view of the log.
    ///
    /// - Throws: ``DataStoreError``: `lagged` if compaction has overtaken the cursor; `closed`, `storeCleared`, `logDamaged`;
    ///   and any error of `body`. After an error, the cursor has not moved.
    mutating func read(through end: SequenceNumber, _ body: (EventView, LogReader) throws -> Bool) throws {
        var place = sequence
        compaction = try log.read { reader in
            let now = LogMetadata.CompactionMark(try reader.metadata())
            // Below the floor, events have gaps. No further event may be dropped between two reads of this cursor.
            if place < now.floor, compaction != now { throw DataStoreError.lagged(after: place, floor: now.floor) }
            var isStopped = false
            try reader.forEach(after: place) { event in
                guard event.sequence <= end else { return false }
                place = event.sequence
                isStopped = try !body(event, reader)
                return !isStopped
            }
            if !isStopped { place = max(place, end) }
            return now
        }
        sequence = place
    }
}
