internal import Dispatch
internal import Synchronization

/// The rows that are projected from a log, and the events that they lack so far: the one door to them.
///
/// The events of small writes are projected many at a time. A reader who asks for one record finds its latest event in the
/// log; before a reader is handed anything else, everything is projected. So nobody sees the difference, except other
/// processes, whose rows are a moment behind, and the process that opens the store after a crash: it replays the log from
/// the rows' checkpoint, as always.
final class ProjectedRows: Sendable {
    let log: EventLog
    let projector: Projector
    let layout: SchemaLayout
    let current: CurrentRows
    let unprojected: UnprojectedEvents
    let opening: RowsOpening
    /// Shows readers the events that the rows have no room for.
    let overlay: RowsOverlay
    /// How mending the rows goes, after the adapter failed behind an append; `nil` while rows follow the log. Only the
    /// writer's serial section changes it.
    let recovery = Mutex<RowsRecovery?>(nil)
    /// Held by the one who changes rows.
    private let turn = DispatchSemaphore(value: 1)

    /// - Parameter opening: What opened `files`, and opens them again if the adapter fails.
    init(_ files: RowsFiles, opening: RowsOpening) {
        current = CurrentRows(files)
        unprojected = UnprojectedEvents()
        (log, projector, layout, self.opening) = (opening.log, opening.projector, opening.layout, opening)
        overlay = RowsOverlay(of: opening.log, opening.projector)
    }

    /// The rows of `other`, by a later schema. Another process writes them.
    init(_ other: ProjectedRows, layout: SchemaLayout, projector: Projector) {
        precondition(other.unprojected.isEmpty, "rows that another process writes take in no events here")
        var opening = other.opening
        (opening.layout, opening.projector) = (layout, projector)
        (log, current, unprojected, self.opening) = (other.log, other.current, other.unprojected, opening)
        (self.layout, self.projector) = (layout, projector)
        overlay = RowsOverlay(of: other.log, projector)
    }

    /// Whether the rows outlive the process.
    var isPersistent: Bool { current.isPersistent }

    /// Where the rows' files are, `nil` for an adapter without files.
    var directory: String? { current.directory }

    /// The tables beside the rows, those of registered projections last.
    var auxiliaryTables: [AuxiliaryTable] { projector.auxiliaryTables }

    /// Throws what the rows failed with, if readers cannot be shown what the log has.
    func requireAvailable() throws { _ = try current.readable() }

    /// The schema version that the rows follow, `nil` if there are none yet.
    func schemaVersion() throws -> UInt32? { try current.lease().files.schemaVersion() }

    /// The checkpoint of rows that contain the log up to `position`.
    func checkpoint(at position: Position) -> Checkpoint {
        projector.checkpoint(log.metadata.store, position, layout)
    }

    // MARK: Reading

    /// A consistent view of the rows, with everything in it that was appended before.
    ///
    /// - Throws: ``DataStoreError`` with code `projectionUnavailable` if they cannot take it in.
    @inline(__always)
    func snapshot() throws -> RowsSnapshot { try RowsSnapshot(readable()) }

    /// The rows for a reader, held open, with everything in them that was appended before.
    @inline(__always)
    private func readable() throws -> ReadableRows {
        let isProjected = try unprojected.isEmpty || projectForReading()
        let (lease, isComplete) = try current.readable()
        return ReadableRows(lease: lease, overlay: isProjected && isComplete ? nil : overlay)
    }

    /// Projects what the rows lack; returns whether there was room for it.
    @inline(never)
    private func projectForReading() throws -> Bool {
        // If the rows failed already, that is the error, and not what another try to project fails with.
        guard try current.readable().isComplete else { return false }
        do { try project() } catch {
            let failure = current.failure ?? CurrentRows.unavailable(error)
            guard failure.isForLackOfSpace else { throw failure }
            return false
        }
        return true
    }

    /// Calls `body` with the row of the record under `key`, wherever it is; with `nil` if it has none.
    @inline(__always)
    func row<Result>(
        _ key: UnsafeRawBufferPointer, in model: ModelLayout, _ body: (RowView?) throws -> Result
    ) throws -> Result {
        // Asked before the rows are looked at: what was projected meanwhile is in them, whichever they are by then.
        if !unprojected.isEmpty, let result = try unprojectedRow(key, in: model, body) { return result }
        let (lease, isComplete) = try current.readable()
        let rows = try RowsSnapshot(ReadableRows(lease: lease, overlay: isComplete ? nil : overlay))
        defer { rows.end() }
        return try body(rows.reader.get(key, in: model)?.row)
    }

    /// As ``row(_:in:_:)``, if the record's latest event is not projected; else `nil`.
    private func unprojectedRow<Result>(
        _ key: UnsafeRawBufferPointer, in model: ModelLayout, _ body: (RowView?) throws -> Result
    ) throws -> Result? {
        // Keeps the store open until the row was read.
        let lease = try current.readable().lease
        return try withExtendedLifetime(lease) {
            guard case .unprojected(let latest) = unprojected.latest(of: key, in: model) else { return nil }
            guard latest.hasRow else { return try body(nil) }
            return try log.withEvent(at: latest.sequence) { event in
                // Gone only if it was projected since, and superseded, and dropped.
                guard let row = event?.row else { return nil }
                return try body(RowView(row))
            }
        }
    }

