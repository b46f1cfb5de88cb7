internal import Dispatch
internal import TidelogSynchronization

/// The rows that are projected from a log, and the events that they do not contain yet. All access to the rows goes through
/// this type.
///
/// The events of small writes are projected many at a time. A reader of one record finds the record's latest event in the log.
/// Before any other read, all events are projected, so that readers in this process never see a difference. Another process
/// sees the rows a moment later. A process that opens the store after a crash replays the log from the rows' checkpoint.
final class ProjectedRows: Sendable {
    let log: EventLog
    let projector: Projector
    let layout: SchemaLayout
    let current: CurrentRows
    let unprojected: UnprojectedEvents
    let opening: RowsOpening
    /// Shows readers the events for which the rows have no space.
    let overlay: RowsOverlay
    /// The state of the repair after the adapter failed to apply appended events, or `nil` while the rows follow the log.
    ///
    /// Only the writer's serial section changes it.
    let recovery = Mutex<RowsRecovery?>(nil)
    /// Held by the thread that changes rows.
    private let turn = DispatchSemaphore(value: 1)

    /// - Parameter opening: The settings that opened `files`. They open the files again if the adapter fails.
    init(_ files: RowsFiles, opening: RowsOpening) {
        current = CurrentRows(files)
        unprojected = UnprojectedEvents()
        log = opening.log
        projector = opening.projector
        layout = opening.layout
        self.opening = opening
        overlay = RowsOverlay(of: opening.log, opening.projector)
    }

    /// The rows of `other` with a later schema. Another process writes these rows.
    init(_ other: ProjectedRows, layout: SchemaLayout, projector: Projector) {
        precondition(other.unprojected.isEmpty, "rows that another process writes apply no events here")
        var opening = other.opening
        opening.layout = layout
        opening.projector = projector
        log = other.log
        current = other.current
        unprojected = other.unprojected
        self.opening = opening
        self.layout = layout
        self.projector = projector
        overlay = RowsOverlay(of: other.log, projector)
    }

    /// Whether the rows outlive the process.
    var isPersistent: Bool { current.isPersistent }

    /// The directory of the rows' files, or `nil` for an adapter without files.
    var directory: String? { current.directory }

    /// The auxiliary tables. Tables of registered projections come last.
    var auxiliaryTables: [AuxiliaryTable] { projector.auxiliaryTables }

    /// Throws the rows' failure if readers cannot be shown all events of the log.
    func requireAvailable() throws { _ = try current.readable() }

    /// The schema version of the rows, or `nil` if they have no checkpoint yet.
    func schemaVersion() throws -> UInt32? { try current.lease().files.schemaVersion() }

    /// The checkpoint of rows that contain the log up to `position`.
    func checkpoint(at position: Position) -> Checkpoint {
        projector.checkpoint(log.metadata.store, position, layout)
    }

    // MARK: Reading

    /// A consistent view of the rows that contains all events that were appended before.
    ///
    /// - Throws: ``DataStoreError`` with code `projectionUnavailable` if those events cannot be projected.
    @inline(__always)
    func snapshot() throws -> RowsSnapshot { try RowsSnapshot(readable()) }

    /// The rows for a reader, held open, with all events that were appended before.
    @inline(__always)
    private func readable() throws -> RowsSnapshot.ReadableRows {
        let isProjected = try unprojected.isEmpty || projectForReading()
        let (lease, isComplete) = try current.readable()
        return RowsSnapshot.ReadableRows(lease: lease, overlay: isProjected && isComplete ? nil : overlay)
    }

    /// Projects the events that the rows lack. Returns whether there was enough space.
    @inline(never)
    private func projectForReading() throws -> Bool {
        // If the rows failed already, readers get that first error rather than the error of another attempt.
        guard try current.readable().isComplete else { return false }
        do { try project() } catch {
            let failure = current.failure ?? CurrentRows.unavailable(error)
            guard failure.isForLackOfSpace else { throw failure }
            return false
        }
        return true
    }

