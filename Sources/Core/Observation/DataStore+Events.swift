extension DataStore {
    /// The events of the log after `sequence`, the oldest first, followed by each new event after it is durable.
    ///
    /// ```swift
    /// for try await event in store.events(after: .zero) { archive(event) }
    /// ```
    ///
    /// In the writing process, an event is delivered after its commit is as durable as the store's durability requires. The
    /// rows may lack the event for a moment, but every read in this process that begins after the delivery includes it. A
    /// process that only reads checks the log every 20 milliseconds.
    ///
    /// If the log was compacted, the events up to its floor have gaps. The remaining events produce the same rows. After the
    /// reading has begun, no event is left out. If compaction overtakes the reading, the sequence ends with `lagged`.
    ///
    /// - Parameters:
    ///   - sequence: The event after which to begin, or `.zero` for the whole log. It may be larger than the head.
    ///   - end: The event after which the sequence ends, or `nil` to continue with each new event. The event need not be in
    ///     the log, because a compaction may have dropped it. If it is larger than the head, the sequence waits for it.
    /// - Returns: a sequence whose iterations throw ``DataStoreError``: `closed` after the store was closed, `storeCleared`
    ///   after it was cleared, `lagged`, `logDamaged`.
    public func events(after sequence: SequenceNumber, through end: SequenceNumber? = nil) -> EventStream {
        EventStream(through: end) { try EventCursor(followedLog(), keptAfter: sequence) }
    }

    /// The events after a position at which an earlier reading stopped, without gaps.
    ///
    /// The sequence works like ``events(after:through:)``, with two more errors. It throws `lagged` if events after
    /// `position` may have been dropped since then. It throws `invalidPosition` if `position` is not on this log, but on the
    /// log of another store or on the log of this store before it was cleared. ``Position/start`` is on every log.
    public func events(after position: Position) -> EventStream {
        EventStream {
            let log = try followedLog()
            guard position != .start else { return try EventCursor(log, keptAfter: .zero) }
            try log.check(position)
            return EventCursor(log, everythingAfter: position.sequence)
        }
    }

    /// The events with these numbers, read in one view. An element is `nil` if the log has no such event, for example because a
    /// compaction dropped it.
    ///
    /// - Parameter generation: The number of the generation whose log is read; `nil` for the present generation.
    /// - Throws: ``DataStoreError``: `closed`, `logDamaged`, `newerFormat`; `storeCleared` if the store has another generation
    ///   now.
    package func events(at sequences: [SequenceNumber], onlyIn generation: Int? = nil) throws -> [Event?] {
        let current = try current()
        if let generation, generation != current.number { throw DataStoreError.cleared }
        let log = followedLog(of: current)
        return try log.read { reader in
            try sequences.map { try reader.event(at: $0).map { try log.event($0, find: reader.event) } }
        }
    }

    /// The present end of the log, and the events after `sequence` up to it.
    ///
    /// - Parameter generation: The number of the generation whose log is read; `nil` for the present generation.
    /// - Throws: ``DataStoreError``: `closed`; `storeCleared` if the store has another generation now.
    package func events(
        after sequence: SequenceNumber, onlyIn generation: Int?
    ) throws -> (head: Position, events: EventStream) {
        let current = try current()
        if let generation, generation != current.number { throw DataStoreError.cleared }
        let (head, log) = (current.log.head, followedLog(of: current))
        return (head, EventStream(through: head.sequence) { try EventCursor(log, keptAfter: sequence) })
    }

    /// Waits for events of the store's present log.
    ///
    /// - Throws: ``DataStoreError``: `closed`.
    package func eventWait() throws -> EventWait {
        let generation = try current()
        return EventWait(generation: generation.number, log: followedLog(of: generation))
    }

    /// Waits until the rows contain the event `sequence`, so that every later read includes it.
    ///
    /// In the writing process, this is the case when the write returns. Use this method with a sequence number from other code,
    /// for example from another process. A process that only reads checks the rows every 20 milliseconds.
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

    /// The log and the rows of the store's present generation, for observers.
    func followedLog() throws -> FollowedLog { try followed().log }

    /// The log and the rows of the store's present generation, and its writer if this process has it.
    func followed() throws -> (log: FollowedLog, writer: Writer?) {
        let generation = try current()
        return (followedLog(of: generation), generation.writer)
    }

    private func followedLog(of generation: Generation) -> FollowedLog {
        FollowedLog(generation, state, in: directory)
    }
}

extension DataStore {
    /// Waits for events of one log. A store that was cleared has another log.
    package struct EventWait: Sendable {
        /// The number of the store's generation: 1 at first, and 1 more after each clear.
        package let generation: Int
        let log: FollowedLog

        /// Waits until there are events after `sequence`, and returns the number of the last event.
        ///
        /// - Throws: ``DataStoreError``: `closed`, `storeCleared`; `CancellationError`.
        package func events(after sequence: SequenceNumber) async throws -> SequenceNumber {
            try await log.waitForEvents(after: sequence)
        }
    }
}
