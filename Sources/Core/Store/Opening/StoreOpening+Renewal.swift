extension StoreOpening {
    /// Recreates the rows of the current generation with this opening's adapter. The store uses this adapter from then on.
    func rebuild() throws {
        let number = try StoreDirectory.highest("generation-", in: directory.path)
        guard number > 0 else { throw DataStoreError.noStore(at: directory.path) }
        // The configuration may be one for reading. This method writes in any case.
        let writer = try openForWriting(number)
        defer { writer.close() }
        let log = writer.log
        try noteOpening(writer)
        let stored = try log.schemas()
        guard let current = stored.last else { throw DataStoreError.damagedLog("has no schema") }
        if log.metadata.migration != nil {
            throw DataStoreError(
                .invalidSchema, "A migration of the store was interrupted.",
                recovery: "Open it with the app that began the migration: opening finishes it.")
        }
        let opening = RowsOpening(
            directory: directory, generation: number, factory: factory, log: log, layout: SchemaLayout(current),
            projector: try Projector(projections: configuration.projections, schemas: SchemaHistory(stored)),
            progress: progress)
        let before = try StoreDirectory.highest("rows-", in: directory.generation(number))
        let rows = try opening.install(opening.makeBeside())
        try rows.closeDurably()
        if log.metadata.adapter != factory.name {
            try AppendFailure.throwingCause { try writer.update { $0.adapter = factory.name } }
        }
        if before > 0 { try FileSystem.removeTree(directory.rows(number, before)) }
    }

    /// Follows the writing process to newer files than those of `generation`. Returns the new generation, or `nil` if
    /// the old one can still be used.
    func renewed(_ generation: Generation) throws -> Generation? {
        let number = try StoreDirectory.highest("generation-", in: directory.path)
        if number != generation.number {
            return Generation(try open(generation: number), store: generation.store, runsInline: false)
        }
        try generation.log.followWriter()
        try renewRows(generation)
        guard let version = try generation.rows.schemaVersion(),
            version != generation.layout.schema.version, case let stored = try generation.log.schemas(),
            let current = stored.first(where: { $0.version == version })
        else { return nil }
        let schemas = SchemaHistory(stored)
        return Generation(
            generation, layout: SchemaLayout(current), schemas: schemas,
            projector: try Projector(projections: configuration.projections, schemas: schemas))
    }

    private func renewRows(_ generation: Generation) throws {
        guard let path = generation.rows.directory else { return }
        let rows = try StoreDirectory.highest("rows-", in: directory.generation(generation.number))
        guard rows > 0, directory.rows(generation.number, rows) != path else { return }
        let opening = RowsOpening(
            directory: directory, generation: generation.number, factory: factory, log: generation.log,
            layout: generation.layout, projector: generation.rows.projector)
        generation.rows.follow(try opening.openForReading())
    }

    /// Checks from time to time whether the writing process has cleared the store, made new rows, shrunk the log or changed the
    /// schema. If so, this method switches to the new files. If that is not possible yet, the next check tries again.
    func renew(_ state: StoreState) {
        guard let generation = state.generationToRenew() else { return }
        guard let next = (try? renewed(generation)) ?? nil else { return }
        let isCleared = next.number != generation.number
        if state.replace(generation, with: next) {
            if isCleared { generation.retire(.cleared) }
        } else if isCleared {
            try? next.close()
        }
    }
}
