/// How far a rebuild or a replay has come.
public struct RebuildProgress: Sendable, Hashable {
    /// The last event that is in the rows.
    public let sequence: SequenceNumber
    /// The last event of the log.
    public let head: SequenceNumber
}

/// Opens the rows of a generation, and makes them anew where they cannot be trusted.
struct RowsOpening {
    let directory: StoreDirectory
    let generation: Int
    let factory: AdapterFactory
    let log: EventLog
    let layout: SchemaLayout
    let projector: Projector
    var progress: (@Sendable (RebuildProgress) -> Void)?

    typealias Opened = (adapter: any StorageAdapter, directory: String?, marker: RowsMarker?)

    func openForReading() throws -> Opened {
        guard factory.isPersistent else { return try openForWriting() }
        let number = try StoreDirectory.highest("rows-", in: directory.generation(generation))
        guard number > 0 else { throw unavailable("have not been made yet") }
        let path = directory.rows(generation, number)
        let marker = RowsMarker(directory: path, store: log.metadata.store)
        guard try marker.isTrustworthy() else { throw unavailable("were not synced when the system stopped") }
        return (try factory.make(path, true), path, marker)
    }

    func openForWriting() throws -> Opened {
        guard factory.isPersistent else {
            let adapter = try factory.make("", false)
            try replay(into: adapter)
            return (adapter, nil, nil)
        }
        let number = try StoreDirectory.highest("rows-", in: directory.generation(generation))
        if number > 0, let opened = try openTrusted(number) { return opened }
        return try rebuild(after: number)
    }

    /// Opens the rows with `number` if they follow this log, `nil` where they must be made anew.
    private func openTrusted(_ number: Int) throws -> Opened? {
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
            return (adapter, path, marker)
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

    /// Whether the adapter's checkpoint lies on this log.
    private func follows(_ adapter: any StorageAdapter) throws -> Bool {
        let snapshot = try adapter.snapshot()
        defer { snapshot.end() }
        guard let checkpoint = try snapshot.checkpoint() else { return false }
        let metadata = log.metadata
        guard checkpoint.store == metadata.store, checkpoint.projectionSignature == projector.signature,
            checkpoint.schemaVersion <= layout.schema.version
        else { return false }
        if checkpoint.sequence == metadata.floor.sequence { return checkpoint.chain == metadata.floor.chain }
        return try log.withReader { try $0.event(at: checkpoint.sequence)?.chain == checkpoint.chain }
    }

    /// Makes rows beside the old ones and switches by renaming.
    func rebuild(after number: Int) throws -> Opened {
        let target = directory.rows(generation, number + 1)
        let unfinished = target + StoreDirectory.unfinished
        try FileSystem.removeTree(unfinished)
        try FileSystem.createDirectory(unfinished)
        let adapter = try factory.make(unfinished, false)
        do {
            try replay(into: adapter)
            try adapter.sync()
            try adapter.close()
        } catch {
            try? adapter.close()
            throw error
        }
        try RowsMarker(directory: unfinished, store: log.metadata.store).markDirty()
        try FileSystem.syncDirectory(unfinished)
        try FileSystem.rename(unfinished, to: target)
        if number > 0 { try FileSystem.removeTree(directory.rows(generation, number)) }
        let opened = try factory.make(target, false)
        return (opened, target, RowsMarker(directory: target, store: log.metadata.store))
    }

    private func replay(into adapter: any StorageAdapter) throws {
        let head = log.head.sequence
        _ = try log.withReader { reader in
            try projector.replay(reader, store: log.metadata.store, to: adapter, layout: layout) { sequence in
                progress?(RebuildProgress(sequence: sequence, head: head))
            }
        }
    }

    private func unavailable(_ reason: String) -> DataStoreError {
        DataStoreError(
            .projectionUnavailable, "The store's rows \(reason).",
            recovery: "Open the store for writing once: that makes them anew from the log.")
    }
}
