internal import Synchronization
internal import TidelogLMDB

/// The tail of a log that another process may be writing: copies the groups that the environment lacks.
///
/// The process that writes may overwrite a file while it is read here. Then the bytes are no group, or a group of another
/// round, and the number of the last group that the environment has by then tells that something was missed.
final class TailFollower: Sendable {
    private let state: Mutex<State>

    /// How long a process that only reads waits before it looks for damage again after groups have come, and if none
    /// came: a look reads the files whole.
    private static let checkInterval = (afterGroups: Duration.seconds(1), otherwise: Duration.seconds(10))

    fileprivate struct State {
        var files: TailFiles
        /// The groups that were read; rounds that the environment has go at each look.
        var recent: RecentEvents
        var cursor: TailCursor
        /// When it was last checked that no group is missing, and after which one.
        var check: (last: UInt64, time: ContinuousClock.Instant)?

        init(directory: String) {
            files = TailFiles(directory: directory)
            recent = RecentEvents(absorbed: 0)
            cursor = TailCursor(after: 0, .start)
        }
    }

    init(directory: String) { state = Mutex(State(directory: directory)) }

    /// Continues with the log in another directory.
    func follow(_ directory: String) { state.withLock { $0 = State(directory: directory) } }

    /// A look at the environment, as `transaction` sees it, with the groups after it. The result is `nil` if the environment
    /// has taken in groups since, so that the look must begin again; then `transaction` has ended.
    func look(_ transaction: ReadTransaction, _ files: LogFiles) throws -> EventLog.Look? {
        do {
            let absorbed = try LogMetadata.absorbedGroup(transaction, files.keyspaces.meta)
            let (recent, damage) = try state.withLock { try $0.read(after: absorbed, transaction, files) }
            // Groups that the environment has taken in since may have been overwritten before they were read.
            let now = try files.withReader { try LogMetadata.absorbedGroup($0, files.keyspaces.meta) }
            guard now == absorbed else {
                files.end(transaction)
                return nil
            }
            if let damage { throw damage }
            return EventLog.Look(transaction: transaction, files: files, recent: recent)
        } catch {
            files.end(transaction)
            throw error
        }
    }
}

extension TailFollower.State {
    /// Reads the groups after `absorbed`. Returns them, and the damage that was found; the damage counts if no group has been
    /// overwritten in between.
    fileprivate mutating func read(
        after absorbed: UInt64, _ transaction: ReadTransaction, _ logFiles: LogFiles
    ) throws -> (RecentEvents.View, (any Error)?) {
        if cursor.last <= absorbed {
            // The next group follows the environment's end, wherever the last group that was read has ended.
            if recent.absorbedFrame != absorbed { recent = RecentEvents(absorbed: absorbed) }
            cursor.skip(to: absorbed, try LogReader(transaction, logFiles.keyspaces, .empty).storedEnd())
        } else {
            recent.forgetRounds(upTo: absorbed)
        }
        try files.open(LogMetadata(transaction, logFiles.keyspaces.meta), after: absorbed)
        let damage = try readGroups()
        return (recent.unabsorbedView, damage)
    }

    /// Reads every group that follows the last one; returns the damage that was found.
    private mutating func readGroups() throws -> (any Error)? {
        let recent = recent
        var damage: (any Error)?
        repeat {
            let first = cursor.last
            while try cursor.next(in: files, { recent.publish($0, $1) }) {}
            // A group that was written since explains why the group after it was there.
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
