internal import Synchronization

/// The events that the rows lack, projected into memory over the rows.
///
/// Rows lack events for long if the process that writes was killed, or if the disk has no room for them. The changes in
/// memory are made once, and grow with the log as long as the rows beneath stay as they are.
final class RowsOverlay: Sendable {
    private let log: EventLog
    private let projector: Projector
    /// The changes over the rows of an adapter, and the last event that was asked for.
    private let made = Mutex<(adapter: OverlaidAdapter, target: SequenceNumber)?>(nil)

    init(of log: EventLog, _ projector: Projector) {
        self.log = log
        self.projector = projector
    }

    /// A view of the rows of `base` with everything in it that the log has.
    func snapshot(of base: any StorageAdapter) throws -> any AdapterSnapshot {
        // Events after the head belong to a sync that failed: only the next opening can judge them.
        try snapshot(of: base, upTo: log.head.sequence)
    }

    /// A view of the rows of `base` with everything in it that the log has up to the event `target`.
    ///
    /// - Parameter target: The end of a commit.
    /// - Throws: ``DataStoreError`` with code `projectionUnavailable` if the log cannot tell what the rows lack.
    func snapshot(of base: any StorageAdapter, upTo target: SequenceNumber) throws -> any AdapterSnapshot {
        while true {
            let snapshot = try base.snapshot()
            do {
                guard let checkpoint = try snapshot.checkpoint(), checkpoint.sequence < target else { return snapshot }
                return try adapter(over: base, checkpoint, upTo: target).overlay(snapshot)
            } catch is RowsChangedBeneath {
                // The next look finds the rows as they are now.
                snapshot.end()
            } catch {
                snapshot.end()
                throw error
            }
        }
    }

    /// Forgets the changes. Called once the rows have them.
    func forget() { made.withLock { $0 = nil } }

    /// The changes from `checkpoint` up to `target`, over the rows of `base`.
    private func adapter(
        over base: any StorageAdapter, _ checkpoint: Checkpoint, upTo target: SequenceNumber
    ) throws -> OverlaidAdapter {
        try made.withLock { made in
            if let made, made.adapter.isOver(base, at: checkpoint) {
                if made.target >= target { return made.adapter }
            } else {
                let adapter = try OverlaidAdapter(over: base)
                guard adapter.isOver(base, at: checkpoint) else { throw RowsChangedBeneath() }
                made = (adapter, checkpoint.sequence)
            }
            guard let adapter = made?.adapter else { preconditionFailure("changes were made above") }
            try project(into: adapter, checkpoint, upTo: target)
            made = (adapter, target)
            return adapter
        }
    }

    /// Adds to `adapter` what the log has up to `target`, or up to the next schema, which only a writer makes rows for.
    private func project(
        into adapter: OverlaidAdapter, _ checkpoint: Checkpoint, upTo target: SequenceNumber
    ) throws {
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
