internal import TidelogLMDB

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DataStore {
    /// Copies the store to `directory`, which must not exist or lie in the store's own, while reads and writes go on.
    ///
    /// The copy is the log at the end of one commit: every event of it is checked before the copy gets its name, so that
    /// whatever is called `directory` is whole. Its rows are made from the log when it is first opened. It keeps the
    /// store's id; its first opening for writing gives it an incarnation of its own, so that what store and copy append
    /// from then on is told apart. A store that was opened for reading only can be copied too.
    ///
    /// - Parameter progress: Told how far the copy was checked.
    /// - Returns: the last event in the copy.
    /// - Throws: ``DataStoreError``: `alreadyExists`, also where another backup to `directory` is under way; `unsafePath`,
    ///   `storageFull`, `inputOutput`, `closed`; `logDamaged` if the log itself is damaged.
    @discardableResult
    public func backup(
        to directory: URL, progress: (@Sendable (RebuildProgress) -> Void)? = nil
    ) async throws -> Position {
        let generation = try current()
        let (path, source) = (directory.path, self.directory.path)
        return try await Blocking.run {
            var end = Position.start
            try StoreDirectory.create(path, outside: source) { directory in
                try generation.log.copy(to: directory)
                let copy = try EventLog(
                    directory: directory, mapSize: nil, isReadOnly: false, create: nil, isForChecking: true)
                defer { copy.close() }
                let head = copy.lastSequence
                let report = try LogVerification.verify(copy) {
                    progress?(RebuildProgress(sequence: $0, head: head))
                }
                if let damage = report.damaged.first {
                    throw DataStoreError(
                        .logDamaged, "The log is damaged at event \(damage.sequence): \(damage.reason).",
                        recovery: "Salvage the good events with `tidelog verify --salvage`.")
                }
                end = try copy.withReader { try $0.head() } ?? .start
                try copy.becomeCopy()
                progress?(RebuildProgress(sequence: end.sequence, head: end.sequence))
            }
            return end
        }
    }
}

extension EventLog {
    /// The number of the last event, damaged or not.
    var lastSequence: SequenceNumber {
        (try? withReader { try $0.lastSequence() }) ?? metadata.floor.sequence
    }

    /// Marks the log as a copy, which becomes an incarnation of its own once it is opened for writing.
    func becomeCopy() throws {
        do throws(AppendFailure) {
            try update {
                $0.incarnation = LogMetadata.copyIncarnation
            }
        } catch { throw error.cause }
        try sync()
    }
}
