extension Projector {
    /// How much of the log one transaction of a replay takes in.
    private static let chunkEventCount = 200_000
    private static let chunkByteCount = 48 << 20

    /// Applies the events after the adapter's checkpoint, up to the head of the log that `reader` sees, in whole commits.
    ///
    /// - Parameters:
    ///   - limit: The end of a commit; events after it are left for later.
    ///   - progress: Called after each chunk with the sequence number reached.
    /// - Returns: the place reached.
    func replay(
        _ reader: LogReader, store: StoreID, to adapter: any StorageAdapter, layout: SchemaLayout,
        upTo limit: SequenceNumber? = nil, progress: ((SequenceNumber) throws -> Void)? = nil
    ) throws -> Position {
        var position = Position.start
        var schemaVersion: UInt32 = 0
        let floor = try reader.metadata().floor
        do {
            let snapshot = try adapter.snapshot()
            defer { snapshot.end() }
            if let checkpoint = try snapshot.checkpoint() {
                position = Position(sequence: checkpoint.sequence, chain: checkpoint.chain)
                schemaVersion = checkpoint.schemaVersion
            } else {
                return try bulkLoad(
                    reader, store: store, to: adapter, layout: layout, upTo: limit, progress: progress)
            }
        }
        var isFirst = true
        while true {
            let transaction = try adapter.begin()
            do {
                if isFirst, schemaVersion != layout.schema.version {
                    try transaction.prepare(layout, auxiliaryTables: auxiliaryTables)
                }
                if isFirst { try prepare(transaction) }
                isFirst = false
                let chunk = try LoadedEvents(
                    reader, after: position, floor: floor, upTo: limit, eventCount: Self.chunkEventCount,
                    byteCount: Self.chunkByteCount)
                guard let end = chunk.end else {
                    if schemaVersion == layout.schema.version {
                        transaction.rollback()
                    } else {
                        try transaction.commit(checkpoint: checkpoint(store, position, layout))
                    }
                    return position
                }
                try apply(chunk, layout: layout, to: transaction)
                position = end
                schemaVersion = layout.schema.version
                try transaction.commit(checkpoint: checkpoint(store, position, layout))
            } catch {
                transaction.rollback()
                throw error
            }
            try progress?(position.sequence)
        }
    }

    func checkpoint(_ store: StoreID, _ position: Position, _ layout: SchemaLayout) -> Checkpoint {
        Checkpoint(
            store: store, sequence: position.sequence, chain: position.chain, schemaVersion: layout.schema.version,
            projectionSignature: signature)
    }

    private func apply(_ chunk: LoadedEvents, layout: SchemaLayout, to transaction: any StorageTransaction) throws {
        try chunk.forEachSortedSlice(of: Self.chunkEventCount) { model, events in
            // A model that the schema no longer has keeps its events, but has no rows.
            guard let model = layout.model(numbered: model) else { return }
            try put(events, existing: true, model, transaction)
        }
        try projectOthers(chunk.events[...], to: transaction)
    }

    /// Puts a tombstone where the event with number `sequence` leaves the record under `key` no row, and removes the one
    /// that a record has which gets a row again.
    @inline(__always)
    func noteTombstone(
        _ key: UnsafeRawBufferPointer, _ sequence: UInt64, hasRow: Bool, existed: Bool, _ layout: ModelLayout,
        _ transaction: any StorageTransaction
    ) throws {
        if !hasRow {
            try transaction.putTombstone(sequence, layout.number, key)
            mayHaveTombstones = true
        } else if !existed, mayHaveTombstones {
            try transaction.deleteTombstone(layout.number, key)
        }
    }
}