    /// The server's latest state of the record with `key`, from the rows or from the log; `nil` if there is none.
    func serverState(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> ServerState? {
        if !unprojected.isEmpty, let state = try unprojectedState(key, in: model) { return state }
        return try withPresentRows { try $0.serverState(model.number, key) }
    }

    /// The state if the event that contains it is not projected. Otherwise returns `nil`, without an inner value.
    private func unprojectedState(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> ServerState?? {
        try withUnprojected({ unprojected.latestServerState(of: key, in: model) }, { .some($0?.serverState) })
    }

    /// Calls `body` with the row of the record with `key`, from the rows or from the log, unless there is none.
    ///
    /// - Parameter source: The object with which the decoded value finds its relations later.
    func withRow(
        _ key: UnsafeRawBufferPointer, in model: ModelLayout, from source: AnyObject,
        _ body: (inout RowDecoder) throws -> Void
    ) throws {
        func decode(_ row: RowView) throws {
            var decoder = RowDecoder(row, borrowing: model.row, source: source)
            try body(&decoder)
        }
        // The unprojected events are checked before the rows. Events that are projected after this check are in the rows.
        if !unprojected.isEmpty, try withUnprojectedRow(key, in: model, decode) { return }
        let (lease, isComplete) = try current.readable()
        guard isComplete else {
            return try withPresentRows { rows in
                if let row = try rows.get(key, in: model) { try decode(row.row) }
            }
        }
        try withExtendedLifetime(lease) {
            try lease.files.adapter.withRow(key, in: model) { try decode($0.row) }
        }
    }

    /// Calls `body` with the rows as they are, without the events that they lack.
    private func withPresentRows<Result>(_ body: (any AdapterSnapshot) throws -> Result) throws -> Result {
        let (lease, isComplete) = try current.readable()
        let rows = try RowsSnapshot(RowsSnapshot.ReadableRows(lease: lease, overlay: isComplete ? nil : overlay))
        defer { rows.end() }
        return try body(rows.reader)
    }

    /// Like ``withRow(_:in:from:_:)`` if the record's latest event is not projected. Otherwise returns false.
    private func withUnprojectedRow(
        _ key: UnsafeRawBufferPointer, in model: ModelLayout, _ body: (RowView) throws -> Void
    ) throws -> Bool {
        try withUnprojected({ unprojected.latest(of: key, in: model) }) { event -> Void? in
            guard let event else { return () }
            return try event.row.map { try body(RowView($0)) }
        } != nil
    }

    /// Calls `body` with the event that `latest` finds, or with `nil` if that event leaves no value. Returns `nil` if there is
    /// no such event, or if it is projected.
    @inline(__always)
    private func withUnprojected<Result>(
        _ latest: () -> UnprojectedEvents.Latest, _ body: (EventView?) throws -> Result?
    ) throws -> Result? {
        // The lease keeps the store open until the event was read.
        let lease = try current.readable().lease
        return try withExtendedLifetime(lease) {
            guard case .unprojected(let latest) = latest() else { return nil }
            guard latest.hasValue else { return try body(nil) }
            // The event is missing only if it was projected, superseded and dropped since the check.
            return try log.withEvent(at: latest.sequence) { event in try event.flatMap { try body($0) } }
        }
    }

    /// Calls `body` with matching views of the log and the rows: the log has every event that the rows name.
    ///
    /// If a compaction removes such an event in the middle, `body` is called again.
    func matching<Result>(_ body: (LogSlices, any AdapterSnapshot) throws -> Result) throws -> Result {
        let deadline = ContinuousClock.now + .seconds(5)
        var attempts = 0
        while true {
            let before = try log.withReader { LogMetadata.CompactionMark(try $0.metadata()) }
            // The lease is taken after the mark. A compaction drops an event because of a later one, so rows that match the
            // mark contain the later one; rows that a rebuild has replaced before may lack it.
            let readable = try readable()
            do {
                let result = try withExtendedLifetime(readable) {
                    try matching(readable, at: before, isHeld: attempts >= LogSlices.attempts, until: deadline, body)
                }
                if let result { return result }
                Blocking.pause(microseconds: 200)
            } catch is LogSlices.CompactedMeanwhile {
                attempts += 1
            }
        }
    }

    /// The result of `body`, or `nil` if a compaction made the log differ from `mark` or from the rows before `deadline`.
    private func matching<Result>(
        _ readable: RowsSnapshot.ReadableRows, at mark: LogMetadata.CompactionMark, isHeld: Bool,
        until deadline: ContinuousClock.Instant,
        _ body: (LogSlices, any AdapterSnapshot) throws -> Result
    ) throws -> Result? {
        let rows = try readable.snapshot()
        defer { rows.end() }
        return try translatingLogErrors("read the log") {
            let log = try LogSlices(log, isHeld: isHeld)
            let checkpoint = rows.checkpointSequence
            let matches = try log.compaction == mark && checkpoint >= mark.floor && !log.isOutdated(at: checkpoint)
            guard matches || ContinuousClock.now > deadline else { return nil }
            return try body(log, rows)
        }
    }

    // MARK: Changing

    /// The rows for the group of writes that stages its events in `staged`.
    func begin(_ staged: StagedEvents) -> RowsTransaction { RowsTransaction(self, staged) }

    /// Projects the events that the rows lack. If the adapter fails, the rows still lack them.
    ///
    /// - Throws: any error of the rows' adapter or of a registered projection.
    @inline(__always)
    func project() throws {
        guard !unprojected.isEmpty else { return }
        try takeTurn()
        endTurn()
    }

    /// Calls `body`. No other thread changes the rows during this call. They contain all events that were appended before.
    func withTurn<Result>(_ body: () throws -> Result) throws -> Result {
        try takeTurn()
        defer { endTurn() }
        return try body()
    }

    /// Removes the entries with `keys` from a built-in table. The caller has the right to change the rows.
    func remove(_ keys: [[UInt8]], from table: AuxiliaryTable) throws {
        try current.adapter().transact { transaction in
            for key in keys { try key.withUnsafeBytes { try transaction.deleteAuxiliary($0, in: table) } }
            try transaction.commit(checkpoint: checkpoint(at: log.head))
        }
    }

    /// Waits for the exclusive right to change the rows, and projects the events that they lack.
    ///
    /// The caller has the right until it calls ``endTurn()``.
    ///
    /// - Throws: the same errors as ``project()``. After an error, the caller does not have the right.
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
            // Replay stops at the head. After a failed sync, only the next opening can judge later events.
            try projector.replay(
                reader, store: log.metadata.store, to: lease.files.adapter, layout: layout, upTo: log.head.sequence)
        }
        unprojected.finish(upTo: end.sequence)
    }

