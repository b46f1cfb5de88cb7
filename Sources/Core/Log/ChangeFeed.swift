internal import Dispatch
internal import TidelogSynchronization

/// Wakes the followers that wait for the log to grow, or for models to become synced with a server.
///
/// The feed carries sequence numbers and model numbers, but no data. A follower that is woken reads the data itself.
final class ChangeFeed: Sendable {
    private let state: Mutex<State>

    private struct State {
        var published: SequenceNumber
        var end: DataStoreError?
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
        /// The numbers of the models that are synced with a server.
        var syncedModels: Set<UInt32> = []
        /// How many followers are reading at this moment.
        var readerCount = 0
        /// The last reader signals it after the feed ended.
        var lastReaderLeft: DispatchSemaphore?
    }

    private struct Waiter {
        let sequence: SequenceNumber
        /// A change of this state also ends the waiting.
        let state: SyncedState?
        let continuation: UnsafeContinuation<Void, any Error>
    }

    /// - Parameter published: The last event of the log when the feed begins.
    init(published: SequenceNumber) { state = Mutex(State(published: published)) }

    /// The last event that was published. An event is published after the log has it and the rows have taken it in.
    var published: SequenceNumber { state.withLock { $0.published } }

    /// Why the feed ended. The value is `nil` until the feed ends.
    var endReason: DataStoreError? { state.withLock { $0.end } }

    /// Publishes the events up to `last`. Wakes every follower that waits for one of them.
    func publish(_ last: SequenceNumber) {
        let woken: [Waiter] = state.withLock { state in
            state.published = max(state.published, last)
            guard !state.waiters.isEmpty else { return [] }
            let due = state.waiters.filter { $0.value.sequence <= state.published }
            for identifier in due.keys { state.waiters[identifier] = nil }
            return Array(due.values)
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    /// Notes whether the model with this number is synced with a server. Wakes every follower that waits for this state
    /// to change.
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

    /// The last published sequence number, and whether all of `models` are synced with a server.
    ///
    /// Both values belong to the same moment.
    func news(of models: Set<UInt32>) -> (published: SequenceNumber, isSynced: Bool) {
        state.withLock { ($0.published, models.isSubset(of: $0.syncedModels)) }
    }

    /// Ends the feed. Every follower that waits or reads, now or later, gets `error`.
    ///
    /// This method returns after the last reader has finished, so that the files can then be closed.
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

    /// Calls `body`, which reads the log or the rows, unless the feed has ended. ``end(_:)`` waits until `body` has returned.
    ///
    /// - Throws: The error that the feed ended with, or an error of `body`.
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

    /// Waits until `sequence` was published, or until the models of `synced` are in another state than `synced`.
    ///
    /// - Throws: The error that the feed ended with, or `CancellationError`.
    func wait(for sequence: SequenceNumber, while synced: SyncedState? = nil) async throws {
        let identifier = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if sequence <= state.published { return .success(()) }
                    if let synced, synced.isOver(state.syncedModels) { return .success(()) }
                    if let end = state.end { return .failure(end) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    precondition(state.waiters[identifier] == nil, "each waiter has a number of its own")
                    state.waiters[identifier] = Waiter(sequence: sequence, state: synced, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: identifier) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Whether some models were all synced with a server when a follower last read their state.
    struct SyncedState: Sendable {
        let models: Set<UInt32>
        /// Whether all of the models were synced.
        let isSynced: Bool

        /// Whether the state has changed, if `syncedModels` are the models that are synced now.
        func isOver(_ syncedModels: Set<UInt32>) -> Bool { models.isSubset(of: syncedModels) != isSynced }
    }
}