    /// Calls `body` with looks at log and rows that belong together: the log has every event that the rows name. If a
    /// compaction comes in between, `body` begins again.
    func matching<Result>(_ body: (LogSlices, any AdapterSnapshot) throws -> Result) throws -> Result {
        let deadline = ContinuousClock.now + .seconds(5)
        var attempts = 0
        while true {
            let before = try log.withReader { CompactionMark(try $0.metadata()) }
            // The lease is taken after the mark. A compaction drops an event because of a later one, so rows that match the
            // mark contain the later one; rows that a rebuild has replaced before may lack it.
            let readable = try readable()
            do {
                let result = try withExtendedLifetime(readable) {
                    try matching(readable, before, isHeld: attempts >= LogSlices.attempts, deadline, body)
                }
                if let result { return result }
                Blocking.pause(microseconds: 200)
            } catch is CompactedMeanwhile {
                attempts += 1
            }
        }
    }

    /// The result of `body`; `nil` if the log has moved away from `mark` or from the rows, unless `deadline` is over.
    private func matching<Result>(
        _ readable: ReadableRows, _ mark: CompactionMark, isHeld: Bool, _ deadline: ContinuousClock.Instant,
        _ body: (LogSlices, any AdapterSnapshot) throws -> Result
    ) throws -> Result? {
        let rows = try readable.snapshot()
        defer { rows.end() }
        return try EventLog.translating("read the log") {
            let log = try LogSlices(log, isHeld: isHeld)
            let checkpoint = rows.checkpointSequence
            let matches =
                try log.compaction == mark && checkpoint >= mark.floor && !log.isOutdated(at: checkpoint)
            guard matches || ContinuousClock.now > deadline else { return nil }
            return try body(log, rows)
        }
    }

    // MARK: Changing

    /// The rows as a group of writes sees and changes them.
    func begin() -> RowsTransaction { RowsTransaction(self) }

    /// Takes in the events of a group, which were appended: notes them, to be projected with others, or commits the rows
    /// that `transaction` has made of them. The events are facts: if the adapter fails, the rows are to be mended.
    func take(_ staged: StagedEvents, _ sealed: SealedEvents, from transaction: RowsTransaction, projectsLater: Bool) {
        guard staged.count > 0 else { return }
        precondition(sealed.end.sequence == log.knownHead, "rows take in what was appended last")
        if projectsLater { return unprojected.append(staged) }
        do { try transaction.commit(sealed) } catch { lose(error) }
    }

    /// Projects what the rows lack. If they cannot take it in, they go on lacking it.
    ///
    /// - Throws: what the rows' adapter or a registered projection throws.
    @inline(__always)
    func project() throws {
        guard !unprojected.isEmpty else { return }
        try takeTurn()
        endTurn()
    }

    /// Calls `body`, which may change the rows and finds everything projected that was appended before.
    func withTurn<Result>(_ body: (any StorageAdapter) throws -> Result) throws -> Result {
        try takeTurn()
        defer { endTurn() }
        return try body(current.lease().files.adapter)
    }

    /// Waits until nobody else changes the rows, and projects what they lack. Until ``endTurn()`` nobody else changes them.
    ///
    /// - Throws: as ``project()``; then it is nobody's turn.
    func takeTurn() throws {
        turn.wait()
        do { try projectInTurn() } catch {
            turn.signal()
            throw error
        }
    }

    func endTurn() { turn.signal() }

    private func projectInTurn() throws {
        guard !unprojected.isEmpty else { return }
        let lease = try current.lease()
        let end = try log.withReader { reader in
            // Not beyond: what comes after a sync that failed is for the next opening to judge.
            try projector.replay(
                reader, store: log.metadata.store, to: lease.files.adapter, layout: layout, upTo: log.head.sequence)
        }
        unprojected.finish(upTo: end.sequence)
    }

    /// Calls `body`, which mends the rows or replaces them. Afterwards they contain everything that was appended before.
    ///
    /// Nobody else changes rows meanwhile. Else a reader who still held the old ones could project events into those, and
    /// the new ones would lack them.
    func whileMending<Result>(_ body: () throws -> Result) rethrows -> Result {
        turn.wait()
        defer { turn.signal() }
        let head = log.head.sequence
        let result = try body()
        if current.failure == nil { unprojected.finish(upTo: head) }
        return result
    }

    // MARK: Ending

    /// Takes in what the rows lack, refuses readers from now on with `reason` and closes the adapter once nobody reads any
    /// more.
    ///
    /// - Parameter durably: Whether the rows are made durable, and their marker says so.
    func close(_ reason: DataStoreError, durably: Bool) throws {
        // If that fails, it is done at the next opening, from the rows' checkpoint.
        try? project()
        let isComplete = current.failure == nil
        guard let files = current.end(reason) else { return }
        guard durably, isComplete else {
            try? files.adapter.close()
            return
        }
        try files.closeDurably()
    }

    /// Refuses readers from now on with `reason`. After the last of those at work the adapter is closed, and `body` runs.
    func retire(_ reason: DataStoreError, then body: @escaping @Sendable () -> Void) {
        current.retire(reason, then: body)
    }
}

extension AdapterReader {
    /// The last event in the rows.
    var checkpointSequence: SequenceNumber { ((try? checkpoint()) ?? nil)?.sequence ?? .zero }
}
