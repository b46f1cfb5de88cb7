/// The serial section: the part of the store in which one thread at a time writes to the log and the rows. It owns the staged
/// events of a group, and the right to use the log's writer.
///
/// Sound as `@unchecked Sendable` because the writer lets only one thread at a time use it.
final class SerialSection: @unchecked Sendable {
    let log: EventLog
    /// The writer of the log. No other part of an open store has it.
    let logWriter: LogWriter
    let rows: ProjectedRows
    private let feed: ChangeFeed
    private let store: StoreHandle
    /// The space for deletions and compactions on a full disk.
    private let room: SpareRoom?
    /// The space for saves, which must not need that room.
    private var freeSpace: FreeSpace?
    private let staged = StagedEvents()
    /// The deletions that failed because the disk is full, and that run again.
    private var unserved: [PendingWrite] = []
    /// Whether a write of the present group found the disk full.
    private var foundDiskFull = false
    /// The error of saves after rows took space that was set aside for deletions, until there is as much space again or
    /// records were deleted. Otherwise saves would take that space step by step.
    private var roomIsTaken: (error: DataStoreError, byteCount: Int)?
    /// The error of all writes after a sync of the log has failed, `nil` if none has failed.
    private(set) var poison: DataStoreError?

    init(_ logWriter: LogWriter, rows: ProjectedRows, feed: ChangeFeed, store: StoreHandle, room: SpareRoom? = nil) {
        log = logWriter.log
        self.logWriter = logWriter
        self.rows = rows
        self.feed = feed
        self.store = store
        self.room = room
        freeSpace = room.map { FreeSpace(path: $0.directory) }
    }

    /// Runs `members` as one group, or as several groups if they are too large to be staged together.
    ///
    /// - Returns: The members of the last group. They have ended, and their callers must be resumed.
    func run(_ members: [PendingWrite]) -> ArraySlice<PendingWrite> {
        var rest = members[...]
        while true {
            let group = rest.prefix(runGroup(rest))
            if foundDiskFull { relieve() }
            rest = rest.dropFirst(group.count)
            if rest.isEmpty { return group }
            for member in group { member.resume() }
        }
    }

    /// Gives space back to a full disk, and runs deletions again with the space that is set aside for them.
    private func relieve() {
        rows.giveSpaceBack()
        let members = unserved
        unserved = []
        for member in members {
            withRoom {
                rows.projectOrLose()
                _ = runGroup([member])
            }
        }
        foundDiskFull = false
    }

    /// Calls `body` while the disk has the space that is set aside, and the space that the rows give back.
    private func withRoom<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let room else {
            rows.giveSpaceBack()
            return try body()
        }
        return try room.lend {
            rows.giveSpaceBack()
            return try body()
        }
    }

    /// Runs the first of `members` as a group. Returns how many members have got their result.
    private func runGroup(_ members: ArraySlice<PendingWrite>) -> Int {
        precondition(!members.isEmpty, "a group has a member")
        if let poison {
            members.forEach { $0.end(.failure(poison)) }
            return members.count
        }
        defer { staged.trim() }
        var group = members
        do {
            try mendRows()
            let transaction = StoreTransaction(
                staged: staged, log: log, rows: rows.begin(staged), layout: rows.layout, store: store)
            defer { transaction.rows.end() }
            try requireRoom(for: members)
            group = members.prefix(try stage(members, transaction))
            try commit(group, transaction)
            if members.contains(where: \.freesRoom) { roomIsTaken = nil }
        } catch let failure as StoreTransaction.GroupFailure {
            finish(group, failingWith: failure.underlying)
        } catch {
            finish(group, failingWith: error)
        }
        if rows.unprojected.isOverfull { rows.projectOrLose() }
        return group.count
    }

    /// Throws an error if the store no longer accepts writes.
    func requireWritable() throws { if let poison { throw poison } }

    /// Runs `body`, which changes the log or the rows without appending events, if the store accepts writes.
    func maintain<Value>(_ body: () throws -> Value) throws -> Value {
        try requireWritable()
        do { return try changeRows(body) } catch let error as DataStoreError where error.code == .storageFull {
            rows.giveSpaceBack()
            return try withRoom {
                rows.projectOrLose()
                return try changeRows(body)
            }
        }
    }

    /// Makes the rows follow the log. The rows of events that were acknowledged may take the space that is set aside.
    private func mendRows() throws {
        do { try rows.mend() } catch let error as DataStoreError where error.code == .storageFull {
            guard let room, room.isThere else { throw error }
            let before = room.byteCount
            try withRoom { try rows.mend() }
            if room.byteCount < before { roomIsTaken = (error, before) }
        }
    }

    /// Throws an error for saves if rows took space that was set aside, and the disk has not as much again.
    private func requireRoom(for members: ArraySlice<PendingWrite>) throws {
        guard let taken = roomIsTaken, let room, !members.contains(where: \.freesRoom) else { return }
        room.setAside(leavingSpace: false)
        guard room.byteCount >= taken.byteCount else { throw taken.error }
        roomIsTaken = nil
    }

    /// Throws an error if the rows of the staged events might need the space that is set aside for deletions.
    private func requireSpace(for rows: RowsTransaction) throws {
        guard let freeSpace, self.freeSpace?.isScarce(for: staged.byteCount) == true else { return }
        try logWriter.secureRoom(for: staged.byteCount)
        guard try rows.hasSpace(onDisk: { freeSpace.byteCount }) else {
            throw DataStoreError(
                .storageFull, "The disk has no space for the rows of these events.",
                recovery: "Free space on the disk, or delete records and compact the log; then try again.")
        }
    }

    private func changeRows<Value>(_ body: () throws -> Value) throws -> Value {
        try mendRows()
        let value = try rows.withTurn(body)
        roomIsTaken = nil
        return value
    }

    /// Refuses writes from now on, because it is not known whether a change of the log outside a group is durable.
    func poison(_ cause: any Error) { poison = .poisoned(by: cause) }

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
            member.failure = nil
            memberCount += 1
            if member.isCancelled {
                member.failure = CancellationError()
                continue
            }
            do {
                member.events = try transaction.run(member.body)
            } catch let failure as StoreTransaction.GroupFailure {
                throw failure
            } catch {
                member.failure = error
            }
        }
        return memberCount
    }

    private func commit(_ members: ArraySlice<PendingWrite>, _ transaction: StoreTransaction) throws {
        guard staged.count > 0 || !transaction.consumerPositions.isEmpty else { return finish(members) }
        if members.contains(where: { !$0.freesRoom }) { try requireSpace(for: transaction.rows) }
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
                fail(member, failure)
            } else {
                member.end(.success(commit(of: member)))
            }
        }
    }

    private func finish(_ members: ArraySlice<PendingWrite>, failingWith error: any Error) {
        for member in members { fail(member, member.failure ?? error) }
    }

    /// Ends a write with an error. A deletion that found the disk full runs a second time first.
    private func fail(_ member: PendingWrite, _ error: any Error) {
        guard (error as? DataStoreError)?.code == .storageFull else { return member.end(.failure(error)) }
        foundDiskFull = true
        guard member.freesRoom, !member.hasRunAgain else { return member.end(.failure(error)) }
        member.hasRunAgain = true
        unserved.append(member)
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
                member.end(.failure(failure))
                continue
            }
            let commit = commit(of: member)
            member.end(
                .failure(
                    DataStoreError(
                        .outcomeUnknown, "The log's sync failed. The write may or may not be durable.",
                        commit: commit, underlying: cause,
                        recovery: "Open the store again and check if the commit exists.")))
        }
    }
}
