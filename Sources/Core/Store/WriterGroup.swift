/// What the serial section owns, and the life of one group in it.
///
/// Sound as `@unchecked Sendable`: the writer lets one thread at a time in.
final class WriterGroup: @unchecked Sendable {
    let log: EventLog
    let rows: Rows
    let projector: Projector
    let layout: SchemaLayout
    private let feed: ChangeFeed
    private let store: StoreHandle
    private let unprojected: UnprojectedEvents
    private let opening: RowsOpening
    private let staged = StagedEvents()
    /// What the store answers to writes once a sync of the log failed.
    private(set) var poison: DataStoreError?
    /// How mending the rows goes, after the adapter failed behind an append; `nil` while rows follow the log.
    private(set) var recovery: RowsRecovery?

    init(
        log: EventLog, rows: Rows, projector: Projector, layout: SchemaLayout, feed: ChangeFeed, store: StoreHandle,
        unprojected: UnprojectedEvents, opening: RowsOpening
    ) {
        self.log = log
        self.rows = rows
        self.projector = projector
        self.layout = layout
        self.feed = feed
        self.store = store
        self.unprojected = unprojected
        self.opening = opening
    }

    /// Runs `members` as one group, or as several where they are too large to be staged at a time.
    func run(_ members: [PendingWrite]) {
        var rest = members[...]
        while !rest.isEmpty { rest = rest.dropFirst(runGroup(rest)) }
    }

    /// Runs the first of `members` as a group; returns how many were told how it ended.
    private func runGroup(_ members: ArraySlice<PendingWrite>) -> Int {
        if let poison {
            members.forEach { $0.resume(.failure(poison)) }
            return members.count
        }
        defer { staged.trim() }
        var group = members
        do {
            try catchUp()
            let transaction = StoreTransaction(
                staged: staged, log: log, layout: layout, projector: projector,
                rows: TransactionRows(rows, unprojected, log, projector, mend: mendRows), store: store)
            defer { transaction.rows.end() }
            group = members.prefix(try stage(members, transaction))
            try commit(group, transaction)
        } catch let failure as GroupFailure {
            finish(group, failingWith: failure.underlying)
        } catch {
            finish(group, failingWith: error)
        }
        if unprojected.isFull { projectWaiting() }
        return group.count
    }

    /// Whether events wait to be projected.
    var hasWaitingEvents: Bool { !unprojected.isEmpty }

    /// Projects what waits. Where the adapter fails, the rows are to be mended.
    func projectWaiting() {
        guard recovery == nil else { return }
        do { try unprojected.project() } catch { loseRows(error) }
    }

    /// The adapter failed with `error`: the rows do not follow the log any more.
    private func loseRows(_ error: any Error) {
        rows.fail(error)
        recovery = RowsRecovery()
    }

    /// Has the rows follow the log again, after the adapter failed with `error`.
    private func mendRows(_ error: any Error) throws {
        loseRows(error)
        try catchUp()
    }

    /// The rows are wrong, as `damage` says: has them recreated from the log. Where that fails, it is tried again later.
    func recreateRows(_ damage: any Error) {
        rows.fail(damage)
        recovery = RowsRecovery(makesAnew: true)
        try? catchUp()
    }

    /// Throws where the store takes no writes any more.
    func requireWritable() throws { if let poison { throw poison } }

    /// Runs `body`, which changes log or rows without appending, if the store takes writes.
    func maintain<Value>(_ body: (any StorageAdapter) throws -> Value) throws -> Value {
        try requireWritable()
        try catchUp()
        return try unprojected.withTurn { try body(rows.adapter()) }
    }

    /// Refuses writes from now on: a change of the log outside a group may or may not be durable.
    func poison(_ cause: any Error) {
        poison = DataStoreError(
            .poisoned, "A sync of the log failed earlier; the store takes no more writes.", underlying: cause,
            recovery: "Close the store and open it again: opening finds out what is durable.")
    }

