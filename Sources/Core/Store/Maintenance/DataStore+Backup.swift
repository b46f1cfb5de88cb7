internal import Dispatch
public import TidelogFoundation

extension DataStore {
    /// Makes a backup: copies the store to `directory` while reads and writes continue. The directory must not exist,
    /// and must not be inside the store's own directory.
    ///
    /// The copy contains the log up to the end of one commit. Every event of the copy is checked before the copy gets its final
    /// name, so that a directory with this name always has a whole store. The rows are made from the log when the copy is first
    /// opened. The copy keeps the id of the store. Its first opening for writing gives it a new incarnation, so that later
    /// events of the copy differ from later events of the store. A store that is open only for reading can also be copied.
    ///
    /// - Parameter progress: Called with the progress of the check of the copy.
    /// - Returns: The position of the last event in the copy.
    /// - Throws: ``DataStoreError``: `alreadyExists`, also if another backup to `directory` is in progress;
    ///   `unsafePath`, `storageFull`, `inputOutput`, `closed`; `suspended`, also if the store is suspended during the
    ///   backup; `logDamaged` if the log itself is damaged.
    @discardableResult
    public func backup(
        to directory: URL, progress: (@Sendable (RebuildProgress) -> Void)? = nil
    ) async throws -> Position {
        let generation = try current()
        let (path, source) = (directory.path, self.directory.path)
        generation.backups.enter()
        defer { generation.backups.leave() }
        return try await Blocking.run {
            var end = Position.start
            try StoreDirectory.create(path, outside: source) { directory in
                try LogWriter.copy(generation.log, to: directory)
                let copy = try LogWriter(directory: directory, isForChecking: true)
                defer { copy.close() }
                let head = (try? copy.log.withReader { try $0.lastSequence() }) ?? copy.log.metadata.floor.sequence
                let report = try LogVerification.verify(copy.log) {
                    // A store that is suspended does not wait for the whole check.
                    if let reason = generation.feed.endReason, reason.code == .suspended { throw reason }
                    progress?(RebuildProgress(sequence: $0, head: head))
                }
                if let damage = report.damaged.first {
                    throw DataStoreError(
                        .logDamaged, "The log is damaged at event \(damage.sequence): \(damage.reason).",
                        recovery: "Salvage the good events with `tidelog verify --salvage`.")
                }
                end = try copy.log.withReader { try $0.head() } ?? .start
                try copy.becomeCopy()
                progress?(RebuildProgress(sequence: end.sequence, head: end.sequence))
            }
            return end
        }
    }
}
