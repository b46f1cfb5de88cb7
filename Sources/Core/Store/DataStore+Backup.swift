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
    ///   `storageFull`, `inputOutput`, `closed`; `logDamaged` where the log itself is damaged.
    @discardableResult
    public func backup(
        to directory: URL, progress: (@Sendable (RebuildProgress) -> Void)? = nil
    ) async throws -> Position {
        let generation = try current()
        let (path, source) = (directory.path, self.directory.path)
        return try await Blocking.run {
            var end = Position.start
            try StoreDirectory.create(path, outside: source) { directory in
                try translatingErrors("copy the log") {
                    try generation.log.files.environment.copy(to: directory, compacting: true)
                }
                let copy = try EventLog(
                    directory: directory, durability: .full, mapSize: nil, isReadOnly: false, create: nil,
                    isForChecking: true)
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

    /// Copies what is good of the damaged store at `directory` to `target`, which must not exist.
    ///
    /// Good events keep their numbers. Of a commit with a damaged or missing event nothing is copied; events whose schema
    /// is lost are not copied either. Where something is lost in the middle, the floor of the new store rises above it:
    /// consumers from before are told that they lag. The new store keeps the id, and gets an incarnation of its own. The
    /// damaged store is only read.
    ///
    /// - Throws: ``DataStoreError``: `notFound`, `alreadyExists`, `unsafePath`, `storageFull`; `locked` where this process
    ///   has the store open; `logDamaged` where the file is damaged beyond reading events, or holds no schema.
    @discardableResult
    public static func salvage(
        from directory: URL, to target: URL, progress: (@Sendable (RebuildProgress) -> Void)? = nil
    ) async throws -> SalvageReport {
        let (path, targetPath) = (directory.path, target.path)
        return try await Blocking.run {
            let source = try EventLog(readingStoreAt: path)
            defer { source.close() }
            var report = SalvageReport()
            try StoreDirectory.create(targetPath) { directory in
                var created = source.metadata
                created.incarnation = LogMetadata.copyIncarnation
                (created.floor, created.droppedCount, created.boot) = (.start, 0, "")
                let log = try EventLog(
                    directory: directory, durability: .full, mapSize: nil, isReadOnly: false, create: created)
                defer { log.close() }
                var salvage = LogSalvage(floor: source.metadata.floor, into: log)
                let head = source.lastSequence
                try source.withReader { reader in
                    try salvage.run(reader) { progress?(RebuildProgress(sequence: $0, head: head)) }
                }
                report = salvage.report
            }
            return report
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
                $0.boot = ""
            }
        } catch { throw error.cause }
        try sync()
    }
}