    /// Goes on with the rows that `make` finishes, which follow the log; the files of the old ones go.
    func replaceRows(_ make: () throws -> RowsFiles) throws {
        try requireWritable()
        try unprojected.whileMending {
            rows.replace(with: try make(), removesOld: true)
            recovery = nil
        }
    }

    /// Has the rows follow the log again, if they do not.
    ///
    /// - Throws: ``DataStoreError``: `storageFull` where that is why they do not, else `projectionUnavailable`.
    func catchUp() throws {
        guard var recovery else { return }
        let isMended = unprojected.whileMending { recovery.run(opening, rows) }
        self.recovery = isMended ? nil : recovery
        guard let failure = rows.failure else { return }
        throw failure.isForLackOfSpace ? failure.underlying ?? failure : failure
    }

    /// Runs members in order, until what they staged is enough for a group; what a failing one staged is gone.
    ///
    /// - Returns: how many were run.
    private func stage(_ members: ArraySlice<PendingWrite>, _ transaction: StoreTransaction) throws -> Int {
        staged.begin(
            after: log.head, wallClock: WallClock.microsecondsSince1970(), incarnation: log.metadata.incarnation)
        var memberCount = 0
        for member in members {
            guard staged.byteCount < Limits.pendingByteCount else { break }
            memberCount += 1
            if member.isCancelled {
                member.failure = CancellationError()
                continue
            }
            do {
                member.events = try transaction.run(member.body)
            } catch let failure as GroupFailure {
                throw failure
            } catch {
                member.failure = error
            }
        }
        return memberCount
    }

    private func commit(_ members: ArraySlice<PendingWrite>, _ transaction: StoreTransaction) throws {
        guard staged.count > 0 || !transaction.consumerPositions.isEmpty else { return finish(members) }
        let waits = transaction.mayWait
        if waits { try transaction.link() } else { try transaction.flush() }
        let sealed = SealedEvents(
            sealing: staged, commitEnds: members.filter { $0.failure == nil }.map(\.events.upperBound))
        if !waits, projector.hasRegisteredProjections {
            try projector.project(sealed, to: transaction.rows.writing())
        }
        transaction.rows.endReading()
        do {
            try log.append(sealed, moving: transaction.consumerPositions)
        } catch {
            switch error {
            case .failed(let cause): throw cause
            case .outcomeUnknown(let cause): return poison(members, cause)
            }
        }
        if waits { unprojected.append(staged) } else { commitRows(transaction, sealed) }
        feed.publish(sealed.end.sequence)
        finish(members)
    }

    /// The events are facts now: where the adapter fails, the write is committed all the same.
    private func commitRows(_ transaction: StoreTransaction, _ sealed: SealedEvents) {
        guard staged.count > 0 else { return }
        do {
            try transaction.rows.commit(checkpoint: projector.checkpoint(log.metadata.store, sealed.end, layout))
        } catch {
            loseRows(error)
        }
    }

    private func finish(_ members: ArraySlice<PendingWrite>) {
        for member in members {
            if let failure = member.failure {
                member.resume(.failure(failure))
            } else {
                member.resume(.success(commit(of: member)))
            }
        }
    }

    private func finish(_ members: ArraySlice<PendingWrite>, failingWith error: any Error) {
        for member in members { member.resume(.failure(member.failure ?? error)) }
    }

    private func commit(of member: PendingWrite) -> Commit {
        let start = staged.start.sequence.value
        return Commit(
            first: SequenceNumber(start + 1 + UInt64(member.events.lowerBound)),
            last: SequenceNumber(start + UInt64(member.events.upperBound)))
    }

    /// The log's sync failed: nobody can say whether the group is durable, and nothing is written any more.
    private func poison(_ members: ArraySlice<PendingWrite>, _ cause: any Error) {
        poison(cause)
        for member in members {
            if let failure = member.failure {
                member.resume(.failure(failure))
                continue
            }
            let commit = commit(of: member)
            member.resume(
                .failure(
                    DataStoreError(
                        .outcomeUnknown, "The log's sync failed: whether the write is durable is not known.",
                        commit: commit, underlying: cause,
                        recovery: "Open the store again and look whether the commit is there.")))
        }
    }
}
