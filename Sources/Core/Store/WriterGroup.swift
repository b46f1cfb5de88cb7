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
    private let staged = StagedEvents()
    /// What the store answers to writes once a sync of the log failed.
    private(set) var poison: DataStoreError?

    init(
        log: EventLog, rows: Rows, projector: Projector, layout: SchemaLayout, feed: ChangeFeed, store: StoreHandle
    ) {
        self.log = log
        self.rows = rows
        self.projector = projector
        self.layout = layout
        self.feed = feed
        self.store = store
    }

    func run(_ members: [PendingWrite]) {
        if let poison { return members.forEach { $0.resume(.failure(poison)) } }
        do {
            try catchUp()
            let transaction = try stage(members)
            try commit(members, transaction)
        } catch let failure as GroupFailure {
            finish(members, failingWith: failure.underlying)
        } catch {
            finish(members, failingWith: error)
        }
        staged.trim()
    }

    /// Throws where the store takes no writes any more.
    func requireWritable() throws { if let poison { throw poison } }

    /// Runs `body`, which changes log or rows without appending, if the store takes writes.
    func maintain<Value>(_ body: (any StorageAdapter) throws -> Value) throws -> Value {
        try requireWritable()
        try catchUp()
        return try body(rows.adapter())
    }

    /// Refuses writes from now on: a change of the log outside a group may or may not be durable.
    func poison(_ cause: any Error) {
        poison = DataStoreError(
            .poisoned, "A sync of the log failed earlier; the store takes no more writes.", underlying: cause,
            recovery: "Close the store and open it again: opening finds out what is durable.")
    }

    /// Lets the rows follow the log again, after the adapter failed behind an append.
    private func catchUp() throws {
        guard rows.hasFailed else { return }
        let adapter = rows.adapterInAnyState
        do {
            _ = try log.withReader {
                try projector.replay($0, store: log.metadata.store, to: adapter, layout: layout)
            }
            rows.recovered()
        } catch {
            rows.fail(error)
            if let error = error as? DataStoreError, error.code == .storageFull { throw error }
            _ = try rows.adapter()
        }
    }

    /// Runs every member in order; what a failing one staged is gone.
    private func stage(_ members: [PendingWrite]) throws -> StoreTransaction {
        staged.begin(
            after: log.head, wallClock: WallClock.microsecondsSince1970(), incarnation: log.metadata.incarnation)
        let transaction = try StoreTransaction(
            staged: staged, log: log, layout: layout, projector: projector, adapter: rows.adapter(), store: store)
        for member in members {
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
        return transaction
    }

    private func commit(_ members: [PendingWrite], _ transaction: StoreTransaction) throws {
        guard staged.count > 0 || !transaction.consumerPositions.isEmpty else {
            transaction.rows.rollback()
            return finish(members)
        }
        do {
            try transaction.flush()
        } catch {
            transaction.rows.rollback()
            throw error
        }
        let sealed = SealedEvents(
            sealing: staged, commitEnds: members.filter { $0.failure == nil }.map(\.events.upperBound))
        do {
            try log.append(sealed, moving: transaction.consumerPositions)
        } catch {
            transaction.rows.rollback()
            switch error {
            case .failed(let cause): throw cause
            case .outcomeUnknown(let cause): return poison(members, cause)
            }
        }
        commitRows(transaction, sealed)
        feed.publish(sealed.end.sequence)
        finish(members)
    }

    /// The events are facts now: where the adapter fails, the write is committed all the same.
    private func commitRows(_ transaction: StoreTransaction, _ sealed: SealedEvents) {
        guard staged.count > 0 else { return transaction.rows.rollback() }
        do {
            try transaction.rows.commit(checkpoint: projector.checkpoint(log.metadata.store, sealed.end, layout))
        } catch {
            rows.fail(error)
        }
    }

    private func finish(_ members: [PendingWrite]) {
        for member in members {
            if let failure = member.failure {
                member.resume(.failure(failure))
            } else {
                member.resume(.success(commit(of: member)))
            }
        }
    }

    private func finish(_ members: [PendingWrite], failingWith error: any Error) {
        for member in members { member.resume(.failure(member.failure ?? error)) }
    }

    private func commit(of member: PendingWrite) -> Commit {
        let start = staged.start.sequence.value
        return Commit(
            first: SequenceNumber(start + 1 + UInt64(member.events.lowerBound)),
            last: SequenceNumber(start + UInt64(member.events.upperBound)))
    }

    /// The log's sync failed: nobody can say whether the group is durable, and nothing is written any more.
    private func poison(_ members: [PendingWrite], _ cause: any Error) {
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
