internal import TidelogSynchronization

/// The events that the rows lack, projected into memory over the rows.
///
/// Rows lack events for a long time if the writing process was killed, or if the disk has no space for them. The changes in
/// memory are made once. They grow with the log as long as the rows under them stay the same.
final class RowsOverlay: Sendable {
    private let log: EventLog
    private let projector: Projector
    /// The changes over an adapter's rows, and the last event that was requested.
    private let made = Mutex<(adapter: OverlaidAdapter, target: SequenceNumber)?>(nil)

    init(of log: EventLog, _ projector: Projector) {
        self.log = log
        self.projector = projector
    }

    /// A view of the rows of `base` that includes all events of the log.
    func snapshot(of base: any StorageAdapter) throws -> any AdapterSnapshot {
        // Events after the head belong to a sync that failed. Only the next opening can judge them.
        try snapshot(of: base, upTo: log.head.sequence)
    }

    /// A view of the rows of `base` that includes all events of the log up to the event `target`.
    ///
    /// - Parameter target: The end of a commit.
    /// - Throws: ``DataStoreError`` with code `projectionUnavailable` if the log no longer has the events that the rows lack.
    func snapshot(of base: any StorageAdapter, upTo target: SequenceNumber) throws -> any AdapterSnapshot {
        while true {
            let snapshot = try base.snapshot()
            do {
                guard let checkpoint = try snapshot.checkpoint(), checkpoint.sequence < target else { return snapshot }
                return try adapter(over: base, checkpoint, upTo: target).overlay(snapshot)
            } catch is OverlaidAdapter.RowsChangedBeneath {
                // The next attempt begins with the rows as they are now.
                snapshot.end()
            } catch {
                snapshot.end()
                throw error
            }
        }
    }

    /// Discards the changes. Called after the rows themselves contain the events.
    func forget() { made.withLock { $0 = nil } }

    /// The changes from `checkpoint` to `target`, over the rows of `base`.
    private func adapter(
        over base: any StorageAdapter, _ checkpoint: Checkpoint, upTo target: SequenceNumber
    ) throws -> OverlaidAdapter {
        try made.withLock { made in
            if let made, made.adapter.isOver(base, at: checkpoint) {
                if made.target >= target { return made.adapter }
            } else {
                let adapter = try OverlaidAdapter(over: base)
                guard adapter.isOver(base, at: checkpoint) else { throw OverlaidAdapter.RowsChangedBeneath() }
                made = (adapter, checkpoint.sequence)
            }
            guard let adapter = made?.adapter else { preconditionFailure("changes were made above") }
            try project(into: adapter, checkpoint, upTo: target)
            made = (adapter, target)
            return adapter
        }
    }

    /// Projects the log into `adapter` up to `target`, or up to the next schema change: only a writer makes rows for a new
    /// schema.
    private func project(into adapter: OverlaidAdapter, _ checkpoint: Checkpoint, upTo target: SequenceNumber) throws {
        let stored = try log.schemas()
        guard let current = stored.first(where: { $0.version == checkpoint.schemaVersion }) else {
            throw Self.unexplained("follow a schema that the log does not have")
        }
        let projector = try projector.with(SchemaHistory(stored))
        try log.withReader { reader in
            guard try reader.metadata().floor.sequence <= checkpoint.sequence else {
                throw Self.unexplained("lack events that a compaction has dropped")
            }
            let next = try reader.schemaSequences().first { $0.version > checkpoint.schemaVersion }
            let limit = next.map { SequenceNumber($0.sequence.value - 1) } ?? target
            _ = try projector.replay(
                reader, store: log.metadata.store, to: adapter, layout: SchemaLayout(current),
                upTo: min(limit, target))
        }
    }

    private static func unexplained(_ reason: String) -> DataStoreError {
        DataStoreError(
            .projectionUnavailable, "The store's rows \(reason).",
            recovery: "Try again. If that does not help, open the store for writing: that recreates the rows.")
    }
}
