/// Opens a store: finds its current generation, creates missing parts, and makes the rows catch up with the log.
struct StoreOpening {
    let directory: StoreDirectory
    let schema: Schema?
    let factory: AdapterFactory
    let configuration: DataStoreConfiguration
    var progress: (@Sendable (RebuildProgress) -> Void)?

    func open() throws -> OpenedParts {
        if let schema { try schema.validate() }
        guard !configuration.isReadOnly else { return try openForReading() }
        try directory.removeLeftovers()
        var number = try StoreDirectory.highest("generation-", in: directory.path)
        if number == 0 {
            number = 1
            try createGeneration(number)
        }
        return try open(generation: number)
    }

    /// Opens generation `number`, which must exist.
    func open(generation number: Int) throws -> OpenedParts {
        let log = try openLog(number)
        do {
            return try open(log, number)
        } catch {
            log.close()
            throw error
        }
    }

    private func open(_ log: EventLog, _ number: Int) throws -> OpenedParts {
        let metadata = log.metadata
        guard metadata.adapter == factory.name else {
            throw DataStoreError(
                .configurationMismatch, "The store keeps its rows with \(metadata.adapter), not \(factory.name).",
                recovery: "Open it with \(metadata.adapter), or rebuild it with `tidelog rebuild --adapter`.")
        }
        let stored = try adoptSchema(log, number)
        try beginTail(log)
        guard let current = stored.last else { throw DataStoreError.damagedLog("has no schema") }
        let layout = SchemaLayout(current, code: schema.flatMap { current.holds($0) ? $0 : nil })
        let schemas = SchemaHistory(stored)
        let projector = try Projector(projections: configuration.projections, schemas: schemas)
        var opening = RowsOpening(
            directory: directory, generation: number, factory: factory, log: log, layout: layout,
            projector: projector, progress: progress)
        let rows: RowsFiles
        if configuration.isReadOnly {
            rows = try opening.openForReading()
            (rows.adapter as? FollowedRows)?.waitForWriter()
            // If the writing process is about to make rows for a later schema, these rows still have an earlier one.
            if let version = try rows.schemaVersion(), version != current.version, schemas.knows(version: version) {
                opening.layout = try schemas.layout(version: version)
            }
        } else {
            rows = try opening.openForWriting()
        }
        opening.progress = nil
        return OpenedParts(number: number, log: log, rows: rows, schemas: schemas, opening: opening)
    }

    /// Gives a copy a new incarnation at its first opening for writing, so that its later events differ from those of
    /// the original.
    private func becomeIncarnation(_ log: EventLog) throws {
        guard !configuration.isReadOnly, log.metadata.incarnation == LogMetadata.copyIncarnation else { return }
        do throws(AppendFailure) { try log.update { $0.incarnation = .random(in: 1 ... .max) } } catch {
            throw error.cause
        }
    }

    func openLog(_ number: Int) throws -> EventLog {
        let path = directory.log(number, try directory.logNumber(number))
        let log = try EventLog(
            directory: path, mapSize: configuration.logMapSize, isReadOnly: configuration.isReadOnly, create: nil,
            quota: configuration.logQuota, isTemporary: configuration.isTemporary)
        do { try UnsyncedLog.check(log) } catch {
            log.close()
            throw error
        }
        return log
    }

    /// Records the durability of this opening in the log's metadata, in the present format. Also records that the log
    /// was checked.
    func noteOpening(_ log: EventLog) throws {
        guard !configuration.isReadOnly else { return }
        let before = log.metadata
        let durability = configuration.durability ?? before.durability
        guard durability != before.durability || before.wasUnsynced || before.format != LogMetadata.format else {
            return
        }
        do throws(AppendFailure) {
            try log.update {
                $0.durability = durability
                $0.wasUnsynced = false
            }
        } catch {
            throw error.cause
        }
        try UnsyncedLog.removeNote(of: log)
    }

    private func beginTail(_ log: EventLog) throws {
        guard !configuration.isReadOnly else { return }
        try log.beginTail(
            isSynced: log.metadata.durability == .full,
            fileByteCount: configuration.logTailByteCount ?? TailFormat.maximumFileByteCount)
    }

    /// Adopts the schema of the code if it differs from the store's schema, and rewrites records if that is needed. If
    /// a change is refused, nothing has been written.
    ///
    /// - Returns: All schemas of the log, the oldest first.
    private func adoptSchema(_ log: EventLog, _ number: Int) throws -> [StoredSchema] {
        var stored = try log.schemas()
        guard let current = stored.last else { throw DataStoreError.damagedLog("has no schema") }
        guard !configuration.isReadOnly else { return stored }
        let interrupted = try interruptedMigration(log, stored)
        let plan = try schema.map { try MigrationPlan(from: current, to: $0, configuration.migrations) }
        try noteOpening(log)
        try becomeIncarnation(log)
        if let interrupted {
            try migrate(log, number, interrupted, from: stored.dropLast())
        }
        guard let plan, plan.next.version != current.version else { return stored }
        if plan.transformations.isEmpty {
            try log.appendSchema(plan.next)
        } else {
            try migrate(log, number, plan, from: stored[...])
        }
        stored.append(plan.next)
        return stored
    }
}

extension StoredSchema {
    /// Whether the store has everything that `code` declares, with the same declarations.
    fileprivate func holds(_ code: Schema) -> Bool { code.retaining(declared) == declared }
}
