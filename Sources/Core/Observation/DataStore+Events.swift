extension DataStore {
    /// The log itself: the events after `sequence`, the oldest first, and then each new one once it is durable.
    ///
    /// ```swift
    /// for try await event in store.events(after: .zero) { archive(event) }
    /// ```
    ///
    /// In the process that writes, an event is handed out once its commit is durable, as the store's durability says. The
    /// rows may lack it for a moment; every read from then on sees it. In a process that only reads, the log is looked at
    /// every 20 milliseconds.
    ///
    /// Where the log was compacted, events at or below its floor come with gaps: those that were kept, from which the same
    /// rows can be made. Once the reading has begun, nothing is left out: where compaction overtakes it, it ends with
    /// `lagged`.
    ///
    /// - Parameter sequence: The event after which to begin; `.zero` for the whole log. It may lie beyond the head.
    /// - Returns: a sequence whose iterations throw ``DataStoreError``: `closed` after the store was closed, `storeCleared`
    ///   after it was cleared, `lagged`, `logDamaged`.
    public func events(after sequence: SequenceNumber) -> EventStream {
        EventStream { try EventCursor(followedLog(), keptAfter: sequence) }
    }

    /// The events after `sequence`, up to and including `end`, the oldest first. The sequence ends there.
    ///
    /// ```swift
    /// for try await event in try store.events(after: .zero, through: store.head.sequence) { archive(event) }
    /// ```
    ///
    /// The event `end` need not be in the log: a compaction may have dropped it. If `end` lies beyond the head, the
    /// sequence waits for the events up to it.
    ///
    /// - Returns: As ``events(after:)-(SequenceNumber)``.
    public func events(after sequence: SequenceNumber, through end: SequenceNumber) -> EventStream {
        EventStream(through: end) { try EventCursor(followedLog(), keptAfter: sequence) }
    }

    /// The events after a place where reading stopped before, without gaps.
    ///
    /// As ``events(after:)-(SequenceNumber)``, but for a reader that goes on: it is told `lagged` if events after
    /// `position` may have been dropped meanwhile, and `invalidPosition` if `position` lies on another log: that of
    /// another store, or of this one before it was cleared. ``Position/start`` is on every log.
    public func events(after position: Position) -> EventStream {
        EventStream {
            let log = try followedLog()
            guard position != .start else { return try EventCursor(log, keptAfter: .zero) }
            try log.check(position)
            return EventCursor(log, everythingAfter: position.sequence)
        }
    }

    /// Waits for events of the log that the store has now.
    ///
    /// - Throws: ``DataStoreError``: `closed`.
    package func eventWait() throws -> EventWait {
        let generation = try current()
        return EventWait(generation: generation.number, log: followedLog(of: generation))
    }

    /// Returns once the rows contain the event `sequence`, so that every read from then on sees it.
    ///
    /// In the process that writes, that is so when a write returns; this is for those who were told the number by somebody
    /// else, in another process perhaps. There the rows are looked at every 20 milliseconds.
    ///
    /// - Throws: ``DataStoreError``: `closed`, `storeCleared`, `projectionUnavailable`; `CancellationError`.
    public func waitUntil(_ sequence: SequenceNumber) async throws {
        let log = try followedLog()
        guard log.isForeign else {
            try await log.feed.wait(for: sequence)
            try log.rows.requireAvailable()
            return
        }
        while try log.readRows({ _, checkpoint in checkpoint < sequence }) { try await log.pollRows() }
    }

    /// What followers of the store's present generation see.
    func followedLog() throws -> FollowedLog { try followed().log }

    /// What followers of the store's present generation see, and its writer, if this process has it.
    func followed() throws -> (log: FollowedLog, writer: Writer?) {
        let generation = try current()
        return (followedLog(of: generation), generation.writer)
    }

    private func followedLog(of generation: Generation) -> FollowedLog {
        FollowedLog(
            log: generation.log, rows: generation.rows, schemas: generation.schemas, feed: generation.feed,
            store: generation.store, directory: directory.generation(generation.number),
            isForeign: generation.writer == nil)
    }
}

/// Waits for events of one log. A store that was cleared has another log.
package struct EventWait: Sendable {
    /// The number of the log: 1 for the first one, and one more after each clearing.
    package let generation: Int
    let log: FollowedLog

    /// Waits until there are events after `sequence`; returns the last event's number then.
    ///
    /// - Throws: ``DataStoreError``: `closed`, `storeCleared`; `CancellationError`.
    package func events(after sequence: SequenceNumber) async throws -> SequenceNumber {
        try await log.waitForEvents(after: sequence)
    }
}
