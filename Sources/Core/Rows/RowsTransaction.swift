/// A transaction in which a group of writes reads and changes the rows.
///
/// A single record is read from the rows, or from the log if its latest event is not projected. The adapter's write transaction
/// begins only when a different read is requested, or when the group has to be projected at once.
final class RowsTransaction {
    private let rows: ProjectedRows
    private var snapshot: (reader: any AdapterSnapshot, projectionCount: UInt64)?
    private var transaction: (any AdapterTransaction)?
    /// Whether this transaction has the exclusive right to change the rows until the group ends.
    private var hasTurn = false
    /// The last row that was read from the log.
    private lazy var rowFromLog = ByteArena()

    init(_ rows: ProjectedRows) { self.rows = rows }

    deinit { assert(transaction == nil && snapshot == nil && !hasTurn, "a group lets go of the rows at its end") }

    // MARK: Reading

    /// The row of the record with `key`, or `nil` if it has none. Valid until the next call.
    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        if let transaction { return try transaction.get(key, in: model) }
        switch rows.unprojected.latest(of: key, in: model) {
        case .unprojected(let latest): return try latest.hasRow ? row(key, at: latest.sequence) : nil
        case .projected(let count): return try reader(count).get(key, in: model)
        }
    }

    /// The latest event of the record with `key`, and the row that this event left. Valid until the next call.
    ///
    /// The sequence number is 0 if the record never had an event, or if its event was dropped from the log and from the
    /// tombstones.
    func latest(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> (sequence: UInt64, row: RowView?) {
        if let row = try get(key, in: model) { return (row.sequence.value, row.row) }
        return (try lastSequence(ofAbsent: key, in: model), nil)
    }

    private func lastSequence(ofAbsent key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> UInt64 {
        switch rows.unprojected.latest(of: key, in: model) {
        case .unprojected(let latest): return latest.sequence.value
        case .projected(let count):
            guard rows.projector.mayHaveTombstones else { return 0 }
            if let transaction { return try transaction.tombstone(model.number, key) }
            return try reader(count).tombstone(model.number, key)
        }
    }

    private func row(_ key: UnsafeRawBufferPointer, at sequence: SequenceNumber) throws -> StoredRow {
        rowFromLog.count = 0
        try rows.log.withEvent(at: sequence) { event in
            guard let row = event?.row else {
                throw DataStoreError.damagedLog("lacks event \(sequence), which was just appended")
            }
            rowFromLog.append(row)
        }
        return StoredRow(key: key, sequence: sequence, row: try RowView(rowFromLog[0..<rowFromLog.count]))
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
    func endReading() { snapshot.take()?.reader.end() }

    /// Calls `body`. If it fails, the rows are repaired and `body` is called a second time.
    private func mending<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch {
            rows.lose(error)
            try rows.mend()
        }
        return try body()
    }

    // MARK: Writing

    /// Whether `staged` may be projected later, together with other groups.
    ///
    /// That is allowed if the events are few, if they only change rows, and if the adapter's transaction contains none of them.
    func mayProjectLater(_ staged: StagedEvents) -> Bool {
        guard transaction == nil, staged.count <= UnprojectedEvents.groupLimit else { return false }
        return (0..<staged.count).allSatisfy { staged.events[$0].changesRowAlone }
    }

    /// Links each staged event to its record's previous event, without projecting any.
    func link(_ staged: StagedEvents) throws {
        precondition(transaction == nil, "what is projected later is in no transaction")
        try staged.link(after: latest)
    }

    /// Writes the rows that the staged events from index `start` produce into the adapter's transaction.
    func apply(_ staged: StagedEvents, from start: Int) throws {
        try rows.projector.apply(staged, from: start, to: writing())
    }

    /// The adapter's write transaction, which contains all events that were appended.
    func writing() throws -> any AdapterTransaction {
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

    /// Rolls back the changes and begins a new write transaction.
    func restart() throws {
        transaction.take()?.rollback()
        try rows.projector.prepare(writing())
    }

    /// Commits the changes, together with the output of registered projections for these events.
    func commit(_ sealed: SealedEvents) throws {
        guard let transaction else { preconditionFailure("events that are projected at once were applied before") }
        precondition(hasTurn, "who commits rows has the turn")
        try rows.projector.project(sealed, to: transaction)
        self.transaction = nil
        try transaction.commit(checkpoint: rows.checkpoint(at: sealed.end))
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
