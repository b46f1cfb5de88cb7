internal import TidelogCore
internal import TidelogSynchronization

/// Removes old rows of the table of changes now and then, as long as this process makes changes.
///
/// While another transaction runs for long, the changes after it cannot be read yet, however old they are. So a removal keeps
/// the changes that could not be read at the time of the last removal.
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
        /// The oldest transaction that was still running when the last removal began; `nil` before the first one.
        var horizon: String?
    }

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
        let now = try await pool.run(.once) { connection in
            try connection.run(.prepared("SELECT pg_snapshot_xmin(pg_current_snapshot())::text")).text(0, 0)
        }
        let horizon = state.withLock { state in
            defer { state.horizon = now }
            return state.horizon
        }
        guard let horizon else { return }
        while try await remove(before: horizon) == Self.batch {}
    }

    /// Removes the oldest rows if they are old enough, and returns their number.
    private func remove(before horizon: String) async throws -> Int {
        let change = DatabaseSchema.own("change")
        let statement = SQLStatement.prepared(
            """
            DELETE FROM \(change) WHERE (transaction, sequence) IN (SELECT transaction, sequence FROM \(change) \
            WHERE transaction < $1::text::xid8 ORDER BY transaction, sequence LIMIT \(Self.batch)) \
            AND at < now() - interval '\(Self.keptMinutes) minutes'
            """, [.text(horizon)])
        return try await pool.run(.never) { try $0.run(statement).changedCount }
    }
}
