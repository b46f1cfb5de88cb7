internal import Synchronization

/// How rows follow the log again after the adapter failed or said what the log rules out, and how they are recreated.
/// Called in the writer's serial section.
extension ProjectedRows {
    /// How long to wait before the next try to mend; `nil` while nothing is to be mended.
    var mendingPause: Duration? { recovery.withLock { $0?.pause } }

    /// Whether rows that follow the log lack some of its events.
    var isBehind: Bool { !unprojected.isEmpty && mendingPause == nil }

    /// Projects what the rows lack. If the adapter fails, they are to be mended.
    func projectOrLose() {
        guard mendingPause == nil else { return }
        do { try project() } catch { lose(error) }
    }

    /// The adapter failed with `error`: the rows do not follow the log any more.
    func lose(_ error: any Error) {
        current.fail(error)
        recovery.withLock { $0 = RowsRecovery() }
    }

    /// Has the rows follow the log again, if they do not.
    ///
    /// - Throws: ``DataStoreError``: `storageFull` if that is why they do not, else `projectionUnavailable`.
    func mend() throws {
        guard var run = recovery.withLock({ $0 }) else { return }
        let isMended = whileMending { run.run(opening, current) }
        recovery.withLock { $0 = isMended ? nil : run }
        if isMended { overlay.forget() }
        guard let failure = current.failure else { return }
        throw failure.isForLackOfSpace ? failure.underlying ?? failure : failure
    }

    /// The rows are wrong, as `damage` says: has them recreated from the log. If that fails, it is tried again later.
    func recreate(after damage: any Error) {
        current.fail(damage)
        recovery.withLock { $0 = RowsRecovery(recreates: true) }
        try? mend()
    }

    /// Goes on with the rows that `make` finishes, which follow the log; the files of the old ones go.
    func replace(_ make: () throws -> RowsFiles) throws {
        try whileMending {
            current.replace(with: try make(), removesOld: true)
            recovery.withLock { $0 = nil }
            overlay.forget()
        }
    }

    /// Goes on with the rows that another process has made.
    func follow(_ files: RowsFiles) { current.replace(with: files) }

    /// Begins to recreate the rows beside the present ones. The caller ends it.
    ///
    /// - Throws: ``DataStoreError`` with code `locked` if they are being recreated already.
    func rebuild(progress: (@Sendable (RebuildProgress) -> Void)?) throws -> RowsRebuild {
        var opening = opening
        opening.projector = try projector.with(projector.schemas)
        opening.progress = progress
        return try RowsRebuild(self, opening)
    }
}

/// Rows that are made from the whole log beside the present ones, and take their place.
final class RowsRebuild: Sendable {
    private let rows: ProjectedRows
    private let opening: RowsOpening

    fileprivate init(_ rows: ProjectedRows, _ opening: RowsOpening) throws {
        try rows.current.beginRebuilding()
        (self.rows, self.opening) = (rows, opening)
    }

    /// Makes the rows, nearly up to the log's head. Reads and writes go on meanwhile.
    func make() throws -> UnfinishedRows { try opening.makeBeside() }

    /// Completes `made` and goes on with it. Called in the writer's serial section.
    func finish(_ made: UnfinishedRows) throws {
        try rows.replace {
            do { try opening.replay(into: made.adapter) } catch {
                try? made.adapter.close()
                throw error
            }
            return try opening.finish(made)
        }
    }

    /// Gives up what was made.
    func discard(_ made: UnfinishedRows) { opening.discard(made.number) }

    /// Lets others recreate the rows. Called once, at the end.
    func end() { rows.current.endRebuilding() }
}
