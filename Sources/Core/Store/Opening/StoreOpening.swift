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
        let (log, writer) = try openLog(number)
        do {
            return try open(log, writer, number)
        } catch {
            writer?.stop()
            log.close()
            throw error
        }
    }

    /// Opens the log of generation `number`, for reading if the configuration says so.
    private func openLog(_ number: Int) throws -> (EventLog, LogWriter?) {
        guard !configuration.isReadOnly else {
            let path = directory.log(number, try directory.logNumber(number))
            let log = try EventLog(reading: path, mapSize: configuration.logMapSize)
            do { try UnsyncedLog.check(log) } catch {
                log.close()
                throw error
            }
            return (log, nil)
        }
        let writer = try openForWriting(number)
        return (writer.log, writer)
    }

    /// Opens the log of generation `number` for writing.
    func openForWriting(_ number: Int) throws -> LogWriter {
        let writer = try LogWriter(
            directory: directory.log(number, try directory.logNumber(number)), mapSize: configuration.logMapSize,
            quota: configuration.logQuota, isTemporary: configuration.isTemporary)
        do { try UnsyncedLog.check(writer.log) } catch {
            writer.close()
            throw error
        }
        return writer
    }

    /// - Parameter writer: The writer of the log, `nil` if the store is opened for reading.
    private func open(_ log: EventLog, _ writer: LogWriter?, _ number: Int) throws -> OpenedParts {
        let metadata = log.metadata
        guard metadata.adapter == factory.name else {
            throw DataStoreError(
                .configurationMismatch, "The store keeps its rows with \(metadata.adapter), not \(factory.name).",
                recovery: "Open it with \(metadata.adapter), or rebuild it with `tidelog rebuild --adapter`.")
        }
        let stored: [StoredSchema]
        if let writer {
            stored = try adoptSchema(writer, number)
            try writer.beginTail(
                isSynced: log.metadata.durability == .full,
                fileByteCount: configuration.logTailByteCount ?? TailFormat.maximumFileByteCount)
        } else {
            stored = try log.schemas()
        }
        guard let current = stored.last else { throw DataStoreError.damagedLog("has no schema") }
        let layout = SchemaLayout(current, code: schema.flatMap { current.holds($0) ? $0 : nil })
        let schemas = SchemaHistory(stored)
        let projector = try Projector(projections: configuration.projections, schemas: schemas)
        var opening = RowsOpening(
            directory: directory, generation: number, factory: factory, log: log, layout: layout,
            projector: projector, progress: progress)
        let rows: RowsFiles
        if writer == nil {
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
        return OpenedParts(
            number: number, log: log, logWriter: writer, rows: rows, schemas: schemas, opening: opening)
    }

    /// Gives a copy a new incarnation at its first opening for writing, so that its later events differ from those of
    /// the original.
    private func becomeIncarnation(_ writer: LogWriter) throws {
        guard writer.log.metadata.incarnation == LogMetadata.copyIncarnation else { return }
        do throws(AppendFailure) { try writer.update { $0.incarnation = .random(in: 1 ... .max) } } catch {
            throw error.cause
        }
    }

    /// Records the durability of this opening in the log's metadata, in the present format. Also records that the log
    /// was checked.
    func noteOpening(_ writer: LogWriter) throws {
        let before = writer.log.metadata
        let durability = configuration.durability ?? before.durability
        guard durability != before.durability || before.wasUnsynced || before.format != LogMetadata.format else {
            return
        }
        do throws(AppendFailure) {
            try writer.update {
                $0.durability = durability
                $0.wasUnsynced = false
            }
        } catch {
            throw error.cause
        }
        try UnsyncedLog.removeNote(of: writer.log)
    }

    /// Adopts the schema of the code if it differs from the store's schema, and rewrites records if that is needed. If
    /// a change is refused, nothing has been written.
    ///
    /// - Returns: All schemas of the log, the oldest first.
    private func adoptSchema(_ writer: LogWriter, _ number: Int) throws -> [StoredSchema] {
        var stored = try writer.log.schemas()
        guard let current = stored.last else { throw DataStoreError.damagedLog("has no schema") }
        let interrupted = try interruptedMigration(writer.log, stored)
        let plan = try schema.map { try MigrationPlan(from: current, to: $0, configuration.migrations) }
        try noteOpening(writer)
        try becomeIncarnation(writer)
        if let interrupted {
            try migrate(writer, number, interrupted, from: stored.dropLast())
        }
        guard let plan, plan.next.version != current.version else { return stored }
        if plan.transformations.isEmpty {
            try writer.appendSchema(plan.next)
        } else {
            try migrate(writer, number, plan, from: stored[...])
        }
        stored.append(plan.next)
        return stored
    }
}

extension StoredSchema {
    /// Whether the store has everything that `code` declares, with the same declarations.
    fileprivate func holds(_ code: Schema) -> Bool { code.retaining(declared) == declared }
}
