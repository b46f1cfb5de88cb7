extension StoreOpening {
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
        let adapter = try factory.make(path, false)
        do {
            let projector = try Projector(
                projections: configuration.projections, schemas: SchemaHistory([schema]))
            try projector.replay(log, to: adapter, layout: SchemaLayout(schema), upTo: nil) { _ in }
        } catch {
            try? adapter.close()
            throw error
        }
        let marker = RowsMarker(directory: path, store: log.metadata.store)
        try RowsFiles(adapter: adapter, directory: path, marker: marker).closeDurably()
        try FileSystem.syncDirectory(path)
    }
}
