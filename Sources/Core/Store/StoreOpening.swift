/// Opens a store: finds its current generation, makes what is missing, lets the rows follow the log.
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

    /// Opens generation `number`, which is there.
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
        try verifyAfterCrash(log)
        let stored = try adoptSchema(log, number)
        guard let current = stored.last else { throw EventLog.damaged("has no schema") }
        let layout = SchemaLayout(current, code: schema.flatMap { current.holds($0) ? $0 : nil })
        let schemas = SchemaHistory(stored)
        let projector = try Projector(projections: configuration.projections, schemas: schemas)
        var opening = RowsOpening(
            directory: directory, generation: number, factory: factory, log: log, layout: layout,
            projector: projector, progress: progress)
        let rows: RowsFiles
        if configuration.isReadOnly {
            rows = try opening.openForReading()
            opening.waitForWriter(of: rows)
            // Where the process that writes is about to make rows for a later schema, these are of an earlier one.
            if let version = try rows.schemaVersion(), version != current.version, schemas.knows(version: version) {
                opening.layout = try schemas.layout(version: version)
            }
        } else {
            rows = try opening.openForWriting()
        }
        opening.progress = nil
        return OpenedParts(number: number, log: log, rows: rows, schemas: schemas, opening: opening)
    }

    /// A copy goes its own way from its first opening for writing on: what it appends is told apart by its incarnation.
    private func becomeIncarnation(_ log: EventLog) throws {
        guard !configuration.isReadOnly, log.metadata.incarnation == LogMetadata.copyIncarnation else { return }
        do throws(AppendFailure) { try log.update { $0.incarnation = .random(in: 1 ... .max) } } catch {
            throw error.cause
        }
        try log.sync()
    }

    func openLog(_ number: Int) throws -> EventLog {
        let path = directory.log(number, try directory.logNumber(number))
        let isVouchedFor = isVouchedFor(path)
        let isSuspect = try !isVouchedFor && DurableEnd(directory: path)?.wasOpenUnsynced(in: path) ?? false
        let recorded = try EventLog.recordedMetadata(path, isSuspect: isSuspect)
        return try EventLog(
            directory: path, durability: configuration.durability ?? recorded.durability,
            mapSize: configuration.logMapSize, isReadOnly: configuration.isReadOnly, create: nil,
            quota: configuration.logQuota,
            isSuspect: isSuspect || !isVouchedFor && recorded.wasOpenUnsynced(in: path))
    }

    /// An unsynced log that was open when the system crashed is verified before its first use.
    func checkAfterCrash(_ log: EventLog) throws {
        try verifyAfterCrash(log)
        try noteOpening(log)
    }

    private func verifyAfterCrash(_ log: EventLog) throws {
        guard mayHaveLost(log) else { return }
        let report = try LogVerification.verify(log)
        guard let damage = report.damaged.first else { return }
        throw DataStoreError(
            .logDamaged,
            "The log was not synced when the system stopped, and event \(damage.sequence) is damaged; "
                + "the last good one is \(report.lastGood).",
            recovery: "Copy the good events with `tidelog verify --salvage`.")
    }

    /// Whether the log was open unsynced in another uptime, so that anything of it may be lost.
    private func mayHaveLost(_ log: EventLog) -> Bool {
        let path = log.files.directory
        guard !isVouchedFor(path) else { return false }
        return log.durableEnd?.wasOpenUnsynced(in: path) ?? false || log.metadata.wasOpenUnsynced(in: path)
    }

    /// Whether the process that writes the log in the directory `path`, without syncing it, has found it whole.
    private func isVouchedFor(_ path: String) -> Bool {
        configuration.isReadOnly && WriterLock.holderHasWritten(DurableEnd.path(path), in: directory.path)
    }

    /// Records under which durability, and in which uptime, the log is open now.
    private func noteOpening(_ log: EventLog) throws {
        guard !configuration.isReadOnly else { return }
        let durability = configuration.durability ?? log.metadata.durability
        let boot = durability == .unsynced ? Uptime(of: log.files.directory).text : ""
        let noted = log.durableEnd
        // Where unsynced writes follow it is noted each time: that tells readers that this process has looked at the log.
        guard
            !boot.isEmpty || boot != log.metadata.boot || durability != log.metadata.durability
                || noted?.boot ?? "" != ""
        else { return }
        // What was written unsynced is made durable before the log says that it is.
        try log.sync()
        if noted != nil || !boot.isEmpty { try DurableEnd(of: log, boot: boot).write(to: log.files.directory) }
        do throws(AppendFailure) {
            try log.update {
                $0.durability = durability
                $0.boot = boot
            }
        } catch {
            throw error.cause
        }
        try log.sync()
    }

    /// Takes the code's schema over, if it is another one than the store's, and rewrites records if that is needed.
    /// What is refused is refused before anything is written.
    ///
    /// - Returns: every schema of the log, the oldest first.
    private func adoptSchema(_ log: EventLog, _ number: Int) throws -> [StoredSchema] {
        var stored = try log.schemas()
        guard let current = stored.last else { throw EventLog.damaged("has no schema") }
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
    /// Whether everything that `code` declares is in the store as it declares it.
    fileprivate func holds(_ code: Schema) -> Bool { code.retaining(declared) == declared }
}
