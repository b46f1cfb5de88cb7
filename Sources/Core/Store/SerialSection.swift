/// The serial section: the part of the store in which one thread at a time writes to the log and the rows.
///
/// Sound as `@unchecked Sendable` because the writer lets only one thread at a time use it.
final class SerialSection: @unchecked Sendable {
    let log: EventLog
    /// The writer of the log. No other part of an open store has it.
    let logWriter: LogWriter
    let rows: ProjectedRows
    private let feed: ChangeFeed
    private let store: StoreHandle
    private let staged = StagedEvents()
    /// The error of all writes after a sync of the log has failed, `nil` if none has failed.
    private(set) var poison: DataStoreError?

    init(_ logWriter: LogWriter, rows: ProjectedRows, feed: ChangeFeed, store: StoreHandle) {
        log = logWriter.log
        self.logWriter = logWriter
        self.rows = rows
        self.feed = feed
        self.store = store
    }

    /// Runs `members` as one group, or as several groups if they are too large to be staged together.
    func run(_ members: [PendingWrite]) {
        var rest = members[...]
        while !rest.isEmpty { rest = rest.dropFirst(runGroup(rest)) }
    }

    /// Runs the first of `members` as a group. Returns how many members have got their result.
    private func runGroup(_ members: ArraySlice<PendingWrite>) -> Int {
        precondition(!members.isEmpty, "a group has a member")
        if let poison {
            members.forEach { $0.resume(.failure(poison)) }
            return members.count
        }
        defer { staged.trim() }
        var group = members
        do {
            try rows.mend()
            let transaction = StoreTransaction(
                staged: staged, log: log, rows: rows.begin(staged), layout: rows.layout, store: store)
            defer { transaction.rows.end() }
            group = members.prefix(try stage(members, transaction))
            try commit(group, transaction)
        } catch let failure as GroupFailure {
            finish(group, failingWith: failure.underlying)
        } catch {
            finish(group, failingWith: error)
        }
        if rows.unprojected.isFull { rows.projectOrLose() }
        return group.count
    }

    /// Throws an error if the store no longer accepts writes.
    func requireWritable() throws { if let poison { throw poison } }

    /// Runs `body`, which changes the log or the rows without appending events, if the store accepts writes.
    func maintain<Value>(_ body: () throws -> Value) throws -> Value {
        try requireWritable()
        try rows.mend()
        return try rows.withTurn(body)
    }

    /// Refuses writes from now on, because it is not known whether a change of the log outside a group is durable.
    func poison(_ cause: any Error) {
        poison = .poisoned(by: cause)
    }

    /// Runs members in order until they have staged enough events for a group. The staged events of a member that fails
    /// are removed.
    ///
    /// - Returns: How many members have run.
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
        try transaction.rows.prepare()
        let sealed = SealedEvents(
            sealing: staged, commitEnds: members.filter { $0.failure == nil }.map(\.events.upperBound))
        do {
            try logWriter.append(sealed, moving: transaction.consumerPositions)
        } catch {
            switch error {
            case .failed(let cause): throw cause
            case .outcomeUnknown(let cause): return poison(members, cause)
            }
        }
        transaction.rows.commit(sealed)
        feed.publish(sealed.end.sequence)
        finish(members)
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

    /// Refuses all writes after the log's sync has failed. It is not known whether the group is durable.
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
                        .outcomeUnknown, "The log's sync failed. The write may or may not be durable.",
                        commit: commit, underlying: cause,
                        recovery: "Open the store again and check if the commit is there.")))
        }
    }
}
