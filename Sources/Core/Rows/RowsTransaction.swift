/// The rows, as a group of writes reads and changes them.
///
/// The group first stages its events. Then ``prepare()`` decides when these events become rows, the log appends the group, and
/// ``commit(_:)`` makes the rows follow.
///
/// A single record is read from the rows, or from the log if its latest event is not projected. The adapter's write transaction
/// begins only when a different read is requested, or when the group has to be projected at once.
final class RowsTransaction {
    private let rows: ProjectedRows
    private let staged: StagedEvents
    /// How many of the staged events are applied to the adapter's transaction.
    private var appliedCount = 0
    /// How many of the staged events are known to change no server's state and no note.
    private var checkedCount = 0
    private var snapshot: (reader: any AdapterSnapshot, projectionCount: UInt64)?
    private var transaction: (any AdapterTransaction)?
    /// Whether this transaction has the exclusive right to change the rows until the group ends.
    private var hasTurn = false
    /// The last row that was read from the log.
    private lazy var rowFromLog = ByteArena()

    init(_ rows: ProjectedRows, _ staged: StagedEvents) { (self.rows, self.staged) = (rows, staged) }

    deinit { assert(transaction == nil && snapshot == nil && !hasTurn, "a group lets go of the rows at its end") }

    // MARK: Reading

