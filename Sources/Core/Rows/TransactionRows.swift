/// The rows as a group of writes sees them.
///
/// One record is read where it is: in the rows, or in the log where its latest event waits to be projected. The adapter's
/// write transaction begins only once something else is asked, or the group is to be projected at once.
final class TransactionRows {
    private let rows: Rows
    private let unprojected: UnprojectedEvents
    private let log: EventLog
    private let projector: Projector
    private let mend: (any Error) throws -> Void
    private var snapshot: (reader: any StorageSnapshot, projectionCount: UInt64)?
    private var transaction: (any StorageTransaction)?
    /// Whether nobody else may change the rows until the group ends.
    private var hasTurn = false
    /// Holds the last row that was read from the log.
    private lazy var rowFromLog = ByteArena()

    /// - Parameter mend: Called with what the adapter failed with, before it has been written to: the rows follow the log
    ///   again when it returns.
    init(
        _ rows: Rows, _ unprojected: UnprojectedEvents, _ log: EventLog, _ projector: Projector,
        mend: @escaping (any Error) throws -> Void
    ) {
        self.rows = rows
        self.unprojected = unprojected
        self.log = log
        self.projector = projector
        self.mend = mend
    }

    /// Whether the group writes rows already.
    var isWriting: Bool { transaction != nil }

    /// The row of the record under `key`, `nil` where it has none. Valid until the next call.
    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        if let transaction { return try transaction.get(key, in: model) }
        switch unprojected.latest(of: key, in: model) {
        case .waiting(let latest): return try latest.hasRow ? row(key, at: latest.sequence) : nil
        case .projected(let count): return try reader(count).get(key, in: model)
        }
    }

    /// The latest event of the record under `key`, 0 where it never had one or nobody knows any more, and the row that it
    /// left. Valid until the next call.
    func latest(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> (sequence: UInt64, row: RowView?) {
        if let row = try get(key, in: model) { return (row.sequence.value, row.row) }
        return (try lastSequence(ofAbsent: key, in: model), nil)
    }

    private func lastSequence(ofAbsent key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> UInt64 {
        switch unprojected.latest(of: key, in: model) {
        case .waiting(let latest): return latest.sequence.value
        case .projected(let count):
            guard projector.mayHaveTombstones else { return 0 }
            if let transaction { return try transaction.tombstone(model.number, key) }
            return try reader(count).tombstone(model.number, key)
        }
    }

    /// The adapter's write transaction, with everything in it that was appended.
    func writing() throws -> any StorageTransaction {
        if let transaction { return transaction }
        endReading()
        if !hasTurn {
            try mending { try unprojected.takeTurn() }
            hasTurn = true
        }
        let begun = try rows.adapter().begin()
        transaction = begun
        return begun
    }

    /// Takes back what was written, and begins to write anew.
    func restart() throws -> any StorageTransaction {
        transaction.take()?.rollback()
        return try writing()
    }

    /// Commits what was written.
    func commit(checkpoint: Checkpoint) throws { try transaction.take()?.commit(checkpoint: checkpoint) }

    /// Lets go of the view of the rows, if there is one.
    func endReading() { snapshot.take()?.reader.end() }

    /// Takes back what was written and not committed, and lets others change the rows.
    func end() {
        endReading()
        transaction.take()?.rollback()
        guard hasTurn else { return }
        hasTurn = false
        unprojected.endTurn()
    }

    /// A view of the rows that was begun after `projectionCount` projections.
    private func reader(_ projectionCount: UInt64) throws -> any StorageSnapshot {
        if let snapshot, snapshot.projectionCount == projectionCount { return snapshot.reader }
        endReading()
        let reader = try mending { try rows.adapter().snapshot() }
        snapshot = (reader, projectionCount)
        return reader
    }

    /// Calls `body`; where that fails, a second time with mended rows.
    private func mending<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { try mend(error) }
        return try body()
    }

    private func row(_ key: UnsafeRawBufferPointer, at sequence: SequenceNumber) throws -> StoredRow {
        rowFromLog.count = 0
        try log.withReader { reader in
            guard let row = try reader.event(at: sequence)?.row else {
                throw EventLog.damaged("lacks event \(sequence), which was just appended")
            }
            rowFromLog.append(row)
        }
        return StoredRow(key: key, sequence: sequence, row: try RowView(rowFromLog[0..<rowFromLog.count]))
    }
}
