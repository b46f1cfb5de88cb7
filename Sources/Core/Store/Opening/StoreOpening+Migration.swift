extension StoreOpening {
    /// The largest part of a migration that one commit contains.
    private static let commitEventCount = 10_000
    private static let commitByteCount = 16 << 20

    /// The remaining plan of a migration that was interrupted, `nil` if there is none.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidSchema` if one of its migrations is not in the configuration.
    func interruptedMigration(_ log: EventLog, _ stored: [StoredSchema]) throws -> MigrationPlan? {
        guard let mark = log.metadata.migration else { return nil }
        guard let next = stored.last, next.version == mark.schemaVersion, let base = stored.dropLast().last else {
            throw DataStoreError.damagedLog("is in the middle of a migration to a schema that it does not hold")
        }
        let names = Set(next.migrations).subtracting(base.migrations)
        let given = configuration.migrations.filter { names.contains($0.name) }
        let missing = names.subtracting(given.map(\.name)).sorted()
        guard missing.isEmpty else {
            throw DataStoreError(
                .invalidSchema,
                "A migration of the store was interrupted: \(missing.joined(separator: "; ")).",
                recovery: "Open it with these migrations to finish them.")
        }
        let plan = try MigrationPlan(from: base, to: next.declared, given)
        guard plan.next == next else {
            throw DataStoreError(
                .invalidSchema,
                "A migration of the store was interrupted, and the migrations given now lead to another schema.",
                recovery: "Open it with the same migrations as before.")
        }
        return plan
    }

    /// Migrates the log to the schema of `plan`, and rewrites the records that the plan transforms. An interrupted
    /// migration continues where it stopped.
    ///
    /// The rows do not change during the migration, because they are the records that it transforms.
    func migrate(
        _ writer: LogWriter, _ number: Int, _ plan: MigrationPlan, from stored: ArraySlice<StoredSchema>
    ) throws {
        guard let base = stored.last else { throw DataStoreError.damagedLog("has no schema") }
        let log = writer.log
        let mark = log.metadata.migration
        let schemas = SchemaHistory(Array(stored))
        let opening = RowsOpening(
            directory: directory, generation: number, factory: factory, log: log, layout: SchemaLayout(base),
            projector: try Projector(projections: configuration.projections, schemas: schemas),
            limit: mark.map { SequenceNumber($0.sequence.value - 1) }, progress: progress)
        let rows = try opening.openForWriting()
        defer { try? rows.adapter.close() }
        let snapshot = try rows.adapter.snapshot()
        defer { snapshot.end() }
        let run = MigrationRun(
            plan: plan, old: opening.layout, new: SchemaLayout(plan.next), rows: snapshot,
            progress: configuration.migrationProgress)
        if mark == nil {
            try run.check()
            try writer.appendSchema(plan.next, isMigrating: true)
        }
        let staged = StagedEvents()
        try run.write(after: mark, staged) {
            guard staged.count > 0 else { return begin(staged, log) }
            guard $0 == nil || staged.count >= Self.commitEventCount || staged.byteCount >= Self.commitByteCount else {
                return
            }
            let done = $0
            try AppendFailure.throwingCause {
                try writer.append(SealedEvents(sealing: staged, commitEnds: [staged.count])) { metadata in
                    guard let done else { return metadata.migration = nil }
                    metadata.migration?.model = done.model
                    metadata.migration?.key = done.key
                }
            }
            begin(staged, log)
        }
        if log.metadata.migration != nil {
            try AppendFailure.throwingCause { try writer.update { $0.migration = nil } }
        }
    }

    private func begin(_ staged: StagedEvents, _ log: EventLog) {
        staged.begin(
            after: log.head, wallClock: WallClock.microsecondsSince1970(), incarnation: log.metadata.incarnation)
        staged.beginCommit()
    }
}

/// Transforms the records of a migration one after the other, ordered by model number and then by key.
private struct MigrationRun {
    let plan: MigrationPlan
    let old: SchemaLayout
    let new: SchemaLayout
    let rows: any AdapterSnapshot
    let progress: (@Sendable (MigrationProgress) -> Void)?

    private static let reportedCount = 1_000

    /// Transforms every record without storing the results. Throws an error for the first result that cannot be stored.
    func check() throws {
        let arena = ByteArena()
        for transformation in plan.transformations {
            try forEach(transformation, .checking, after: nil) { row, record, model in
                arena.count = 0
                var encoder = RowEncoder(arena: arena, layout: model.row)
                try record.encode(into: &encoder, layout: model)
                if let refusal = encoder.finish() { throw model.refused(refusal) }
                let key = try model.primaryKey(of: try arena.row())
                try requireSameKey(row, key.withUnsafeBytes { ByteComparison.order($0, row.key) == 0 }, model)
            }
        }
    }

    /// Stages the records after `mark`. Calls `staging` after each record, and with `nil` at the beginning and at the end.
    func write(
        after mark: MigrationMark?, _ staged: StagedEvents,
        _ staging: ((model: UInt32, key: [UInt8])?) throws -> Void
    ) throws {
        try staging(nil)
        for transformation in plan.transformations where transformation.model >= mark?.model ?? 0 {
            let start = mark.flatMap { $0.model == transformation.model ? $0.key : nil }
            try forEach(transformation, .writing, after: start) { row, record, model in
                let header = EventHeader(kind: .saved, flags: .migrated, schemaVersion: plan.next.version)
                let index = try staged.stageRow(model, header: header) { try record.encode(into: &$0, layout: model) }
                try requireSameKey(row, ByteComparison.order(staged.key(at: index), row.key) == 0, model)
                staged.setPrevious(row.sequence.value, at: index)
                try staged.noteDifferences(from: row.row, at: index)
                try staging((model.number, Array(row.key)))
            }
        }
        try staging(nil)
    }

    private func forEach(
        _ transformation: ModelTransformation, _ phase: MigrationProgress.Phase, after key: [UInt8]?,
        _ body: (StoredRow, Record, ModelLayout) throws -> Void
    ) throws {
        guard let source = old.model(numbered: transformation.model),
            let target = new.model(numbered: transformation.model)
        else { return }
        let recordCount = try rows.count(StorageQuery(model: source))
        var completedCount = try key == nil ? 0 : recordCount - rows.count(StorageQuery(model: source, afterKey: key))
        let report = {
            progress?(
                MigrationProgress(
                    phase: phase, model: target.name, completedCount: completedCount, recordCount: recordCount))
        }
        try rows.fetch(StorageQuery(model: source, afterKey: key)) { row in
            do {
                let record = try transformation.apply(to: Record(row.row, layout: source), as: target)
                try body(row, record, target)
            } catch let damage as RowDamage {
                throw damage
            } catch let error as DataStoreError where error.code != .invalidValue {
                throw error
            } catch {
                throw DataStoreError(
                    .migrationFailed, "A record of \(target.name) cannot be migrated.", model: target.name,
                    recordID: try? source.recordID(of: row.row), underlying: error,
                    recovery: "Correct the migration and open the store again.")
            }
            completedCount += 1
            if completedCount % Self.reportedCount == 0 { report() }
            return true
        }
        report()
    }

    private func requireSameKey(_ row: StoredRow, _ isSame: Bool, _ model: ModelLayout) throws {
        guard !isSame else { return }
        throw model.refused("a migration must keep its primary key")
    }
}
