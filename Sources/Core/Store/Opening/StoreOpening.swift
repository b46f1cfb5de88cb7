/// Opens a store: finds its current generation, creates missing parts, and makes the rows catch up with the log.
struct StoreOpening: Sendable {
    let directory: StoreDirectory
    let schema: Schema?
    let factory: AdapterFactory
    let configuration: DataStoreConfiguration
    var progress: (@Sendable (RebuildProgress) -> Void)?

    func open() throws -> Generation.OpenedParts {
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
    func open(generation number: Int) throws -> Generation.OpenedParts {
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
    private func open(_ log: EventLog, _ writer: LogWriter?, _ number: Int) throws -> Generation.OpenedParts {
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
        return Generation.OpenedParts(
            number: number, log: log, logWriter: writer, rows: rows, schemas: schemas, opening: opening)
    }

    /// Gives a copy a new incarnation at its first opening for writing, so that its later events differ from those of
    /// the original.
    private func becomeIncarnation(_ writer: LogWriter) throws {
        guard writer.log.metadata.incarnation == LogMetadata.copyIncarnation else { return }
        try AppendFailure.throwingCause { try writer.update { $0.incarnation = .random(in: 1 ... .max) } }
    }

    /// Records the durability of this opening in the log's metadata, in the present format. Also records that the log
    /// was checked.
    func noteOpening(_ writer: LogWriter) throws {
        let before = writer.log.metadata
        let durability = configuration.durability ?? before.durability
        guard durability != before.durability || before.wasUnsynced || before.format != LogMetadata.format else {
            return
        }
        try AppendFailure.throwingCause {
            try writer.update {
                $0.durability = durability
                $0.wasUnsynced = false
            }
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
        if let interrupted { try migrate(writer, number, interrupted, from: stored.dropLast()) }
        guard let plan, plan.next.version != current.version else { return stored }
        if plan.transformations.isEmpty {
            try writer.appendSchema(plan.next)
        } else {
            try migrate(writer, number, plan, from: stored[...])
        }
        stored.append(plan.next)
        return stored
    }

    /// Opens the store without writing events. If the writing process replaces files during that time, this method
    /// begins again.
    func openForReading() throws -> Generation.OpenedParts {
        while true {
            guard let files = try directory.currentFiles() else { throw DataStoreError.noStore(at: directory.path) }
            do {
                return try open(generation: files.generation)
            } catch {
                guard try directory.currentFiles() != files else { throw error }
            }
        }
    }

    // MARK: Creating

    /// Creates generation `number`. It is made completely under another name and then renamed, so that a power loss
    /// leaves the whole generation or none.
    ///
    /// The log is a new one with a new id, even if it adopts durability and adapter from `metadata`.
    func createGeneration(_ number: Int, like metadata: LogMetadata? = nil, schema: StoredSchema? = nil) throws {
        let names = configuration.migrations.map(\.name)
        guard let first = schema ?? self.schema.map({ StoredSchema(first: $0, migrations: names) }) else {
            throw DataStoreError(
                .notFound, "There is no store at \(directory.path), and no schema to create one with.",
                recovery: "Check the path, or give a schema.")
        }
        guard !configuration.isReadOnly, configuration.createsStore || metadata != nil else {
            throw DataStoreError.noStore(at: directory.path)
        }
        let target = directory.generation(number)
        let unfinished = target + StoreDirectory.unfinished
        try FileSystem.removeTree(unfinished)
        try FileSystem.createDirectory(unfinished)
        try FileSystem.createDirectory(unfinished + "/log")
        let created = LogMetadata(
            store: .random(), incarnation: .random(in: 1 ... .max), adapter: metadata?.adapter ?? factory.name,
            durability: metadata?.durability ?? configuration.durability ?? .full)
        let writer = try LogWriter(
            directory: unfinished + "/log", mapSize: configuration.logMapSize, create: created,
            isTemporary: configuration.isTemporary)
        defer { writer.close() }
        try writer.appendSchema(first)
        try writer.sync()
        try makeRows(of: writer.log, first, in: unfinished)
        try FileSystem.syncDirectory(unfinished + "/log")
        try FileSystem.syncDirectory(unfinished)
        try FileSystem.rename(unfinished, to: target)
    }

    /// Makes the rows of a new log in the directory `generation`, which also contains the log.
    private func makeRows(of log: EventLog, _ schema: StoredSchema, in generation: String) throws {
        guard factory.isPersistent else { return }
        let path = generation + "/rows-1"
        try FileSystem.createDirectory(path)
        FileSystem.excludeFromBackups(path)
        let adapter = try factory.make(path, false)
        try adapter.closingOnError {
            let projector = try Projector(projections: configuration.projections, schemas: SchemaHistory([schema]))
            try projector.replay(log, to: adapter, layout: SchemaLayout(schema), upTo: nil) { _ in }
        }
        let marker = RowsMarker(directory: path, store: log.metadata.store)
        try RowsFiles(adapter: adapter, directory: path, marker: marker).closeDurably()
        try FileSystem.syncDirectory(path)
    }
}

extension StoredSchema {
    /// Whether the store has everything that `code` declares, with the same declarations.
    fileprivate func holds(_ code: Schema) -> Bool { code.retaining(declared) == declared }
}
