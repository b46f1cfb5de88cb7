internal import TidelogCore
internal import TidelogServer
internal import TidelogSynchronization

/// Joins the changes of concurrent callers in shared transactions. While some transactions run, the changes for the next ones
/// gather; there is no timer.
///
/// Changes of one record are made in the order in which they came, and at most one of the transactions has a change of it. So a
/// record that another user of the database has locked delays other changes for a moment only.
final class ChangeQueue: Sendable {
    typealias Results = [Result<StoredChange.Outcome, any Error>]

    /// The largest number of transactions at a time.
    private static let transactionLimit = 4

    private let pool: ConnectionPool
    private let state = Mutex(State())

    /// The changes of one caller.
    private struct Request {
        let changes: [RecordChange]
        let continuation: CheckedContinuation<Results, any Error>
    }

    private struct State {
        var waiting: [Request] = []
        /// The claims of the changes that are being made.
        var claims: Set<RecordChange.Claim> = []
        var transactionCount = 0

        /// Removes the requests for the next transaction, the oldest first, and takes their claims.
        mutating func take() -> [Request] {
            var taken: [Request] = []
            var left: [Request] = []
            var count = 0
            // A request must not overtake an earlier one with the same claim.
            var blocked = claims
            for request in waiting {
                let wanted = request.changes.flatMap(\.claims)
                if count + request.changes.count <= ChangeBatch.limit, blocked.isDisjoint(with: wanted) {
                    taken.append(request)
                    count += request.changes.count
                    claims.formUnion(wanted)
                } else {
                    left.append(request)
                }
                blocked.formUnion(wanted)
            }
            waiting = left
            return taken
        }
    }

    init(_ pool: ConnectionPool) { self.pool = pool }

    /// Makes changes of different records, and returns the outcome or the error of each.
    ///
    /// - Throws: ``DataStoreError`` if the database itself fails. It is then unknown which changes were made.
    func make(_ changes: [RecordChange]) async throws -> Results {
        precondition(!changes.isEmpty && changes.count <= ChangeBatch.limit, "a transaction has room for the changes")
        return try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting.append(Request(changes: changes, continuation: continuation))
                guard state.transactionCount < Self.transactionLimit else { return false }
                state.transactionCount += 1
                return true
            }
            if begins { Task { await run() } }
        }
    }

    /// Makes transactions until no request can be taken.
    private func run() async {
        while true {
            let requests = state.withLock { state in
                let taken = state.take()
                if taken.isEmpty { state.transactionCount -= 1 }
                return taken
            }
            guard !requests.isEmpty else { return }
            let outcome = await carryOut(requests)
            state.withLock { state in
                for request in requests { for change in request.changes { state.claims.subtract(change.claims) } }
            }
            for (request, result) in zip(requests, outcome) { request.continuation.resume(with: result) }
        }
    }

    private func carryOut(_ requests: [Request]) async -> [Result<Results, any Error>] {
        let batch = ChangeBatch(changes: requests.flatMap(\.changes))
        do {
            var results = try await pool.run(.never) { try batch.make($0) }[...]
            return requests.map { request in
                defer { results = results.dropFirst(request.changes.count) }
                return .success(Array(results.prefix(request.changes.count)))
            }
        } catch let error as DataStoreError where error.code == .databaseUnavailable {
            return await repeated(requests, after: error)
        } catch let error as DataStoreError where error.code == .databaseBusy && batch.changes.count > 1 {
            return await separated(requests)
        } catch {
            return requests.map { _ in .failure(error) }
        }
    }

    /// Makes the changes of each request again after the connection was lost, if all of them have names. A change with a name
    /// finds the name if the first try has succeeded. After a second failure, the rest is not tried.
    private func repeated(_ requests: [Request], after error: DataStoreError) async -> [Result<Results, any Error>] {
        var outcomes: [Result<Results, any Error>] = []
        var hasFailed = false
        for request in requests {
            guard !hasFailed, request.changes.allSatisfy({ $0.change.name != nil }) else {
                outcomes.append(.failure(error))
                continue
            }
            let batch = ChangeBatch(changes: request.changes)
            do { outcomes.append(.success(try await pool.run(.never) { try batch.make($0) })) } catch {
                hasFailed = true
                outcomes.append(.failure(error))
            }
        }
        return outcomes
    }

    /// Makes the changes of each request in transactions of their own, all at the same time, because a record that one of them
    /// needs is locked for long.
    private func separated(_ requests: [Request]) async -> [Result<Results, any Error>] {
        await withTaskGroup(of: (Int, Result<Results, any Error>).self) { group in
            for (index, request) in requests.enumerated() {
                group.addTask { [pool] in
                    var results: Results = []
                    for change in request.changes {
                        let batch = ChangeBatch(changes: [change])
                        do { results += try await pool.run(.never) { try batch.make($0) } } catch {
                            results.append(.failure(error))
                        }
                    }
                    return (index, .success(results))
                }
            }
            var outcomes: [Result<Results, any Error>] = requests.map { _ in .success([]) }
            for await (index, outcome) in group { outcomes[index] = outcome }
            return outcomes
        }
    }
}
