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
            let window = try LoadedEvents(
                reader, after: position, floor: floor, upTo: limit, eventCount: Self.windowEventCount)
            guard let end = window.end else { break }
            try load(window, existing: !isFirst, bare, store, adapter)
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

    /// Puts the rows that the window's events leave, the latest of each record.
    private func load(
        _ window: LoadedEvents, existing: Bool, _ layout: SchemaLayout, _ store: StoreID, _ adapter: any StorageAdapter
    ) throws {
        try window.forEachSortedSlice(of: Self.sliceRowCount) { model, events in
            guard let model = layout.model(numbered: model) else { return }
            try commit(to: adapter, checkpoint(store, .start, layout)) {
                try put(events, existing: existing, model, $0)
            }
        }
    }

    /// Puts the rows that sorted events of one model leave: the last of each record.
    ///
    /// - Parameter existing: Whether the model may have rows already.
    func put(
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
                try projectOthers(slice, to: transaction)
            }
        }
    }

    /// Hands the events, in their order, to everything that is not the rows.
    func projectOthers(_ events: ArraySlice<LoadedEvent>, to transaction: any StorageTransaction) throws {
        for event in events {
            let view = try event.view()
            if view.kind.tellsServerState { try projectServerState(view, to: transaction) }
            try project(view, to: transaction)
        }
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
