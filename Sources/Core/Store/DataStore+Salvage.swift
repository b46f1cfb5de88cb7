internal import TidelogLMDB

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DataStore {
    /// Copies what is good of the damaged store at `directory` to `target`, which must not exist.
    ///
    /// The log's file is read page by page, whatever its trees and keys say: every event whose checksum holds is saved, in
    /// order, under its number. If something is lost in the middle, the floor of the new store rises above it: consumers
    /// from before are told that they lag. Records that only the rows still have are added at the end, marked as salvaged
    /// (``Event/isSalvaged``). The new store keeps the id, and gets an incarnation of its own. The damaged store is only
    /// read; nobody may write it meanwhile.
    ///
    /// - Parameters:
    ///   - adapter: What keeps the damaged store's rows; `nil` to leave these alone.
    ///   - schema: The app's schema: for a log that lost every schema it had. It must be the one the store was created with.
    /// - Throws: ``DataStoreError``: `notFound`, `alreadyExists`, `unsafePath`, `storageFull`; `locked` if this process
    ///   has the store open, or another writes it; `logDamaged` if no event is left, or no schema; `newerFormat`;
    ///   `invalidSchema` if `schema` is not that of the records.
    @discardableResult
    public static func salvage(
        from directory: URL, to target: URL, adapter: AdapterFactory? = nil, schema: Schema? = nil,
        progress: (@Sendable (RebuildProgress) -> Void)? = nil
    ) async throws -> SalvageReport {
        let (path, targetPath) = (directory.path, target.path)
        return try await Blocking.run {
            try translatingErrors("read the log") {
                try SalvageRun(path, adapter, schema).run(to: targetPath, progress: progress)
            }
        }
    }
}

/// One salvage.
private struct SalvageRun {
    private let path: String
    private let store: DamagedStore
    private let adapter: AdapterFactory?
    private let declared: Schema?

    private var files: DamagedLogFiles { store.files }

    init(_ path: String, _ adapter: AdapterFactory?, _ declared: Schema?) throws {
        self.path = path
        store = try DamagedStore(path)
        self.adapter = adapter
        self.declared = declared
    }

    func run(to target: String, progress: (@Sendable (RebuildProgress) -> Void)?) throws -> SalvageReport {
        let transaction = try files.pages.lastTransaction()
        let survey = try LogSurvey(files)
        var shortcomings: [String] = []
        let rows = openRows(survey, &shortcomings)
        defer { rows?.close() }
        guard !survey.events.isEmpty || rows != nil else {
            throw DataStoreError(
                .logDamaged, "The log has no readable event left.",
                recovery: "Restore a backup: nothing in the log can be saved.")
        }
        let schemas = try SalvagedSchemas(
            survey, files, given: declared, rowsVersion: rows?.checkpoint.schemaVersion)
        var report = SalvageReport()
        try StoreDirectory.create(target, outside: path) { directory in
            let log = try EventLog(
                directory: directory, mapSize: nil, isReadOnly: false,
                create: metadata(survey, rows, &shortcomings))
            defer { log.close() }
            var salvage = LogSalvage(survey, schemas, files, into: log)
            var answered = AnsweredMutations()
            var rowSalvage = rows.flatMap { rows in
                schemas.byVersion[rows.checkpoint.schemaVersion].map {
                    RowSalvage(rows.snapshot, rows.checkpoint, $0)
                }
            }
            let head = SequenceNumber(max(survey.head ?? 0, survey.events.last?.sequence ?? 0))
            try salvage.copyEvents { sequence in
                progress?(RebuildProgress(sequence: sequence, head: head))
            } _: {
                answered.note($0)
                rowSalvage?.note($0)
            }
            do { try rowSalvage?.add(to: &salvage, answered: answered) } catch let error as DataStoreError
                where error.code == .damaged
            {
                shortcomings.append("Not all rows could be read: \(error.message)")
            } catch is RowDamage {
                shortcomings.append("Not all rows could be read.")
            }
            // What a server has answered is not sent again.
            try salvage.finish(consumersAtLeast: [ConsumerName.outbox: answered.last])
            report = salvage.report
            guard try files.pages.lastTransaction() == transaction else { throw DataStoreError.changedMeanwhile }
        }
        report.shortcomings = shortcomings + report.shortcomings
        return report
    }

    /// What the new log begins with.
    private func metadata(
        _ survey: LogSurvey, _ rows: SalvagedRows?, _ shortcomings: inout [String]
    ) -> LogMetadata {
        let known = survey.metadata
        if known.store == nil, rows == nil {
            shortcomings.append("The id of the store could not be read: the new one has another.")
        }
        if known.floor == nil {
            shortcomings.append(
                "Up to which event compaction has dropped events could not be read: what it dropped counts as missing.")
        }
        return LogMetadata(
            store: known.store ?? rows?.checkpoint.store ?? .random(), incarnation: LogMetadata.copyIncarnation,
            adapter: known.adapter ?? adapter?.name ?? "lmdb", durability: known.durability ?? .full)
    }

    /// The store's rows, if they can be trusted and are of this log.
    private func openRows(_ survey: LogSurvey, _ shortcomings: inout [String]) -> SalvagedRows? {
        guard let adapter, adapter.isPersistent else { return nil }
        do {
            guard let rows = try store.openRows(adapter, store: survey.metadata.store) else {
                shortcomings.append(
                    "The rows could not be used: there are none, they were not closed as they should, or are not this log's."
                )
                return nil
            }
            guard !survey.rulesOut(rows.checkpoint) else {
                rows.close()
                shortcomings.append("The rows could not be used: they are of another history.")
                return nil
            }
            return rows
        } catch {
            shortcomings.append("The rows could not be read.")
            return nil
        }
    }
}

extension LogSurvey {
    /// Whether `checkpoint` cannot be a place of this log.
    fileprivate func rulesOut(_ checkpoint: Checkpoint) -> Bool {
        if checkpoint.sequence == floor.sequence { return checkpoint.chain != floor.chain && metadata.floor != nil }
        guard let event = event(checkpoint.sequence.value) else { return false }
        return event.chain != checkpoint.chain
    }
}
