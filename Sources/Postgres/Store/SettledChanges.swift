internal import TidelogCore

/// Finds the number up to which all changes can be read: no transaction that still runs has a lower one.
///
/// A sequence number is taken before its transaction ends, so a later number can be visible before an earlier one. Numbers of
/// transactions are no order of changes either: a transaction gets its number with its first lock, and may then wait for
/// another one that has a higher number. So the reader notes the last visible change and the next number of a transaction. When
/// all transactions with lower numbers have ended, all changes up to the noted one are visible, because a transaction takes the
/// numbers of its changes after its own.
struct SettledChanges: Sendable {
    /// The state of the database at one moment.
    struct Moment {
        /// The lowest number of a transaction that runs.
        var oldest: UInt64
        /// The number that the next transaction gets.
        var next: UInt64
        /// The last change that is visible or was removed; 0 if there was none.
        var last: Int64
        /// The visible transactions, as text.
        var snapshot = ""
        /// The identifier of the cluster. Numbers of transactions of another cluster have no meaning here.
        var cluster: Int64 = 0
    }

    private struct Mark {
        let last: Int64
        let next: UInt64
        let time: ContinuousClock.Instant
    }

    /// The least time between two marks. It bounds their number while a transaction runs for long.
    private static let markPause = Duration.milliseconds(100)

    /// The number up to which all changes were visible at the last moment; `nil` if it is not known yet.
    private(set) var last: Int64?
    /// Earlier moments that wait for the end of transactions, the oldest first.
    private var marks: [Mark] = []

    /// Notes a moment, and returns whether an earlier mark or this moment is settled now.
    @discardableResult
    mutating func note(_ moment: Moment, at time: ContinuousClock.Instant = .now) -> Bool {
        if moment.oldest >= moment.next {
            (last, marks) = (moment.last, [])
            return true
        }
        let settled = marks.lastIndex { $0.next <= moment.oldest }
        if let settled {
            last = marks[settled].last
            marks.removeSubrange(...settled)
        }
        if marks.last.map({ $0.last < moment.last && time - $0.time >= Self.markPause }) ?? (last != moment.last) {
            marks.append(Mark(last: moment.last, next: moment.next, time: time))
        }
        return settled != nil
    }
}

extension SettledChanges.Moment {
    /// Reads the present state.
    init(_ connection: Connection) throws {
        let found = try connection.run(
            .prepared(
                """
                SELECT pg_snapshot_xmin(s)::text, pg_snapshot_xmax(s)::text, age(pg_snapshot_xmax(s)::xid)::bigint, \
                greatest((SELECT max(sequence) FROM \(DatabaseSchema.own("change"))), (\(ChangeRemoval.lastRemoved))), \
                s::text, (SELECT system_identifier FROM pg_control_system()) FROM pg_current_snapshot() AS s
                """))
        guard let oldest = found.text(0, 0).flatMap({ UInt64($0) }),
            let end = found.text(0, 1).flatMap({ UInt64($0) }), let age = try found.int(0, 2),
            let last = try found.int(0, 3), let snapshot = found.text(0, 4), let cluster = try found.int(0, 5)
        else { throw PostgresFailure(sqlState: nil, message: "") }
        // A snapshot ends at the last transaction that has ended. Later ones may run.
        (self.oldest, next) = (oldest, end + UInt64(max(age, 0)))
        (self.last, self.snapshot, self.cluster) = (last, snapshot, cluster)
    }
}
