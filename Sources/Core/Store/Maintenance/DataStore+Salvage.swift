internal import TidelogLMDB

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DataStore {
    /// Salvages the damaged store at `directory`: copies its good events to `target`, which must not exist.
    ///
    /// The salvage reads the log's file page by page, and does not rely on trees and keys. It saves every event whose
    /// checksum is right, in order, under the same sequence number. If events in the middle are lost, the floor of the
    /// new store is above them. Consumers with an earlier position then get the error `lagged`. Records that exist only
    /// in the rows are added at the end, and are marked as salvaged (``Event/isSalvaged``). The new store keeps the id,
    /// and gets a new incarnation. The damaged store is not changed. No process may write it during the salvage.
    ///
    /// - Parameters:
    ///   - adapter: The adapter that keeps the rows of the damaged store. With `nil`, the rows are not used.
    ///   - schema: The app's schema, for a log that lost all of its schemas. It must be the schema with which the store was
    ///     created.
    ///   - progress: Called with the progress of the copy.
    /// - Throws: ``DataStoreError``: `notFound`, `alreadyExists`, `unsafePath`, `storageFull`; `locked` if this process
    ///   has the store open, or another one writes it; `logDamaged` if no event or no schema is left; `newerFormat`;
    ///   `invalidSchema` if `schema` does not fit the records.
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

/// One run of a salvage.
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
            let writer = try LogWriter(directory: directory, create: metadata(survey, rows, &shortcomings))
            defer { writer.close() }
            var salvage = LogSalvage(survey, schemas, files, into: writer)
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
            // A mutation that a server has answered must not be sent again.
            try salvage.finish(consumersAtLeast: [ConsumerName.outbox: answered.last])
            report = salvage.report
            guard try files.pages.lastTransaction() == transaction else { throw DataStoreError.changedMeanwhile }
        }
        report.shortcomings = shortcomings + report.shortcomings
        return report
    }

    /// The metadata of the new log.
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

    /// The rows of the store. The result is `nil` if they cannot be trusted, or if they belong to another log.
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
    /// Whether `checkpoint` certainly is no position of this log.
    fileprivate func rulesOut(_ checkpoint: Checkpoint) -> Bool {
        if checkpoint.sequence == floor.sequence { return checkpoint.chain != floor.chain && metadata.floor != nil }
        guard let event = event(checkpoint.sequence.value) else { return false }
        return event.chain != checkpoint.chain
    }
}
