internal import TidelogCore
internal import TidelogSynchronization

/// The time with which a sync begins, for all callers of a process.
///
/// Each writer holds a shared lock from before it takes its time until its transaction has ended. Reading the time of a sync
/// takes this lock alone for a moment. So all changes with an earlier time are visible then, and later changes have this time
/// or a later one. The lock makes writers wait, so callers that come at the same time share one time, and there is at most one
/// lock in ``pause``.
final class SyncClock: Sendable {
    private let pool: ConnectionPool
    private let clock: (@Sendable () -> Int64)?
    private let state = Mutex(State())

    /// The least time between two locks.
    private static let pause = Duration.milliseconds(20)

    private struct State {
        /// The callers that wait for the next time. It is read after they have come.
        var waiting: [CheckedContinuation<Int64, any Error>] = []
        var isReading = false
        var lastEnd: ContinuousClock.Instant?
    }

    init(_ pool: ConnectionPool, clock: (@Sendable () -> Int64)?) { (self.pool, self.clock) = (pool, clock) }

    /// The time of a sync that begins now.
    ///
    /// - Throws: ``DataStoreError``.
    func begin() async throws -> Int64 {
        try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting.append(continuation)
                defer { state.isReading = true }
                return !state.isReading
            }
            if begins { Task { await read() } }
        }
    }

    /// Reads times until no caller waits.
    private func read() async {
        while true {
            if let end = state.withLock({ $0.lastEnd }), ContinuousClock.now < end + Self.pause {
                try? await Task.sleep(until: end + Self.pause, clock: .continuous)
            }
            let callers = state.withLock { state in
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.isReading = false }
                return state.waiting
            }
            guard !callers.isEmpty else { return }
            let result: Result<Int64, any Error>
            do { result = .success(try await time()) } catch { result = .failure(error) }
            state.withLock { $0.lastEnd = .now }
            for caller in callers { caller.resume(with: result) }
        }
    }

    private func time() async throws -> Int64 {
        let now = clock?()
        return try await pool.run(.once) { connection in
            do {
                let sequence = DatabaseSchema.own("time")
                let time = try connection.transaction([
                    .prepared(DatabaseSchema.writeLock),
                    .prepared(
                        """
                        SELECT setval('\(sequence)', greatest(last_value, coalesce($1::bigint, \
                        floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint))) FROM \(sequence)
                        """, [now.map { .int($0) } ?? SQLParameter.int(0).missing]),
                ])
                guard let time = try time.last?.int(0, 0) else { throw PostgresFailure(sqlState: nil, message: "") }
                return time
            } catch let failure as PostgresFailure where failure.asDataStoreError.isOfWriting {
                // A database that takes no changes still gives the time of the last sync, and has all changes before it.
                let last = try connection.run(.prepared("SELECT last_value FROM \(DatabaseSchema.own("time"))"))
                guard let time = try last.int(0, 0) else { throw failure }
                return time
            }
        }
    }
}
