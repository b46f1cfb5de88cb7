internal import Dispatch
internal import Synchronization

/// Wakes those who wait for the log to grow. It carries sequence numbers, never data: receivers pull.
final class ChangeFeed: Sendable {
    private let state: Mutex<State>

    private struct State {
        var head: SequenceNumber
        var end: DataStoreError?
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
        /// How many followers are reading at this moment.
        var readerCount = 0
        /// Signalled by the last reader after the end.
        var lastReaderLeft: DispatchSemaphore?
    }

    private struct Waiter {
        let sequence: SequenceNumber
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

    /// Returns once `sequence` was published.
    ///
    /// - Throws: what the feed ended with; `CancellationError`.
    func wait(for sequence: SequenceNumber) async throws {
        let identifier = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if sequence <= state.head { return .success(()) }
                    if let end = state.end { return .failure(end) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    precondition(state.waiters[identifier] == nil, "each waiter has a number of its own")
                    state.waiters[identifier] = Waiter(sequence: sequence, continuation: continuation)
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
