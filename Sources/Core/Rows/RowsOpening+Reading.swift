extension RowsOpening {
    /// Opens the rows for reading.
    ///
    /// If no other process has the store open for writing, this method first makes the rows follow the log: the last writer may
    /// have been killed before it projected its events.
    ///
    /// Rows that contain the tables of a different set of projections are left unchanged. If the rows cannot be written, the
    /// events that they lack are projected into memory.
    func openForReading() throws -> Opened {
        guard factory.isPersistent else { return try openForWriting() }
        let found = Result { try openFound() }
        // Rows that cannot be opened are treated like rows that lack events: they are recreated.
        if case .success(let rows) = found, (try? areBehind(rows.adapter)) == false { return followed(rows) }
        // A process with a reader's lock changes nothing in the store.
        guard directory.readerLock == nil, let lock = WriterLock(ifFree: directory.path) else {
            return try followed(found.get())
        }
        if case .success(let rows) = found { try? rows.adapter.close() }
        withExtendedLifetime(lock) { try? letFollow() }
        return try followed(openFound())
    }

    /// Opens the rows without changing them.
    private func openFound() throws -> Opened {
        let number = try StoreDirectory.highest("rows-", in: directory.generation(generation))
        guard number > 0 else { throw unavailable("have not been made yet") }
        let path = directory.rows(generation, number)
        let marker = RowsMarker(directory: path, store: log.metadata.store)
        guard try marker.isTrustworthy() || marker.isOfWriter(of: directory) else {
            throw unavailable(
                try marker.exists
                    ? "were not synced when the system stopped or their volume was unmounted"
                    : "could not be synced when the store was last closed")
        }
        return RowsFiles(adapter: try factory.make(path, true), directory: path, marker: marker)
    }

    private func followed(_ rows: Opened) -> Opened {
        let adapter = FollowedRows(rows.adapter, of: log, projector, in: directory)
        return RowsFiles(adapter: adapter, directory: rows.directory, marker: rows.marker)
    }

    /// Whether the rows do not follow the log, or lack events that this process can project into them.
    private func areBehind(_ adapter: any StorageAdapter) throws -> Bool {
        guard log.metadata.migration == nil else { return false }
        let snapshot = try adapter.snapshot()
        defer { snapshot.end() }
        guard let checkpoint = try snapshot.checkpoint() else { return true }
        guard projector.madeRows(with: checkpoint) else { return false }
        return try checkpoint.sequence != log.head.sequence || !follows(adapter)
    }

    /// Makes the rows follow the log. The caller makes sure that no other process can write the store.
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
