/// The rows as a group of writes sees and changes them.
///
/// One record is read where it is: in the rows, or in the log if its latest event is not projected. The adapter's write
/// transaction begins only once something else is asked, or the group is to be projected at once.
final class RowsTransaction {
    private let rows: ProjectedRows
    private var snapshot: (reader: any AdapterSnapshot, projectionCount: UInt64)?
    private var transaction: (any AdapterTransaction)?
    /// Whether nobody else may change the rows until the group ends.
    private var hasTurn = false
    /// Holds the last row that was read from the log.
    private lazy var rowFromLog = ByteArena()

    init(_ rows: ProjectedRows) { self.rows = rows }

    deinit { assert(transaction == nil && snapshot == nil && !hasTurn, "a group lets go of the rows at its end") }

    // MARK: Reading

    /// The row of the record under `key`, `nil` if it has none. Valid until the next call.
    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        if let transaction { return try transaction.get(key, in: model) }
        switch rows.unprojected.latest(of: key, in: model) {
        case .unprojected(let latest): return try latest.hasRow ? row(key, at: latest.sequence) : nil
        case .projected(let count): return try reader(count).get(key, in: model)
        }
    }

    /// The latest event of the record under `key`, 0 if it never had one or nobody knows any more, and the row that it
    /// left. Valid until the next call.
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

    /// Lets go of the view of the rows, if there is one.
    func endReading() { snapshot.take()?.reader.end() }

    /// Calls `body`; if that fails, a second time with mended rows.
    private func mending<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch {
            rows.lose(error)
            try rows.mend()
        }
        return try body()
    }

    // MARK: Writing

    /// Whether `staged` may be projected later, together with other groups: there are few events, they say nothing but
    /// what becomes of rows, and none of them is in the adapter's transaction already.
    func mayProjectLater(_ staged: StagedEvents) -> Bool {
        guard transaction == nil, staged.count <= UnprojectedEvents.groupLimit else { return false }
        return (0..<staged.count).allSatisfy { staged.events[$0].changesRowAlone }
    }

    /// Links all staged events, each to the event before it of its record, and projects none.
    func link(_ staged: StagedEvents) throws {
        precondition(transaction == nil, "what is projected later is in no transaction")
        try staged.link(after: latest)
    }

    /// Puts the rows that the staged events from index `start` on leave into the adapter's transaction.
    func apply(_ staged: StagedEvents, from start: Int) throws {
        try rows.projector.apply(staged, from: start, to: writing())
    }

    /// The adapter's write transaction, with everything in it that was appended.
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

    /// Takes back what was written, and begins to write again.
    func restart() throws {
        transaction.take()?.rollback()
        try rows.projector.prepare(writing())
    }

    /// Commits what was written, with what registered projections make of the events.
    func commit(_ sealed: SealedEvents) throws {
        guard let transaction else { preconditionFailure("events that are projected at once were applied before") }
        precondition(hasTurn, "who commits rows has the turn")
        try rows.projector.project(sealed, to: transaction)
        self.transaction = nil
        try transaction.commit(checkpoint: rows.checkpoint(at: sealed.end))
    }

    /// Takes back what was written and not committed, and lets others change the rows.
    func end() {
        endReading()
        transaction.take()?.rollback()
        guard hasTurn else { return }
        hasTurn = false
        rows.endTurn()
    }
}
