extension Projector {
    /// The number of events that are sorted at once. Each takes 24 bytes.
    private static let windowEventCount = 1_000_000
    /// The number of rows that one transaction of a bulk load writes.
    private static let sliceRowCount = 20_000

    /// Fills an empty adapter: first the tables, in key order and without indexes, then each index at once.
    ///
    /// The checkpoint of the commits in between is the log's start, so an interrupted load begins again. A load also begins
    /// again if compaction dropped events that it had not loaded yet, because the rows may contain earlier events that those
    /// had superseded.
    func bulkLoad(
        _ log: EventLog, to adapter: any StorageAdapter, layout: SchemaLayout, upTo limit: SequenceNumber?,
        progress: (SequenceNumber) -> Void
    ) throws {
        for _ in 0..<LogSlices.attempts {
            let files = log.files
            do {
                return try load(
                    log.metadata.store, to: adapter, layout, upTo: limit, progress: progress,
                    isWanted: { files.isWanted }
                ) { try log.withReader($0) }
            } catch is LogSlices.CompactedMeanwhile {
                try adapter.clear()
            }
        }
        try log.withReader { reader in
            try load(
                log.metadata.store, to: adapter, layout, upTo: limit, progress: progress, isWanted: { false }
            ) { try $0(reader) }
        }
    }

    /// - Parameters:
    ///   - isWanted: Whether a view of the log must be released.
    ///   - withView: Calls its argument with a view of the log.
    private func load(
        _ store: StoreID, to adapter: any StorageAdapter, _ layout: SchemaLayout, upTo limit: SequenceNumber?,
        progress: (SequenceNumber) -> Void, isWanted: @escaping () -> Bool,
        withView: ((LogReader) throws -> Void) throws -> Void
    ) throws {
        let bare = SchemaLayout(layout.schema.withoutIndexes)
        try commit(to: adapter, checkpoint(store, .start, bare)) {
            try $0.prepare(bare, auxiliaryTables: auxiliaryTables)
        }
        mayHaveTombstones = false
        var compaction: LogMetadata.CompactionMark?
        var position = Position.start
        var window = BulkWindow()
        while true {
            do {
                try withView { reader in
                    let metadata = try reader.metadata()
                    if let compaction, compaction != LogMetadata.CompactionMark(metadata) {
                        throw LogSlices.CompactedMeanwhile()
                    }
                    compaction = LogMetadata.CompactionMark(metadata)
                    let events = try LoadedEvents(
                        reader, after: position, floor: metadata.floor, upTo: window.end?.sequence ?? limit,
                        eventCount: Self.windowEventCount, isWanted: isWanted)
                    window.end = events.end
                    guard window.end != nil else { return }
                    try load(events, &window, bare, of: store, to: adapter, isWanted: isWanted)
                }
            } catch is LogViewWanted {
                // The same events are loaded again, and some of their rows exist already.
                window.isFirst = false
                continue
            }
            guard let end = window.end else { break }
            assert(end.sequence > position.sequence, "a load goes forward")
            position = end
            window = BulkWindow(isFirst: false)
            progress(position.sequence)
        }
        try commit(to: adapter, checkpoint(store, position, layout)) {
            try $0.prepare(layout, auxiliaryTables: auxiliaryTables)
        }
    }

    private func commit(
        to adapter: any StorageAdapter, _ checkpoint: Checkpoint, _ body: (any AdapterTransaction) throws -> Void
    ) throws {
        try adapter.transact { transaction in
            try body(transaction)
            try transaction.commit(checkpoint: checkpoint)
        }
    }

    /// Writes the latest row of each record of the window's events, and passes the events to the other tables.
    private func load(
        _ events: LoadedEvents, _ window: inout BulkWindow, _ layout: SchemaLayout, of store: StoreID,
        to adapter: any StorageAdapter, isWanted: () -> Bool
    ) throws {
        assert(window.projectedCount == 0 || window.hasRows, "rows come before what else follows from events")
        if !window.hasRows {
            let existing = !window.isFirst
            try events.forEachSortedSlice(of: Self.sliceRowCount) { model, events in
                if isWanted() { throw LogViewWanted() }
                guard let model = layout.model(numbered: model) else { return }
                try commit(to: adapter, checkpoint(store, .start, layout)) {
                    try put(events, existing: existing, model, $0)
                }
            }
            window.hasRows = true
        }
        try projectOthers(events.events, &window, layout, of: store, to: adapter, isWanted: isWanted)
    }

    /// Writes the rows of sorted events of one model. Only the last event of each record counts.
    ///
    /// - Parameter existing: Whether the model may have rows already.
    func put(
        _ events: ArraySlice<LoadedEvents.Entry>, existing: Bool, _ model: ModelLayout,
        _ transaction: any AdapterTransaction
    ) throws {
        var changes = ContiguousArray<RowChange>()
        changes.reserveCapacity(events.count)
        let upcasts = schemas.upcasts
        // These arenas hold the rows that differ from their events' rows.
        var arenas: [ByteArena] = []
        defer { withExtendedLifetime(arenas) {} }
        for index in events.indices {
            let next = index + 1
            if next < events.endIndex, try events[next].isSameRecord(as: events[index]) { continue }
            let event = try events[index].view()
            let row = try upcasts.row(of: event, model, keptBy: &arenas)
            let existed = try existing && transaction.get(event.key, in: model) != nil
            let last = RowChange(
                key: event.key, sequence: event.sequence, row: row, existed: existed, changedFields: .all)
            if let change = try rowChange(last, model, transaction) { changes.append(change) }
        }
        assert(changes.areSortedByKey, "changes are sorted by key")
        try changes.withUnsafeBufferPointer { try transaction.apply($0, to: model) }
    }

    /// Passes the events, in their order and each once, to the tables other than the rows.
    private func projectOthers(
        _ events: ContiguousArray<LoadedEvents.Entry>, _ window: inout BulkWindow, _ layout: SchemaLayout,
        of store: StoreID, to adapter: any StorageAdapter, isWanted: () -> Bool
    ) throws {
        assert(window.projectedCount <= events.count, "at most the existing events were passed on")
        while window.projectedCount < events.count {
            if isWanted() { throw LogViewWanted() }
            let end = min(window.projectedCount + Self.sliceRowCount, events.count)
            let slice = events[window.projectedCount..<end]
            if try hasRegisteredProjections || slice.contains(where: { try $0.view().kind.changesServerTables }) {
                try commit(to: adapter, checkpoint(store, .start, layout)) { transaction in
                    try projectOthers(slice, to: transaction)
                }
            }
            window.projectedCount = end
        }
    }

    /// Passes the events, in their order, to the tables other than the rows.
    func projectOthers(_ events: ArraySlice<LoadedEvents.Entry>, to transaction: any AdapterTransaction) throws {
        for event in events {
            let view = try event.view()
            if view.kind.changesServerTables { try transaction.updateServerTables(with: view) }
            try project(view, to: transaction)
        }
    }
}

/// The progress of loading a part of the log. Loading continues from it after the view of the log was released.
private struct BulkWindow {
    /// Whether the adapter has no rows yet.
    var isFirst = true
    /// The end of the part, after it was read.
    var end: Position?
    var hasRows = false
    /// The number of events that were passed to the tables other than the rows.
    var projectedCount = 0
}

extension StoredSchema {
    /// The same models and numbers without indexes, as a schema with a version before all others.
    fileprivate var withoutIndexes: StoredSchema {
        var bare = self
        bare.version = 0
        for index in bare.declared.models.indices { bare.declared.models[index].indexes = [] }
        return bare
    }
}
