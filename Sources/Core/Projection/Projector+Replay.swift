extension Projector {
    /// How much of the log one transaction of a replay takes in.
    private static let chunkEventCount = 200_000
    private static let chunkByteCount = 48 << 20
    /// How many events are put at a time, between two looks whether the view of the log is to be given up.
    private static let sliceEventCount = 20_000

    /// Applies the events after the adapter's checkpoint, up to the head of the log, in whole commits. The view of the log is
    /// given up whenever its map is to grow; what was not committed then is done again.
    ///
    /// - Parameters:
    ///   - limit: The end of a commit; events after it are left for later.
    ///   - progress: Called after each chunk with the sequence number reached, while no view of the log is held.
    func replay(
        _ log: EventLog, to adapter: any StorageAdapter, layout: SchemaLayout, upTo limit: SequenceNumber?,
        progress: (SequenceNumber) -> Void
    ) throws {
        let snapshot = try adapter.snapshot()
        let checkpoint = try snapshot.checkpoint()
        snapshot.end()
        if let checkpoint {
            do {
                return try replayChunks(log, after: checkpoint, to: adapter, layout, upTo: limit, progress)
            } catch is CompactedMeanwhile {
                // What was dropped may have superseded rows: only a load of all that was kept can tell.
                try adapter.clear()
            }
        }
        try bulkLoad(log, to: adapter, layout: layout, upTo: limit, progress: progress)
    }

    /// - Throws: ``CompactedMeanwhile`` if compaction dropped events that had yet to be applied.
    private func replayChunks(
        _ log: EventLog, after checkpoint: Checkpoint, to adapter: any StorageAdapter, _ layout: SchemaLayout,
        upTo limit: SequenceNumber?, _ progress: (SequenceNumber) -> Void
    ) throws {
        var reached = checkpoint.sequence
        var isAtEnd = false
        while !isAtEnd {
            do {
                let files = log.files
                let (end, isLast) = try log.withReader { reader in
                    guard try reached >= reader.metadata().floor.sequence else { throw CompactedMeanwhile() }
                    return try replayChunk(
                        reader, store: checkpoint.store, to: adapter, layout: layout, upTo: limit
                    ) { files.isWanted }
                }
                assert(end.sequence >= reached, "a replay goes forward")
                (reached, isAtEnd) = (end.sequence, isLast)
                if !isLast { progress(end.sequence) }
            } catch is LogViewWanted {}
        }
    }

    /// Applies the events after the adapter's checkpoint that `reader` sees, in whole commits.
    ///
    /// - Returns: the place reached.
    func replay(
        _ reader: LogReader, store: StoreID, to adapter: any StorageAdapter, layout: SchemaLayout,
        upTo limit: SequenceNumber
    ) throws -> Position {
        while true {
            let (end, isLast) = try replayChunk(reader, store: store, to: adapter, layout: layout, upTo: limit) {
                false
            }
            if isLast { return end }
        }
    }

    /// Applies a chunk of the events after the adapter's checkpoint in one transaction.
    ///
    /// - Parameter isWanted: Whether the view is to be given up.
    /// - Returns: the place reached, and whether nothing was left to apply.
    /// - Throws: ``LogViewWanted`` if the view is to be given up; then nothing was applied.
    private func replayChunk(
        _ reader: LogReader, store: StoreID, to adapter: any StorageAdapter, layout: SchemaLayout,
        upTo limit: SequenceNumber?, isWanted: () -> Bool
    ) throws -> (end: Position, isLast: Bool) {
        let snapshot = try adapter.snapshot()
        let checkpoint = try snapshot.checkpoint()
        snapshot.end()
        let position = checkpoint.map { Position(sequence: $0.sequence, chain: $0.chain) } ?? .start
        let isPrepared =
            checkpoint.map { $0.schemaVersion == layout.schema.version && $0.projectionSignature == signature } ?? false
        let transaction = try adapter.begin()
        do {
            if !isPrepared { try transaction.prepare(layout, auxiliaryTables: auxiliaryTables) }
            try prepare(transaction)
            let chunk = try LoadedEvents(
                reader, after: position, floor: reader.metadata().floor, upTo: limit,
                eventCount: Self.chunkEventCount, byteCount: Self.chunkByteCount, isWanted: isWanted)
            guard let end = chunk.end else {
                if isPrepared {
                    transaction.rollback()
                } else {
                    try transaction.commit(checkpoint: self.checkpoint(store, position, layout))
                }
                return (position, true)
            }
            assert(end.sequence > position.sequence, "a replay goes forward")
            try chunk.forEachSortedSlice(of: Self.sliceEventCount) { model, events in
                if isWanted() { throw LogViewWanted() }
                // A model that the schema no longer has keeps its events, but has no rows.
                guard let model = layout.model(numbered: model) else { return }
                try put(events, existing: true, model, transaction)
            }
            try projectOthers(chunk.events[...], to: transaction)
            try transaction.commit(checkpoint: self.checkpoint(store, end, layout))
            return (end, false)
        } catch {
            transaction.rollback()
            throw error
        }
    }

    func checkpoint(_ store: StoreID, _ position: Position, _ layout: SchemaLayout) -> Checkpoint {
        Checkpoint(
            store: store, sequence: position.sequence, chain: position.chain, schemaVersion: layout.schema.version,
            projectionSignature: signature)
    }
}

/// The map of the log is to grow: every view of it is to be given up. Its holder goes on with another.
struct LogViewWanted: Error {}
