internal import TidelogSynchronization

/// The rows of a store that this process only reads.
///
/// Normally the writing process projects its events into the rows within a moment. If that process was killed, or if there is
/// no space for the rows, the rows lack events for longer. This adapter then projects the missing events into memory, over the
/// rows.
final class FollowedRows: StorageAdapter {
    private let base: any StorageAdapter
    private let log: EventLog
    private let directory: StoreDirectory
    private let overlay: RowsOverlay
    /// The last event that the rows were found to lack for a long time, or 0 if there was none.
    ///
    /// The value never decreases, so that an event that a reader has seen stays visible.
    private let target = Atomic<UInt64>(0)
    private let lookedAt = Mutex<ContinuousClock.Instant?>(nil)
    /// The checkpoint of rows that lack events, and the time since when it has not moved.
    private let lag = Mutex<(checkpoint: SequenceNumber, since: ContinuousClock.Instant)?>(nil)

    /// How often this process checks whether the rows follow the log.
    private static let interval = Duration.milliseconds(100)
    /// How long the checkpoint may stand still before this process stops waiting for the writer to project more events.
    private static let patience = Duration.milliseconds(250)

    init(_ base: any StorageAdapter, of log: EventLog, _ projector: Projector, in directory: StoreDirectory) {
        self.base = base
        self.log = log
        self.directory = directory
        overlay = RowsOverlay(of: log, projector)
    }

    func begin() throws -> any AdapterTransaction { throw DataStoreError.readOnly }

    func snapshot() throws -> any AdapterSnapshot {
        look()
        return try overlay.snapshot(of: base, upTo: SequenceNumber(target.load(ordering: .relaxed)))
    }

    func sync() {}

    func clear() throws { throw DataStoreError.readOnly }

    func close() throws {
        overlay.forget()
        try base.close()
    }

    /// Waits until the rows contain every event that the log has now.
    ///
    /// If the writer does not project them within a moment, this method returns, and later views include them from memory.
    func waitForWriter() {
        let head = log.head.sequence
        let deadline = ContinuousClock.now + Self.patience
        while let reached = try? reached(), reached < head {
            guard ContinuousClock.now < deadline else {
                target.max(head.value, ordering: .relaxed)
                return
            }
            Blocking.pause(microseconds: 2_000)
        }
    }

    /// Checks at intervals whether the rows lack events that the writer does not project.
    private func look() {
        let now = ContinuousClock.now
        let isDue = lookedAt.withLock { lookedAt in
            if let last = lookedAt, now - last < Self.interval { return false }
            lookedAt = now
            return true
        }
        guard isDue else { return }
        if WriterLock.isHeld(directory.path), !standsStill(now) { return }
        target.max(log.head.sequence.value, ordering: .relaxed)
    }

    /// Whether the checkpoint has stood still for a long time although the log has more events.
    private func standsStill(_ now: ContinuousClock.Instant) -> Bool {
        let found = try? reached()
        return lag.withLock { lag in
            guard let found, found < log.head.sequence else {
                lag = nil
                return false
            }
            if let lag, lag.checkpoint == found { return now - lag.since >= Self.patience }
            lag = (found, now)
            return false
        }
    }

    /// The last event that the base adapter's rows contain.
    private func reached() throws -> SequenceNumber {
        let snapshot = try base.snapshot()
        defer { snapshot.end() }
        return snapshot.checkpointSequence
    }
}
