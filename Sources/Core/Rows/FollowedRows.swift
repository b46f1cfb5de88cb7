internal import Synchronization

/// The rows of a store that this process only reads.
///
/// The process that writes projects its events into them within a moment. They lack events for longer if that process was
/// killed, or if there is no room for the rows: then what they lack is projected into memory, over them.
final class FollowedRows: StorageAdapter {
    private let base: any StorageAdapter
    private let log: EventLog
    private let directory: StoreDirectory
    private let overlay: RowsOverlay
    /// The last event that the rows were found to lack for long; 0 if they never did. It never falls: what a reader was
    /// shown once stays there.
    private let target = Atomic<UInt64>(0)
    private let lookedAt = Mutex<ContinuousClock.Instant?>(nil)
    /// Where rows that lack events stand, and since when.
    private let lag = Mutex<(checkpoint: SequenceNumber, since: ContinuousClock.Instant)?>(nil)

    /// How often this process looks whether the rows follow the log.
    private static let interval = Duration.milliseconds(100)
    /// How long the rows may stand still, although the log has more, before this process stops waiting for its writer.
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

    /// Returns once the rows contain what the log has now, or after a moment: then views have it nevertheless.
    func waitForWriter() {
        let head = log.head.sequence
        let deadline = ContinuousClock.now + Self.patience
        while let checkpoint = try? checkpoint(), checkpoint < head {
            guard ContinuousClock.now < deadline else {
                target.max(head.value, ordering: .relaxed)
                return
            }
            Blocking.pause(microseconds: 2_000)
        }
    }

    /// Looks, now and then, whether the rows lack events that their writer does not project.
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

    /// Whether the rows have stood still for long, although the log has more.
    private func standsStill(_ now: ContinuousClock.Instant) -> Bool {
        let found = try? checkpoint()
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

    /// The last event in the rows themselves.
    private func checkpoint() throws -> SequenceNumber {
        let snapshot = try base.snapshot()
        defer { snapshot.end() }
        return snapshot.checkpointSequence
    }
}