    /// Makes the adapter give disk space back that its rows do not need.
    func giveSpaceBack() {
        turn.wait()
        defer { turn.signal() }
        _ = ((try? current.adapter()) ?? current.adapterWithoutRoom)?.giveSpaceBack()
    }

    /// Calls `body`, which repairs or replaces the rows. Afterwards the rows contain all events that were appended before.
    ///
    /// No other thread changes rows during this call. Otherwise a reader that still held the old rows could project events into
    /// them, and the new rows would lack those events.
    func whileMending<Result>(_ body: () throws -> Result) rethrows -> Result {
        turn.wait()
        defer { turn.signal() }
        let head = log.head.sequence
        let result = try body()
        if current.failure == nil { unprojected.finish(upTo: head) }
        return result
    }

    // MARK: Ending

    /// Projects the events that the rows lack, refuses new readers with `reason`, and closes the adapter after the last reader.
    ///
    /// - Parameter durably: Whether to make the rows durable and to mark them as clean.
    func close(_ reason: DataStoreError, durably: Bool) throws {
        // If this fails, the next opening projects the events from the rows' checkpoint.
        try? project()
        let isComplete = current.failure == nil
        guard let files = current.end(reason) else { return }
        guard durably, isComplete else {
            try? files.adapter.close()
            return
        }
        try files.closeDurably()
    }

    /// Waits until no rebuild makes other rows. A rebuild ends when the log is closed.
    func waitForRebuild() { current.waitForRebuild() }

    /// Refuses new readers with `reason`. After the last reader has finished, the adapter is closed and `body` runs.
    func retire(_ reason: DataStoreError, then body: @escaping @Sendable () -> Void) {
        current.retire(reason, then: body)
    }
}
