extension RowsOpening {
    /// Opens the rows for reading. If no process writes the store, the rows follow the log first: the last writer may have
    /// been killed before it projected what it appended.
    ///
    /// Rows that hold the tables of other projections than these are left as they are. Where they cannot be written, what
    /// they lack is projected into memory.
    func openForReading() throws -> Opened {
        guard factory.isPersistent else { return try openForWriting() }
        let found = Result { try openFound() }
        // Rows that cannot be read are as good as behind: they are recreated.
        if case .success(let rows) = found, (try? areBehind(rows.adapter)) == false { return followed(rows) }
        guard let lock = WriterLock(ifFree: directory.path) else { return try followed(found.get()) }
        if case .success(let rows) = found { try? rows.adapter.close() }
        withExtendedLifetime(lock) { try? letFollow() }
        return try followed(openFound())
    }

    /// Opens the rows as they are.
    private func openFound() throws -> Opened {
        let number = try StoreDirectory.highest("rows-", in: directory.generation(generation))
        guard number > 0 else { throw unavailable("have not been made yet") }
        let path = directory.rows(generation, number)
        let marker = RowsMarker(directory: path, store: log.metadata.store)
        guard try marker.isTrustworthy() || marker.isOfWriter(of: directory) else {
            throw unavailable("were not synced when the system stopped or their volume was unmounted")
        }
        return RowsFiles(adapter: try factory.make(path, true), directory: path, marker: marker)
    }

    private func followed(_ rows: Opened) -> Opened {
        let adapter = FollowedRows(rows.adapter, of: log, projector, in: directory)
        return RowsFiles(adapter: adapter, directory: rows.directory, marker: rows.marker)
    }

    /// Whether the rows lack events of the log that they can take in, or do not follow it.
    private func areBehind(_ adapter: any StorageAdapter) throws -> Bool {
        guard log.metadata.migration == nil else { return false }
        let snapshot = try adapter.snapshot()
        defer { snapshot.end() }
        guard let checkpoint = try snapshot.checkpoint() else { return true }
        guard projector.madeRows(with: checkpoint) else { return false }
        return try checkpoint.sequence != log.head.sequence || !follows(adapter)
    }

    /// Has the rows follow the log, while no other process can write the store.
    private func letFollow() throws {
        guard log.metadata.migration == nil else { return }
        try openForWriting().closeDurably()
    }

    private func unavailable(_ reason: String) -> DataStoreError {
        DataStoreError(
            .projectionUnavailable, "The store's rows \(reason).",
            recovery: "Open the store for writing once: that recreates them from the log.")
    }
}
