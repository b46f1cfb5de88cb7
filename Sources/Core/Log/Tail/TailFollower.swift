internal import TidelogLMDB
internal import TidelogSynchronization

/// Follows the tail of a log that another process may be writing. It copies the groups that the environment lacks.
///
/// The writing process may overwrite a file during a read. The bytes are then no group, or a group of another round. In
/// this case the environment has absorbed further groups by then, and the number of its last group shows that the read
/// must begin again.
final class TailFollower: Sendable {
    private let state: Mutex<State>

    /// The time until a process that only reads checks for damage again. It is shorter if groups have arrived since the
    /// last check. A check reads the whole files.
    private static let checkInterval = (afterGroups: Duration.seconds(1), otherwise: Duration.seconds(10))

    fileprivate struct State {
        var files: TailFiles
        /// The groups that were read. Each view removes the rounds that the environment has absorbed.
        var recent: RecentEvents
        var cursor: TailCursor
        /// The time of the last check that no group is missing, and the last group before it.
        var check: (last: UInt64, time: ContinuousClock.Instant)?

        init(directory: String) {
            files = TailFiles(directory: directory)
            recent = RecentEvents(after: RecentEvents.End(group: 0, position: .start))
            cursor = TailCursor(after: RecentEvents.End(group: 0, position: .start))
        }
    }

    init(directory: String) { state = Mutex(State(directory: directory)) }

    /// Continues with the log in another directory.
    func follow(_ directory: String) { state.withLock { $0 = State(directory: directory) } }

    /// A view of the log: the environment as `transaction` sees it, and the groups after it.
    ///
    /// - Returns: `nil` if the environment has absorbed further groups in between, so that the caller must begin again.
    ///   The transaction has then ended.
    func view(_ transaction: ReadTransaction, _ files: LogFiles) throws -> LogReader.View? {
        do {
            let absorbed = try LogMetadata.absorbedGroup(transaction, files.keyspaces.meta)
            let (recent, damage) = try state.withLock { try $0.read(after: absorbed, transaction, files) }
            // Groups that the environment has absorbed in between may have been overwritten before they were read.
            let now = try files.withReader { try LogMetadata.absorbedGroup($0, files.keyspaces.meta) }
            guard now == absorbed else {
                files.end(transaction)
                return nil
            }
            if let damage { throw damage }
            return LogReader.View(transaction: transaction, files: files, recent: recent)
        } catch {
            files.end(transaction)
            throw error
        }
    }
}

extension TailFollower.State {
    /// Reads the groups after `absorbed`. Returns them and an error for damage. The damage counts only if no group was
    /// overwritten during the read.
    fileprivate mutating func read(
        after absorbed: UInt64, _ transaction: ReadTransaction, _ logFiles: LogFiles
    ) throws -> (RecentEvents.View, (any Error)?) {
        if cursor.last <= absorbed {
            // The next group follows the end of the environment, even if the last group that was read ended elsewhere.
            let end = RecentEvents.End(
                group: absorbed, position: try LogReader(transaction, logFiles.keyspaces, .empty).storedEnd())
            if recent.absorbedFrame != absorbed { recent = RecentEvents(after: end) }
            cursor.skip(to: end)
        } else {
            recent.forgetRounds(upTo: absorbed)
        }
        try files.open(LogMetadata(transaction, logFiles.keyspaces.meta), after: absorbed)
        let damage = try readGroups()
        return (recent.unabsorbedView, damage)
    }

    /// Reads every group that follows the last one. Returns an error for damage, or `nil`.
    private mutating func readGroups() throws -> (any Error)? {
        let recent = recent
        var damage: (any Error)?
        repeat {
            let first = cursor.last
            while try cursor.next(in: files, { recent.publishCopy(of: $0, $1) }) {}
            // If a further group was read, the group that seemed to be missing was only written later.
            if damage != nil, cursor.last == first { return damage }
            damage = checkIfDue()
        } while damage != nil
        return nil
    }

    private mutating func checkIfDue() -> (any Error)? {
        let now = ContinuousClock.now
        if let check {
            let interval = TailFollower.checkInterval
            let pause = check.last == cursor.last ? interval.otherwise : interval.afterGroups
            guard now - check.time >= pause else { return nil }
        }
        files.forgetRemoved()
        do { try cursor.requireNothingMissing(in: files) } catch { return error }
        check = (cursor.last, now)
        return nil
    }
}
