/// Opens the rows of a generation, and recreates them if they cannot be trusted.
struct RowsOpening {
    let directory: StoreDirectory
    let generation: Int
    let factory: AdapterFactory
    let log: EventLog
    var layout: SchemaLayout
    var projector: Projector
    /// The last event to project into the rows, or `nil` for the log's head.
    var limit: SequenceNumber?
    var progress: (@Sendable (RebuildProgress) -> Void)?

    func openForWriting() throws -> RowsFiles {
        guard factory.isPersistent else {
            let adapter = try factory.make("", false)
            try replay(into: adapter)
            return RowsFiles(adapter: adapter, directory: nil, marker: nil)
        }
        let number = try StoreDirectory.highest("rows-", in: directory.generation(generation))
        if number > 0, let opened = try openTrusted(number) { return opened }
        return try rebuild(after: number)
    }

    /// Opens the rows with `number` if they follow this log. Returns `nil` if they must be recreated.
    func openTrusted(_ number: Int) throws -> RowsFiles? {
        let path = directory.rows(generation, number)
        let marker = RowsMarker(directory: path, store: log.metadata.store)
        guard try marker.isTrustworthy() else { return nil }
        let adapter: any StorageAdapter
        do {
            adapter = try factory.make(path, false)
        } catch let error as DataStoreError where error.code == .damaged {
            return nil
        }
        do {
            guard try follows(adapter) else {
                try adapter.close()
                return nil
            }
            try marker.markDirty()
            try replay(into: adapter)
            return RowsFiles(adapter: adapter, directory: path, marker: marker)
        } catch {
            try? adapter.close()
            if error is RowDamage || (error as? DataStoreError)?.code == .damaged { return nil }
            throw error
        }
    }

    /// Whether the adapter's checkpoint is a position of this log.
    func follows(_ adapter: any StorageAdapter) throws -> Bool {
        guard let checkpoint = try adapter.checkpoint() else { return false }
        let metadata = log.metadata
        guard checkpoint.store == metadata.store, projector.madeRows(with: checkpoint),
            checkpoint.schemaVersion <= layout.schema.version, checkpoint.sequence <= limit ?? checkpoint.sequence,
            !projector.schemas.requiresNewRows(since: checkpoint.schemaVersion, storesNames: factory.storesNames)
        else { return false }
        // Compaction may have dropped events that superseded these rows. Only a rebuild brings the rows up to date.
        if checkpoint.sequence < metadata.floor.sequence { return false }
        if checkpoint.sequence == metadata.floor.sequence { return checkpoint.chain == metadata.floor.chain }
        return try log.withReader { try $0.event(at: checkpoint.sequence)?.chain == checkpoint.chain }
    }

    /// Makes rows next to the old ones and puts them in their place by renaming.
    func rebuild(after number: Int) throws -> RowsFiles {
        let adapter = try begin(number + 1)
        try adapter.closingOnError { try replay(into: adapter) }
        let opened = try install(UnfinishedRows(adapter: adapter, number: number + 1))
        if number > 0 { try FileSystem.removeTree(directory.rows(generation, number)) }
        return opened
    }

    /// Makes an empty adapter for the rows with `number`, which are under construction.
    func begin(_ number: Int) throws -> any StorageAdapter {
        precondition(number > 0, "rows are counted from 1")
        guard factory.isPersistent else { return try factory.make("", false) }
        let unfinished = directory.rows(generation, number) + StoreDirectory.unfinished
        try FileSystem.removeTree(unfinished)
        try FileSystem.createDirectory(unfinished)
        FileSystem.excludeFromBackups(unfinished)
        return try factory.make(unfinished, false)
    }

    /// Makes complete rows durable, puts them in the place where a store finds them, and opens them there.
    func install(_ rows: UnfinishedRows) throws -> RowsFiles {
        let adapter = rows.adapter
        guard factory.isPersistent else { return RowsFiles(adapter: adapter, directory: nil, marker: nil) }
        let target = directory.rows(generation, rows.number)
        let unfinished = target + StoreDirectory.unfinished
        try adapter.closingOnError { try adapter.sync() }
        try adapter.close()
        try RowsMarker(directory: unfinished, store: log.metadata.store).markDirty()
        try FileSystem.syncDirectory(unfinished)
        try FileSystem.rename(unfinished, to: target)
        let opened = try factory.make(target, false)
        let marker = RowsMarker(directory: target, store: log.metadata.store)
        return RowsFiles(adapter: opened, directory: target, marker: marker)
    }

    /// Projects the log up to its head, or up to `limit`, into `adapter`.
    func replay(into adapter: any StorageAdapter) throws {
        let head = log.head.sequence
        try projector.replay(log, to: adapter, layout: layout, upTo: limit) { sequence in
            progress?(RebuildProgress(sequence: sequence, head: head))
        }
    }

    /// Makes rows next to the present ones. The new rows are nearly at the log's head.
    func makeBeside() throws -> UnfinishedRows {
        let number =
            factory.isPersistent ? try StoreDirectory.highest("rows-", in: directory.generation(generation)) + 1 : 1
        let adapter = try begin(number)
        do {
            // The second replay projects the events that were appended during the first.
            for _ in 0..<2 { try replay(into: adapter) }
            try adapter.sync()
            return UnfinishedRows(adapter: adapter, number: number)
        } catch {
            try? adapter.close()
            discard(number)
            throw error
        }
    }

    /// Removes rows under construction. Files that cannot be removed now are removed at the next opening.
    func discard(_ number: Int) {
        try? FileSystem.removeTree(directory.rows(generation, number) + StoreDirectory.unfinished)
    }

    /// Opens the rows that were closed. Returns `nil` if there are none that follow this log.
    func reopen() throws -> RowsFiles? {
        guard factory.isPersistent else { return nil }
        let number = try StoreDirectory.highest("rows-", in: directory.generation(generation))
        return number > 0 ? try openTrusted(number) : nil
    }

    /// Rows that are under construction.
    struct UnfinishedRows: Sendable {
        let adapter: any StorageAdapter
        /// The number that the rows get when they are complete.
        let number: Int
    }

    // MARK: Reading

    /// Opens the rows for reading.
    ///
    /// If no other process has the store open for writing, this method first makes the rows follow the log: the last writer may
    /// have been killed before it projected its events.
    ///
    /// Rows that contain the tables of a different set of projections are left unchanged. If the rows cannot be written, the
    /// events that they lack are projected into memory.
    func openForReading() throws -> RowsFiles {
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
    private func openFound() throws -> RowsFiles {
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

    private func followed(_ rows: RowsFiles) -> RowsFiles {
        let adapter = FollowedRows(rows.adapter, of: log, projector, in: directory)
        return RowsFiles(adapter: adapter, directory: rows.directory, marker: rows.marker)
    }

    /// Whether the rows do not follow the log, or lack events that this process can project into them.
    private func areBehind(_ adapter: any StorageAdapter) throws -> Bool {
        guard log.metadata.migration == nil else { return false }
        guard let checkpoint = try adapter.checkpoint() else { return true }
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

/// The progress of a rebuild or a replay.
public struct RebuildProgress: Sendable, Hashable {
    /// The last event that the rows contain.
    public let sequence: SequenceNumber
    /// The last event of the log.
    public let head: SequenceNumber

    package init(sequence: SequenceNumber, head: SequenceNumber) {
        self.sequence = sequence
        self.head = head
    }
}
