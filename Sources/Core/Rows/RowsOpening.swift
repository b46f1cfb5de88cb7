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

    typealias Opened = RowsFiles

    func openForWriting() throws -> Opened {
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
    func openTrusted(_ number: Int) throws -> Opened? {
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
        } catch let error as DataStoreError where error.code == .damaged {
            try? adapter.close()
            return nil
        } catch is RowDamage {
            try? adapter.close()
            return nil
        } catch {
            try? adapter.close()
            throw error
        }
    }

    /// Whether the adapter's checkpoint is a position of this log.
    func follows(_ adapter: any StorageAdapter) throws -> Bool {
        let snapshot = try adapter.snapshot()
        defer { snapshot.end() }
        guard let checkpoint = try snapshot.checkpoint() else { return false }
        let metadata = log.metadata
        guard checkpoint.store == metadata.store, projector.madeRows(with: checkpoint),
            checkpoint.schemaVersion <= layout.schema.version, checkpoint.sequence <= limit ?? checkpoint.sequence,
            !projector.schemas.requiresNewRows(
                since: checkpoint.schemaVersion, storesNames: factory.storesNames)
        else { return false }
        // Compaction may have dropped events that superseded these rows. Only a rebuild brings the rows up to date.
        if checkpoint.sequence < metadata.floor.sequence { return false }
        if checkpoint.sequence == metadata.floor.sequence { return checkpoint.chain == metadata.floor.chain }
        return try log.withReader { try $0.event(at: checkpoint.sequence)?.chain == checkpoint.chain }
    }

    /// Makes rows next to the old ones and puts them in their place by renaming.
    func rebuild(after number: Int) throws -> Opened {
        let adapter = try begin(number + 1)
        do {
            try replay(into: adapter)
        } catch {
            try? adapter.close()
            throw error
        }
        let opened = try finish(UnfinishedRows(adapter: adapter, number: number + 1))
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
        return try factory.make(unfinished, false)
    }

    /// Gives complete rows the name under which a store finds them.
    func finish(_ rows: UnfinishedRows) throws -> Opened {
        let (adapter, number) = (rows.adapter, rows.number)
        guard factory.isPersistent else { return RowsFiles(adapter: adapter, directory: nil, marker: nil) }
        let target = directory.rows(generation, number)
        let unfinished = target + StoreDirectory.unfinished
        do { try adapter.sync() } catch {
            try? adapter.close()
            throw error
        }
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
}

/// Rows that are under construction.
struct UnfinishedRows: Sendable {
    let adapter: any StorageAdapter
    /// The number that the rows get when they are complete.
    let number: Int
}
