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
                let chunk = try collect(reader, after: position, floor: floor, upTo: limit)
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

    private struct Chunk {
        var events: ContiguousArray<EventView> = []
        var end: Position?
    }

    /// At or below the floor commits have holes, so every event may end a chunk; and where nothing above it is left to
    /// read, the place reached is the floor itself.
    private func collect(
        _ reader: LogReader, after position: Position, floor: Position, upTo limit: SequenceNumber?
    ) throws -> Chunk {
        var chunk = Chunk()
        var byteCount = 0
        try reader.forEach(after: position.sequence) { event in
            if let limit, event.sequence > limit { return false }
            chunk.events.append(event)
            byteCount += event.bytes.count
            guard event.isLastInCommit || event.sequence <= floor.sequence else { return true }
            chunk.end = Position(sequence: event.sequence, chain: event.chain)
            return chunk.events.count < Self.chunkEventCount && byteCount < Self.chunkByteCount
        }
        if let last = chunk.events.last, last.sequence != chunk.end?.sequence {
            throw EventLog.damaged("ends in the middle of a commit, at event \(last.sequence)")
        }
        let isFull = chunk.events.count >= Self.chunkEventCount || byteCount >= Self.chunkByteCount
        let reachesFloor = limit.map { floor.sequence <= $0 } ?? true
        if !isFull, reachesFloor, (chunk.end ?? position).sequence < floor.sequence { chunk.end = floor }
        return chunk
    }

    private func apply(_ chunk: Chunk, layout: SchemaLayout, to transaction: any StorageTransaction) throws {
        var latest = ContiguousArray<ReplayedEvent>()
        latest.reserveCapacity(chunk.events.count)
        for (index, event) in chunk.events.enumerated() where event.kind.changesRow {
            latest.append(ReplayedEvent(index: index, model: event.modelNumber, prefix: event.key.bigEndianPrefix))
        }
        let events = chunk.events
        latest.sort { left, right in
            if left.model != right.model { return left.model < right.model }
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            let order = RowPredicate.compare(events[left.index].key, events[right.index].key)
            return order != 0 ? order < 0 : left.index < right.index
        }
        var first = 0
        while first < latest.count {
            let model = latest[first].model
            var end = first + 1
            while end < latest.count, latest[end].model == model { end += 1 }
            // A model that the schema no longer has keeps its events, but has no rows.
            if let layout = layout.model(numbered: model) {
                try apply(events, latest[first..<end], of: layout, to: transaction)
            }
            first = end
        }
        for event in events {
            if event.kind.tellsServerState { try projectServerState(event, to: transaction) }
            try project(event, to: transaction)
        }
    }

    private func apply(
        _ events: ContiguousArray<EventView>, _ sorted: ArraySlice<ReplayedEvent>, of layout: ModelLayout,
        to transaction: any StorageTransaction
    ) throws {
        var changes = ContiguousArray<RowChange>()
        changes.reserveCapacity(sorted.count)
        let upcasts = schemas.upcasts
        // Hold the rows that differ from their events'.
        var arenas: [ByteArena] = []
        defer { withExtendedLifetime(arenas) {} }
        for position in sorted.indices {
            let event = events[sorted[position].index]
            let next = position + 1
            if next < sorted.endIndex, RowPredicate.compare(events[sorted[next].index].key, event.key) == 0 { continue }
            let row = try upcasts.row(of: event, layout, keptBy: &arenas)
            let existed = try transaction.get(event.key, in: layout) != nil
            try noteTombstone(
                event.key, event.sequence.value, hasRow: row != nil, existed: existed, layout, transaction)
            if row == nil, !existed { continue }
            changes.append(
                RowChange(key: event.key, sequence: event.sequence, row: row, existed: existed, changedFields: .all))
        }
        try changes.withUnsafeBufferPointer { try transaction.apply($0, to: layout) }
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

private struct ReplayedEvent {
    let index: Int
    let model: UInt32
    let prefix: UInt64
}
