internal import TidelogSynchronization

/// Repairs the rows after the adapter failed or contradicted the log, and recreates them.
///
/// These methods are called in the writer's serial section.
extension ProjectedRows {
    /// How long to wait before the next attempt to repair the rows, or `nil` if they need no repair.
    var mendingPause: Duration? { recovery.withLock { $0?.pause } }

    /// Whether the rows follow the log but lack some of its events.
    var isBehind: Bool { !unprojected.isEmpty && mendingPause == nil }

    /// Projects the events that the rows lack. If the adapter fails, the rows are marked for repair.
    func projectOrLose() {
        guard mendingPause == nil else { return }
        do { try project() } catch { lose(error) }
    }

    /// Marks the rows for repair after the adapter failed with `error`. Until then they do not follow the log.
    func lose(_ error: any Error) {
        current.fail(error)
        recovery.withLock { $0 = RowsRecovery() }
    }

    /// Makes the rows follow the log again, if they do not.
    ///
    /// - Throws: ``DataStoreError`` with code `storageFull` if lack of space is the reason, otherwise `projectionUnavailable`.
    func mend() throws {
        guard var run = recovery.withLock({ $0 }) else { return }
        let isMended = whileMending { run.run(opening, current) }
        recovery.withLock { $0 = isMended ? nil : run }
        if isMended { overlay.forget() }
        guard let failure = current.failure else { return }
        throw failure.isForLackOfSpace ? failure.underlying ?? failure : failure
    }

    /// Recreates the rows from the log because `damage` shows that they are wrong. If that fails, it is tried again later.
    func recreate(after damage: any Error) {
        current.fail(damage)
        recovery.withLock { $0 = RowsRecovery(recreates: true) }
        try? mend()
    }

    /// Replaces the rows with the result of `make`, which follows the log. The old files are removed.
    func replace(_ make: () throws -> RowsFiles) throws {
        try whileMending {
            current.replace(with: try make(), removesOld: true)
            recovery.withLock { $0 = nil }
            overlay.forget()
        }
    }

    /// Replaces the rows with `files`, which another process has made.
    func follow(_ files: RowsFiles) { current.replace(with: files) }

    /// Begins to recreate the rows next to the present ones. The caller must call ``Rebuild/end()``.
    ///
    /// - Throws: ``DataStoreError`` with code `locked` if a rebuild is running already.
    func rebuild(progress: (@Sendable (RebuildProgress) -> Void)?) throws -> Rebuild {
        var opening = opening
        opening.projector = try projector.with(projector.schemas)
        opening.progress = progress
        return try Rebuild(self, opening)
    }

    /// A rebuild: makes new rows from the whole log next to the present ones, and then replaces those.
    final class Rebuild: Sendable {
        private let rows: ProjectedRows
        private let opening: RowsOpening

        init(_ rows: ProjectedRows, _ opening: RowsOpening) throws {
            try rows.current.beginRebuilding()
            self.rows = rows
            self.opening = opening
        }

        /// Makes rows that are nearly at the log's head. Reads and writes continue while this runs.
        func make() throws -> RowsOpening.UnfinishedRows { try opening.makeBeside() }

        /// Completes `made` and replaces the present rows with it. Called in the writer's serial section.
        func finish(_ made: RowsOpening.UnfinishedRows) throws {
            try rows.replace {
                try made.adapter.closingOnError { try opening.replay(into: made.adapter) }
                return try opening.install(made)
            }
        }

        /// Removes rows that the rebuild has begun but not completed.
        func discard(_ made: RowsOpening.UnfinishedRows) { opening.discard(made.number) }

        /// Allows the next rebuild. Called once, at the end.
        func end() { rows.current.endRebuilding() }
    }
}
