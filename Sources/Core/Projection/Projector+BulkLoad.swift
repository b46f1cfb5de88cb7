extension Projector {
    /// How many events are sorted at a time: 24 bytes each.
    private static let windowEventCount = 1_000_000
    /// How many rows one transaction of a bulk load puts.
    private static let sliceRowCount = 20_000

    /// Fills an adapter that has nothing yet: tables first, in key order and without indexes, then each index at once.
    ///
    /// Commits in between carry the checkpoint at the log's start: a load that is cut off begins anew.
    ///
    /// - Returns: the place reached.
    func bulkLoad(
        _ reader: LogReader, store: StoreID, to adapter: any StorageAdapter, layout: SchemaLayout,
        upTo limit: SequenceNumber?, progress: ((SequenceNumber) throws -> Void)?
    ) throws -> Position {
        let bare = SchemaLayout(layout.schema.withoutIndexes)
        try commit(to: adapter, checkpoint(store, .start, bare)) {
            try $0.prepare(bare, auxiliaryTables: auxiliaryTables)
        }
        mayHaveTombstones = false
        let floor = try reader.metadata().floor
        var position = Position.start
        var isFirst = true
        while true {
            let window = try collectWindow(reader, after: position, floor: floor, upTo: limit)
            guard let end = window.end else { break }
            try load(window.events, existing: !isFirst, bare, store, adapter)
            try projectOthers(window.events, bare, store, adapter)
            position = end
            isFirst = false
            try progress?(position.sequence)
        }
        try commit(to: adapter, checkpoint(store, position, layout)) {
            try $0.prepare(layout, auxiliaryTables: auxiliaryTables)
        }
        return position
    }

    private func commit(
        to adapter: any StorageAdapter, _ checkpoint: Checkpoint, _ body: (any StorageTransaction) throws -> Void
    ) throws {
        let transaction = try adapter.begin()
        do {
            try body(transaction)
            try transaction.commit(checkpoint: checkpoint)
        } catch {
            transaction.rollback()
            throw error
        }
    }

    /// At or below the floor commits have holes, as in ``collect(_:after:floor:)``.
    private func collectWindow(
        _ reader: LogReader, after position: Position, floor: Position, upTo limit: SequenceNumber?
    ) throws -> (events: ContiguousArray<LoadedEvent>, end: Position?) {
        var events: ContiguousArray<LoadedEvent> = []
        var end: Position?
        var last = position.sequence
        try reader.forEach(after: position.sequence) { event in
            if let limit, event.sequence > limit { return false }
            last = event.sequence
            events.append(LoadedEvent(event))
            guard event.isLastInCommit || event.sequence <= floor.sequence else { return true }
            end = Position(sequence: event.sequence, chain: event.chain)
            return events.count < Self.windowEventCount
        }
        if last != end?.sequence ?? position.sequence {
            throw EventLog.damaged("ends in the middle of a commit, at event \(last)")
        }
        let reachesFloor = limit.map { floor.sequence <= $0 } ?? true
        if events.count < Self.windowEventCount, reachesFloor, (end ?? position).sequence < floor.sequence {
            end = floor
        }
        return (events, end)
    }

    /// Puts the rows that the window's events leave, the latest of each record.
    private func load(
        _ events: ContiguousArray<LoadedEvent>, existing: Bool, _ layout: SchemaLayout, _ store: StoreID,
        _ adapter: any StorageAdapter
    ) throws {
        var sorted = try events.filter { try $0.view().kind.changesRow }
        try sorted.sort { try $0.precedes($1) }
        var first = 0
        while first < sorted.count {
            let model = sorted[first].model
            var end = min(first + Self.sliceRowCount, sorted.count)
            while end > first, sorted[end - 1].model != model { end -= 1 }
            // The events of one record are not parted.
            while end < sorted.count, try sorted[end].isSameRecord(as: sorted[end - 1]) { end += 1 }
            if let model = layout.model(numbered: model) {
                try commit(to: adapter, checkpoint(store, .start, layout)) {
                    try put(sorted[first..<end], existing: existing, model, $0)
                }
            }
            first = end
        }
    }

    private func put(
        _ events: ArraySlice<LoadedEvent>, existing: Bool, _ model: ModelLayout, _ transaction: any StorageTransaction
    ) throws {
        var changes = ContiguousArray<RowChange>()
        changes.reserveCapacity(events.count)
        let upcasts = schemas.upcasts
        // Hold the rows that differ from their events'.
        var arenas: [ByteArena] = []
        defer { withExtendedLifetime(arenas) {} }
        for index in events.indices {
            let next = index + 1
            if next < events.endIndex, try events[next].isSameRecord(as: events[index]) { continue }
            let event = try events[index].view()
            let row = try upcasts.row(of: event, model, keptBy: &arenas)
            let existed = try existing && transaction.get(event.key, in: model) != nil
            try noteTombstone(
                event.key, event.sequence.value, hasRow: row != nil, existed: existed, model, transaction)
            if row == nil, !existed { continue }
            changes.append(
                RowChange(key: event.key, sequence: event.sequence, row: row, existed: existed, changedFields: .all))
        }
        try changes.withUnsafeBufferPointer { try transaction.apply($0, to: model) }
    }

    /// Hands the events, in their order, to everything that is not the rows.
    private func projectOthers(
        _ events: ContiguousArray<LoadedEvent>, _ layout: SchemaLayout, _ store: StoreID,
        _ adapter: any StorageAdapter
    ) throws {
        for start in stride(from: 0, to: events.count, by: Self.sliceRowCount) {
            let slice = events[start..<min(start + Self.sliceRowCount, events.count)]
            let hasWork = try hasRegisteredProjections || slice.contains { try $0.view().kind.tellsServerState }
            guard hasWork else { continue }
            try commit(to: adapter, checkpoint(store, .start, layout)) { transaction in
                for event in slice {
                    let view = try event.view()
                    if view.kind.tellsServerState { try projectServerState(view, to: transaction) }
                    try project(view, to: transaction)
                }
            }
        }
    }
}

/// An event in the log's map, in 24 bytes. Valid as long as the log's reader.
private struct LoadedEvent {
    private let base: UnsafeRawPointer
    private let length: UInt32
    let model: UInt32
    private let prefix: UInt64

    init(_ event: EventView) {
        guard let base = event.bytes.baseAddress else { preconditionFailure("an event has bytes") }
        self.base = base
        length = UInt32(event.bytes.count)
        model = event.modelNumber
        prefix = event.key.bigEndianPrefix
    }

    func view() throws(EventDamage) -> EventView {
        try EventView(UnsafeRawBufferPointer(start: base, count: Int(length)))
    }

    /// By model, key and sequence.
    func precedes(_ other: LoadedEvent) throws -> Bool {
        if model != other.model { return model < other.model }
        if prefix != other.prefix { return prefix < other.prefix }
        let (mine, theirs) = (try view(), try other.view())
        let order = RowPredicate.compare(mine.key, theirs.key)
        return order != 0 ? order < 0 : mine.sequence < theirs.sequence
    }

    func isSameRecord(as other: LoadedEvent) throws -> Bool {
        guard model == other.model, prefix == other.prefix else { return false }
        return RowPredicate.compare(try view().key, try other.view().key) == 0
    }
}

extension StoredSchema {
    /// The same models and numbers without indexes, as a schema that precedes every other.
    fileprivate var withoutIndexes: StoredSchema {
        var bare = self
        bare.version = 0
        for index in bare.declared.models.indices { bare.declared.models[index].indexes = [] }
        return bare
    }
}
