internal import Synchronization

/// The rows of a store that this process only reads.
///
/// A process that writes has them follow the log within a moment. If no process writes, and the last one was killed
/// before it did so, they would lack acknowledged events for ever: then what they lack is projected into memory, over them.
final class FollowedRows: StorageAdapter {
    private let base: any StorageAdapter
    private let log: EventLog
    private let projector: Projector
    private let directory: StoreDirectory
    /// What was projected into memory last, and up to which event.
    private let overlaid: Mutex<(adapter: OverlaidAdapter, target: SequenceNumber)?>
    /// The last event of a log that nobody was writing; 0 if there always was a process that wrote. It never falls: what
    /// was once seen stays seen.
    private let target = Atomic<UInt64>(0)
    private let lookedAt: Mutex<ContinuousClock.Instant?>

    /// How often it is looked whether another process writes.
    private static let interval = Duration.milliseconds(100)

    init(_ base: any StorageAdapter, of log: EventLog, _ projector: Projector, in directory: StoreDirectory) {
        self.base = base
        self.log = log
        self.projector = projector
        self.directory = directory
        overlaid = Mutex(nil)
        lookedAt = Mutex(nil)
    }

    func begin() throws -> any AdapterTransaction { throw DataStoreError.readOnly }

    func snapshot() throws -> any AdapterSnapshot {
        look()
        let snapshot = try base.snapshot()
        let target = SequenceNumber(target.load(ordering: .relaxed))
        guard target > .zero else { return snapshot }
        do {
            guard let checkpoint = try snapshot.checkpoint(), checkpoint.sequence < target else { return snapshot }
            return try overlay(snapshot, checkpoint, upTo: target)
        } catch {
            snapshot.end()
            throw error
        }
    }

    func sync() {}

    func clear() throws { throw DataStoreError.readOnly }

    func close() throws {
        overlaid.withLock { $0 = nil }
        try base.close()
    }

    /// Looks, now and then, whether the rows lack what nobody is about to project.
    private func look() {
        let now = ContinuousClock.now
        let isDue = lookedAt.withLock { lookedAt in
            if let last = lookedAt, now - last < Self.interval { return false }
            lookedAt = now
            return true
        }
        guard isDue else { return }
        guard !WriterLock.isHeld(directory.path) else { return }
        target.max(log.head.sequence.value, ordering: .relaxed)
    }

    /// `snapshot`, whose rows contain the log up to `checkpoint`, with what the log has besides.
    private func overlay(
        _ snapshot: any AdapterSnapshot, _ checkpoint: Checkpoint, upTo target: SequenceNumber
    ) throws -> any AdapterSnapshot {
        assert(checkpoint.sequence < target, "rows that lack nothing need no changes over them")
        let adapter = try overlaid.withLock { overlaid -> OverlaidAdapter? in
            if let overlaid, overlaid.adapter.baseCheckpoint == checkpoint, overlaid.target >= target {
                return overlaid.adapter
            }
            let adapter = try project(over: checkpoint)
            overlaid = adapter.map { ($0, target) }
            return adapter
        }
        return adapter?.overlay(snapshot) ?? snapshot
    }

    /// What the log has behind `checkpoint`, in memory over the rows; `nil` if these have other ones by now.
    private func project(over checkpoint: Checkpoint) throws -> OverlaidAdapter? {
        let adapter = try OverlaidAdapter(over: base)
        guard adapter.baseCheckpoint == checkpoint else { return nil }
        let stored = try log.schemas()
        guard let current = stored.first(where: { $0.version == checkpoint.schemaVersion }) else { return nil }
        let projector = try projector.with(SchemaHistory(stored))
        return try log.withReader { reader in
            // Only a writer compacts, and projects before: then there are other rows too.
            guard try reader.metadata().floor.sequence <= checkpoint.sequence else { return nil }
            // Rows of a later schema are for a writer to make.
            let next = try reader.schemaSequences().first { $0.version > checkpoint.schemaVersion }
            let limit = try next.map { SequenceNumber($0.sequence.value - 1) } ?? reader.lastSequence()
            _ = try projector.replay(
                reader, store: log.metadata.store, to: adapter, layout: SchemaLayout(current), upTo: limit)
            return adapter
        }
    }
}
