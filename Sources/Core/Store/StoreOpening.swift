/// Opens a store: finds its current generation, makes what is missing, lets the rows follow the log.
struct StoreOpening {
    let directory: StoreDirectory
    let schema: Schema?
    let factory: AdapterFactory
    let configuration: DataStoreConfiguration
    var progress: (@Sendable (RebuildProgress) -> Void)?

    func open() throws -> OpenedParts {
        if let schema { try schema.validate() }
        if !configuration.isReadOnly { try directory.removeLeftovers() }
        var number = try StoreDirectory.highest("generation-", in: directory.path)
        if number == 0 {
            number = 1
            try createGeneration(number)
        }
        let recorded = try EventLog.recordedMetadata(directory.log(number))
        let log = try openLog(number, recorded)
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
        try checkAfterCrash(log)
        var stored = try log.schemas()
        let layout = try adoptSchema(log, &stored)
        let schemas = SchemaHistory(stored)
        let projector = try Projector(projections: configuration.projections, schemas: schemas)
        let opening = RowsOpening(
            directory: directory, generation: number, factory: factory, log: log, layout: layout,
            projector: projector, progress: progress)
        let rows = configuration.isReadOnly ? try opening.openForReading() : try opening.openForWriting()
        return OpenedParts(
            number: number, log: log, adapter: rows.adapter, layout: layout, schemas: schemas, projector: projector,
            rowsDirectory: rows.directory, marker: rows.marker)
    }

    /// Makes generation `number` whole under another name, then renames it: power loss leaves all or nothing.
    func createGeneration(_ number: Int, like metadata: LogMetadata? = nil, schema: StoredSchema? = nil) throws {
        guard let first = schema ?? self.schema.map({ StoredSchema(first: $0) }) else {
            throw DataStoreError(
                .notFound, "There is no store at \(directory.path), and no schema to create one with.",
                recovery: "Check the path, or give a schema.")
        }
        guard !configuration.isReadOnly, configuration.createsStore || metadata != nil else {
            throw DataStoreError(
                .notFound, "There is no store at \(directory.path).", recovery: "Check the path, or create the store.")
        }
        let target = directory.generation(number)
        let unfinished = target + StoreDirectory.unfinished
        try FileSystem.removeTree(unfinished)
        try FileSystem.createDirectory(unfinished)
        try FileSystem.createDirectory(unfinished + "/log")
        let created = LogMetadata(
            store: metadata?.store ?? .random(), incarnation: .random(in: 1 ... .max), adapter: factory.name,
            durability: metadata?.durability ?? configuration.durability ?? .full)
        // Always created with full syncs, whatever the durability of later appends.
        let log = try EventLog(
            directory: unfinished + "/log", durability: .full, mapSize: configuration.logMapSize, isReadOnly: false,
            create: created)
        defer { log.close() }
        try log.appendSchema(first)
        try log.sync()
        try FileSystem.syncDirectory(unfinished + "/log")
        try FileSystem.syncDirectory(unfinished)
        try FileSystem.rename(unfinished, to: target)
    }

    private func openLog(_ number: Int, _ recorded: LogMetadata) throws -> EventLog {
        try EventLog(
            directory: directory.log(number), durability: configuration.durability ?? recorded.durability,
            mapSize: configuration.logMapSize, isReadOnly: configuration.isReadOnly, create: nil,
            isSuspect: recorded.wasOpenUnsynced)
    }

    /// An unsynced log that was open when the system crashed is verified before its first use.
    private func checkAfterCrash(_ log: EventLog) throws {
        if log.metadata.wasOpenUnsynced {
            let report = try LogVerification.verify(log)
            if let damage = report.damaged.first {
                throw DataStoreError(
                    .logDamaged,
                    "The log was not synced when the system stopped, and event \(damage.sequence) is damaged; "
                        + "the last good one is \(report.lastGood).",
                    recovery: "Copy the good events with `tidelog verify --salvage`.")
            }
        }
        guard !configuration.isReadOnly else { return }
        let durability = configuration.durability ?? log.metadata.durability
        let boot = durability == .unsynced ? Boot.identifier : ""
        guard boot != log.metadata.boot || durability != log.metadata.durability else { return }
        // What was written unsynced is made durable before the log says that it is.
        try log.sync()
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

    /// Compares the code's schema with the store's; appends a lossless change, refuses any other.
    private func adoptSchema(_ log: EventLog, _ stored: inout [StoredSchema]) throws -> SchemaLayout {
        guard let current = stored.last else { throw EventLog.damaged("has no schema") }
        guard let schema, schema != current.declared, !configuration.isReadOnly else { return SchemaLayout(current) }
        try SchemaChange.check(from: current.declared, to: schema)
        let next = current.adopting(schema)
        try log.appendSchema(next)
        stored.append(next)
        return SchemaLayout(next)
    }
}
