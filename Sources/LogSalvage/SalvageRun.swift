@_spi(Adapters) internal import TidelogCore

/// One run of a salvage.
struct SalvageRun {
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
        let schemas = try SalvagedSchemas(survey, files, given: declared, rowsVersion: rows?.checkpoint.schemaVersion)
        var report = SalvageReport()
        try StoreDirectory.create(target, outside: path) { directory in
            let target = try SalvageTarget(directory: directory, metadata: metadata(survey, rows, &shortcomings))
            defer { target.close() }
            var salvage = LogSalvage(survey, schemas, files, into: target)
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
    private func metadata(_ survey: LogSurvey, _ rows: DamagedStore.Rows?, _ shortcomings: inout [String])
        -> LogMetadata
    {
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
    private func openRows(_ survey: LogSurvey, _ shortcomings: inout [String]) -> DamagedStore.Rows? {
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
