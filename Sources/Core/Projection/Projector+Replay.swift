extension Projector {
    /// The largest part of the log that one transaction of a replay projects.
    private static let chunkEventCount = 200_000
    private static let chunkByteCount = 48 << 20
    /// The smallest part that is tried if the disk has no space for the rows of a larger part.
    private static let leastChunkEventCount = 8
    /// The number of events that are written between two checks whether the view of the log must be released.
    private static let sliceEventCount = 20_000

    /// Applies the events after the adapter's checkpoint, up to the head of the log, in whole commits.
    ///
    /// If the log's memory map must grow, the replay releases its view of the log and repeats the part that was not committed.
    ///
    /// - Parameters:
    ///   - limit: The end of a commit. Later events are not applied.
    ///   - progress: Called after each chunk with the sequence number that was reached. No view of the log is held during the
    ///     call.
    func replay(
        _ log: EventLog, to adapter: any StorageAdapter, layout: SchemaLayout, upTo limit: SequenceNumber?,
        progress: (SequenceNumber) -> Void
    ) throws {
        if let checkpoint = try adapter.checkpoint() {
            do {
                return try replayChunks(log, after: checkpoint, to: adapter, layout, upTo: limit, progress)
            } catch is LogSlices.CompactedMeanwhile {
                // The dropped events may have superseded rows. Only a load of all kept events brings the rows up to date.
                try adapter.clear()
            }
        }
        try bulkLoad(log, to: adapter, layout: layout, upTo: limit, progress: progress)
    }

    /// - Throws: ``LogSlices.CompactedMeanwhile`` if compaction dropped events that were not applied yet.
    private func replayChunks(
        _ log: EventLog, after checkpoint: Checkpoint, to adapter: any StorageAdapter, _ layout: SchemaLayout,
        upTo limit: SequenceNumber?, _ progress: (SequenceNumber) -> Void
    ) throws {
        var reached = checkpoint.sequence
        var isAtEnd = false
        var eventCount = Self.chunkEventCount
        var hasSpaceBack = false
        while !isAtEnd {
            do {
                let files = log.files
                let (end, isLast) = try log.withReader { reader in
                    guard try reached >= reader.metadata().floor.sequence else { throw LogSlices.CompactedMeanwhile() }
                    return try replayChunk(
                        reader, store: checkpoint.store, to: adapter, layout: layout, upTo: limit,
                        eventCount: eventCount
                    ) { files.isWanted }
                }
                hasSpaceBack = false
                assert(end.sequence >= reached, "a replay goes forward")
                reached = end.sequence
                isAtEnd = isLast
                if !isLast { progress(end.sequence) }
            } catch is LogViewWanted {
            } catch let error as DataStoreError where error.code == .storageFull {
                // The rows of fewer events need less space at a time.
                if !hasSpaceBack, adapter.giveSpaceBack() {
                    hasSpaceBack = true
                } else {
                    guard eventCount > Self.leastChunkEventCount else { throw error }
                    eventCount = max(min(eventCount, 1_024) / 4, Self.leastChunkEventCount)
                }
            }
        }
    }

    /// Applies the events after the adapter's checkpoint that `reader` shows, in whole commits.
    ///
    /// - Returns: the position that was reached.
    func replay(
        _ reader: LogReader, store: StoreID, to adapter: any StorageAdapter, layout: SchemaLayout,
        upTo limit: SequenceNumber
    ) throws -> Position {
        while true {
            let (end, isLast) = try replayChunk(
                reader, store: store, to: adapter, layout: layout, upTo: limit, eventCount: Self.chunkEventCount
            ) { false }
            if isLast { return end }
        }
    }

    /// Applies a chunk of the events after the adapter's checkpoint in one transaction.
    ///
    /// - Parameter isWanted: Whether the view must be released.
    /// - Returns: the position that was reached, and whether there were no events left to apply.
    /// - Throws: ``LogViewWanted`` if the view must be released. In that case, nothing was applied.
    private func replayChunk(
        _ reader: LogReader, store: StoreID, to adapter: any StorageAdapter, layout: SchemaLayout,
        upTo limit: SequenceNumber?, eventCount: Int, isWanted: () -> Bool
    ) throws -> (end: Position, isLast: Bool) {
        let checkpoint = try adapter.checkpoint()
        let position = checkpoint.map { Position(sequence: $0.sequence, chain: $0.chain) } ?? .start
        let isPrepared =
            checkpoint.map { $0.schemaVersion == layout.schema.version && $0.projectionSignature == signature } ?? false
        return try adapter.transact { transaction in
            if !isPrepared { try transaction.prepare(layout, auxiliaryTables: auxiliaryTables) }
            try prepare(transaction)
            let chunk = try LoadedEvents(
                reader, after: position, floor: reader.metadata().floor, upTo: limit,
                eventCount: eventCount, byteCount: Self.chunkByteCount, isWanted: isWanted)
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
                // If the schema no longer has a model, the model's events are kept, but it has no rows.
                guard let model = layout.model(numbered: model) else { return }
                try put(events, existing: true, model, transaction)
            }
            try projectOthers(chunk.events[...], to: transaction)
            try transaction.commit(checkpoint: self.checkpoint(store, end, layout))
            return (end, false)
        }
    }

    func checkpoint(_ store: StoreID, _ position: Position, _ layout: SchemaLayout) -> Checkpoint {
        Checkpoint(
            store: store, sequence: position.sequence, chain: position.chain, schemaVersion: layout.schema.version,
            projectionSignature: signature)
    }
}

extension Projector {
    /// The log's memory map must grow, so all views of the log must be released. Their holders continue with new views.
    struct LogViewWanted: Error {}
}
