internal import TidelogCore
internal import TidelogSynchronization

/// Removes old rows of the table of changes now and then, as long as this process makes changes.
///
/// While another transaction runs for long, the changes after it cannot be read yet, however old they are. So a removal keeps
/// the changes after the last number but one that was settled; readers could read earlier changes since then. The number of the
/// last removed change is noted, so a reader that has missed one knows it.
final class ChangeRemoval: Sendable {
    /// The number of minutes for which changes are kept.
    static let keptMinutes = 10
    /// The number of rows that one statement removes.
    private static let batch = 10_000

    private let pool: ConnectionPool
    private let pause: Duration
    private let state = Mutex(State())

    private struct State {
        var lastBeginning = ContinuousClock.now
        var changes = SettledChanges()
        /// The last two numbers that were settled.
        var settled: (earlier: Int64?, later: Int64?)
    }

    /// The query of the number of the last removed change; 0 if none was removed.
    static let lastRemoved =
        "SELECT coalesce(max(text::bigint), 0) FROM \(DatabaseSchema.own("fact")) WHERE name = 'removed'"

    /// - Parameter pause: The time between two removals.
    init(_ pool: ConnectionPool, pause: Duration = .seconds(10)) { (self.pool, self.pause) = (pool, pause) }

    /// Begins a removal if one is due. Rows that cannot be removed now are removed later.
    func runIfDue() {
        let isDue = state.withLock { state in
            guard ContinuousClock.now - state.lastBeginning > pause else { return false }
            state.lastBeginning = .now
            return true
        }
        if isDue { Task { try? await run() } }
    }

    /// Removes old rows, and notes which transactions are running.
    func run() async throws {
        let moment = try await pool.run(.once) { try SettledChanges.Moment($0) }
        let last = state.withLock { state in
            if state.changes.note(moment) { state.settled = (state.settled.later, state.changes.last) }
            return state.settled.earlier
        }
        guard let last else { return }
        while try await remove(upTo: last) == Self.batch {}
    }

    /// Removes the oldest rows if they are old enough, and returns their number.
    private func remove(upTo last: Int64) async throws -> Int64 {
        let (change, fact) = (DatabaseSchema.own("change"), DatabaseSchema.own("fact"))
        let statement = SQLStatement.prepared(
            """
            WITH removed AS (DELETE FROM \(change) WHERE sequence IN (SELECT sequence FROM \(change) \
            WHERE sequence <= $1 ORDER BY sequence LIMIT \(Self.batch)) \
            AND at < now() - interval '\(Self.keptMinutes) minutes' RETURNING sequence), \
            noted AS (INSERT INTO \(fact)(name, text) SELECT 'removed', max(sequence)::text FROM removed \
            HAVING count(*) > 0 ON CONFLICT (name) DO UPDATE \
            SET text = greatest(fact.text::bigint, excluded.text::bigint)::text) SELECT count(*) FROM removed
            """, [.int(last)])
        return try await pool.run(.never) { try $0.run(statement).int(0, 0) ?? 0 }
    }
}
