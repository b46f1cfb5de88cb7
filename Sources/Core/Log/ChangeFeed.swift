internal import Dispatch
internal import Synchronization

/// Wakes the followers that wait for the log to grow, or for models to get in step with a server. It carries sequence
/// numbers and model numbers, never data: receivers pull.
final class ChangeFeed: Sendable {
    private let state: Mutex<State>

    private struct State {
        var head: SequenceNumber
        var end: DataStoreError?
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
        /// The numbers of the models that are in step with a server.
        var syncedModels: Set<UInt32> = []
        /// How many followers are reading at this moment.
        var readerCount = 0
        /// Signalled by the last reader after the end.
        var lastReaderLeft: DispatchSemaphore?
    }

    private struct Waiter {
        let sequence: SequenceNumber
        /// The state of models whose change ends the waiting too.
        let state: SyncedState?
        let continuation: UnsafeContinuation<Void, any Error>
    }

    init(head: SequenceNumber) { state = Mutex(State(head: head)) }

    /// The last sequence number that was published.
    var head: SequenceNumber { state.withLock { $0.head } }

    /// Why the feed ended, `nil` while it goes on.
    var endReason: DataStoreError? { state.withLock { $0.end } }

    /// Wakes everyone who waits for a sequence number up to `head`.
    func publish(_ head: SequenceNumber) {
        let woken: [Waiter] = state.withLock { state in
            state.head = max(state.head, head)
            guard !state.waiters.isEmpty else { return [] }
            let due = state.waiters.filter { $0.value.sequence <= state.head }
            for identifier in due.keys { state.waiters[identifier] = nil }
            return Array(due.values)
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    /// Notes whether the model with this number is in step with a server, and wakes everyone who waits for that to change.
    ///
    /// A follower that reads the new state also sees every commit that was published before this call.
    func setSynced(_ isSynced: Bool, model: UInt32) {
        let woken: [Waiter] = state.withLock { state in
            if isSynced { state.syncedModels.insert(model) } else { state.syncedModels.remove(model) }
            let due = state.waiters.filter { $0.value.state.map { $0.isOver(state.syncedModels) } ?? false }
            for identifier in due.keys { state.waiters[identifier] = nil }
            return Array(due.values)
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    /// The last sequence number that was published, and whether all of `models` are in step with a server; both as of one
    /// moment.
    func news(of models: Set<UInt32>) -> (head: SequenceNumber, isSynced: Bool) {
        state.withLock { ($0.head, models.isSubset(of: $0.syncedModels)) }
    }

    /// Ends the feed: everyone who waits or reads, now or later, gets `error`. Returns once nobody reads any more, so
    /// that the files can be closed.
    func end(_ error: DataStoreError) {
        let (woken, lastReaderLeft) = state.withLock { state -> ([Waiter], DispatchSemaphore?) in
            if state.end == nil { state.end = error }
            defer { state.waiters = [:] }
            if state.readerCount > 0, state.lastReaderLeft == nil {
                state.lastReaderLeft = DispatchSemaphore(value: 0)
                return (Array(state.waiters.values), state.lastReaderLeft)
            }
            return (Array(state.waiters.values), nil)
        }
        for waiter in woken { waiter.continuation.resume(throwing: error) }
        lastReaderLeft?.wait()
    }

    /// Calls `body`, which reads the log or the rows, unless the feed has ended; the end waits for it.
    ///
    /// - Throws: what the feed ended with; what `body` throws.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        let end = state.withLock { state in
            if state.end == nil { state.readerCount += 1 }
            return state.end
        }
        if let end { throw end }
        defer {
            state.withLock { state in
                precondition(state.readerCount > 0, "a reader that leaves has come")
                state.readerCount -= 1
                if state.readerCount == 0 { state.lastReaderLeft?.signal() }
            }
        }
        return try body()
    }

    /// Returns once `sequence` was published, or `synced` is no longer the state of its models.
    ///
    /// - Throws: what the feed ended with; `CancellationError`.
    func wait(for sequence: SequenceNumber, while synced: SyncedState? = nil) async throws {
        let identifier = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if sequence <= state.head { return .success(()) }
                    if let synced, synced.isOver(state.syncedModels) { return .success(()) }
                    if let end = state.end { return .failure(end) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    precondition(state.waiters[identifier] == nil, "each waiter has a number of its own")
                    state.waiters[identifier] = Waiter(
                        sequence: sequence, state: synced, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: identifier) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }
}

/// Whether some models were all in step with a server when a follower looked last.
struct SyncedState: Sendable {
    /// The models' numbers.
    let models: Set<UInt32>
    /// Whether all of them were in step.
    let isSynced: Bool

    /// Whether that is no longer so if `syncedModels` are the models in step.
    func isOver(_ syncedModels: Set<UInt32>) -> Bool { models.isSubset(of: syncedModels) != isSynced }
}