    /// The row of the record with `key`, or `nil` if it has none. Valid until the next call.
    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        if let transaction { return try transaction.get(key, in: model) }
        switch rows.unprojected.latest(of: key, in: model) {
        case .unprojected(let latest): return try latest.hasValue ? row(key, at: latest.sequence) : nil
        case .projected(let count): return try reader(count).get(key, in: model)
        }
    }

    /// The latest event of the record with `key`, and the row that this event left. Valid until the next call.
    ///
    /// The sequence number is 0 if the record never had an event, or if its event was dropped from the log and from the
    /// tombstones.
    func latest(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> (sequence: UInt64, row: RowView?) {
        if let transaction { return try rows.projector.latest(key, in: model, transaction) }
        switch rows.unprojected.latest(of: key, in: model) {
        case .unprojected(let latest):
            return (latest.sequence.value, latest.hasValue ? try row(key, at: latest.sequence).row : nil)
        case .projected(let count): return try rows.projector.latest(key, in: model, reader(count))
        }
    }

    /// The number of the latest event of the record with `key`, as for ``latest(_:in:)``, without its row.
    private func latestSequence(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> UInt64 {
        if case .unprojected(let latest) = rows.unprojected.latest(of: key, in: model) { return latest.sequence.value }
        return try latest(key, in: model).sequence
    }

    /// The server's latest state of the record with `key`, and the event that contains it; `nil` if there is none.
    func serverStateEntry(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> ServerState.Entry? {
        if changesServerTables { return try applyStaged().serverStateEntry(model.number, key) }
        switch rows.unprojected.latestServerState(of: key, in: model) {
        case .unprojected(let latest):
            guard latest.hasValue else { return nil }
            return try event(at: latest.sequence) { $0.serverState.map { .init($0, latest.sequence) } }
        case .projected(let count): return try reader(count).serverStateEntry(model.number, key)
        }
    }

    /// The value of the note called `name`, or `nil` if there is none.
    func note(_ name: String) throws -> [UInt8]? {
        if changesServerTables { return try applyStaged().note(name) }
        var text = name
        let place = text.withUTF8 { rows.unprojected.latestNote(UnsafeRawBufferPointer($0)) }
        switch place {
        case .unprojected(let latest):
            return latest.hasValue ? try event(at: latest.sequence) { $0.noteValue.map { Array($0) } } : nil
        case .projected(let count): return try reader(count).note(name)
        }
    }

    /// Whether the adapter's transaction has begun, or a staged event changes a server's state or a note. These are then read
    /// from that transaction.
    private var changesServerTables: Bool {
        if transaction != nil { return true }
        while checkedCount < staged.count, !staged.events[checkedCount].kind.changesServerTables { checkedCount += 1 }
        return checkedCount < staged.count
    }

    private func row(_ key: UnsafeRawBufferPointer, at sequence: SequenceNumber) throws -> StoredRow {
        rowFromLog.count = 0
        try event(at: sequence) { event in event.row.map { rowFromLog.append($0) } }
        return StoredRow(key: key, sequence: sequence, row: try RowView(rowFromLog[0..<rowFromLog.count]))
    }

    /// The result of `body` for an event that is not projected.
    private func event<Result>(at sequence: SequenceNumber, _ body: (EventView) throws -> Result?) throws -> Result {
        try rows.log.withEvent(at: sequence) { event in
            guard let result = try event.flatMap(body) else {
                throw DataStoreError.damagedLog("lacks event \(sequence), which was just appended")
            }
            return result
        }
    }

    /// A view of the rows that was begun after `projectionCount` projections.
    private func reader(_ projectionCount: UInt64) throws -> any AdapterSnapshot {
        if let snapshot, snapshot.projectionCount == projectionCount { return snapshot.reader }
        endReading()
        let reader = try mending { try rows.current.adapter().snapshot() }
        snapshot = (reader, projectionCount)
        return reader
    }

    /// Ends the view of the rows, if there is one.
    private func endReading() { snapshot.take()?.reader.end() }

    /// Calls `body`. If it fails, the rows are repaired and `body` is called a second time.
    private func mending<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch {
            rows.lose(error)
            try rows.mend()
        }
        return try body()
    }

    // MARK: Writing

    /// The adapter's transaction, with the rows of all events that were appended or staged.
    func applyStaged() throws -> any AdapterTransaction {
        while true {
            let transaction = try begun()
            do {
                try rows.projector.apply(staged, from: appliedCount, to: transaction)
                appliedCount = staged.count
                return transaction
            } catch let error as DataStoreError where error.isMapFull {
                // The next transaction has a larger map.
                try beginAgain()
            }
        }
    }

    /// Begins another transaction of the adapter, to which no staged event is applied.
    private func beginAgain() throws {
        appliedCount = 0
        transaction.take()?.rollback()
        try rows.projector.prepare(begun())
    }

    /// Whether staged events from `index` on are applied to the adapter's transaction.
    func hasApplied(from index: Int) -> Bool { appliedCount > index }

    /// Removes the rows of staged events from `index` on, after these events were removed from the group.
    func takeBack(to index: Int) throws {
        precondition(staged.count == index, "the events are no longer staged")
        checkedCount = min(checkedCount, index)
        guard hasApplied(from: index) else { return }
        try beginAgain()
        _ = try applyStaged()
    }

    /// The adapter's write transaction, which contains all events that were appended.
    private func begun() throws -> any AdapterTransaction {
        if let transaction { return transaction }
        endReading()
        if !hasTurn {
            try mending { try rows.takeTurn() }
            hasTurn = true
        }
        assert(snapshot == nil, "a group that writes reads from its transaction")
        let begun = try rows.current.adapter().begin()
        transaction = begun
        return begun
    }

    /// Whether the rows of the staged events fit on a disk with `freeByteCount()` free bytes. The rows of earlier events are
    /// projected first, so that the disk has space for these too.
    func hasSpace(onDisk freeByteCount: () -> Int) throws -> Bool {
        // With the right to change the rows, the earlier events are projected already.
        if !hasTurn {
            endReading()
            do { try rows.project() } catch let error as DataStoreError where error.code == .storageFull {
                // Deleted rows leave space that the adapter can give back.
                rows.giveSpaceBack()
                try rows.project()
            }
        }
        let adapter = try rows.current.adapter()
        if adapter.hasSpace(forRows: staged.byteCount, onDisk: freeByteCount()) { return true }
        guard !hasTurn else { return false }
        rows.giveSpaceBack()
        return adapter.hasSpace(forRows: staged.byteCount, onDisk: freeByteCount())
    }

    /// Links each staged event to its record's previous event, so that the group can be sealed.
    ///
    /// A small group is projected later, together with other groups. The events of a large group are applied here.
    func prepare() throws {
        if isProjectedLater { try link() } else { _ = try applyStaged() }
        endReading()
    }

    /// Links each staged event to its record's previous event.
    private func link() throws {
        try staged.link(after: latest)
        for index in 0..<staged.count where !staged.events[index].changesRow {
            try staged.linkEventWithoutRowChange(index) { try latestSequence($0, in: $1) }
        }
    }

    /// Whether the staged events are projected later: they are few, none of them is applied, and the schema stays the same.
    private var isProjectedLater: Bool {
        guard transaction == nil, staged.count <= UnprojectedEvents.groupLimit else { return false }
        return staged.schemaVersions.isEmpty
    }

    /// Notes the events of the group after they were appended, or commits the rows that were made of them.
    ///
    /// The events are already facts. If the adapter fails now, the rows are marked for repair.
    func commit(_ sealed: SealedEvents) {
        guard staged.count > 0 else { return }
        precondition(sealed.end == rows.log.head, "rows apply the last appended events")
        guard let transaction else { return rows.unprojected.append(staged) }
        precondition(hasTurn && appliedCount == staged.count, "a group is applied before it is committed")
        do {
            try rows.projector.project(sealed, to: transaction)
            self.transaction = nil
            try transaction.commit(checkpoint: rows.checkpoint(at: sealed.end))
        } catch {
            rows.lose(error)
        }
    }

    /// Rolls back uncommitted changes and gives up the exclusive right to change the rows.
    func end() {
        endReading()
        transaction.take()?.rollback()
        guard hasTurn else { return }
        hasTurn = false
        rows.endTurn()
    }
}
