internal import TidelogSynchronization

/// The state of a store: its open generation, or the reason why there is none.
///
/// Followers of the log share this object with the store. It does not keep the store open: the store takes the generation out
/// when it is suspended, closed or released.
final class StoreState: Sendable {
    private let state: Mutex<State>
    /// Follows the process that writes the store, or is `nil` unless the store is only read.
    private let follow: (@Sendable (StoreState) -> Void)?

    private struct State: ~Copyable {
        var generation: Generation?
        var lock: WriterLock?
        /// The schema of the code of a suspended store. The outer value is `nil` unless the store is suspended.
        var suspendedSchema: Schema??
        /// The followers that wait until the store is resumed.
        var waiters: [UInt64: UnsafeContinuation<Void, any Error>] = [:]
        var nextWaiter: UInt64 = 0
        /// The time of the last check for changes of a store that another process writes.
        var lookedAt = ContinuousClock.now
        /// The directory of a store in memory. It is deleted when the store is closed.
        var temporaryDirectory: String?

        var absence: DataStoreError { suspendedSchema == nil ? .closed : .suspended }

        mutating func takeWaiters() -> [UnsafeContinuation<Void, any Error>] {
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    init(
        _ generation: Generation, lock: consuming sending WriterLock?, temporaryDirectory: String?,
        following follow: (@Sendable (StoreState) -> Void)?
    ) {
        self.follow = follow
        state = Mutex(State(generation: generation, lock: lock, temporaryDirectory: temporaryDirectory))
    }

    /// The open generation. A store that is only read first follows its writing process.
    ///
    /// - Throws: ``DataStoreError``: `closed`, `suspended`.
    @inline(__always)
    func current() throws -> Generation {
        follow?(self)
        return try generation()
    }

    /// The open generation.
    ///
    /// - Throws: ``DataStoreError``: `closed`, `suspended`.
    @inline(__always)
    func generation() throws -> Generation {
        guard let generation = state.withLock({ $0.generation }) else { throw absence }
        return generation
    }

    /// The error of calls while there is no generation.
    var absence: DataStoreError { state.withLock { $0.absence } }

    /// Switches to `next` if the present generation is still `old`. Returns whether it was.
    func replace(_ old: Generation, with next: Generation) -> Bool {
        state.withLock { state in
            guard state.generation === old else { return false }
            state.generation = next
            return true
        }
    }

    /// The time between two checks whether the writing process has replaced files of the store.
    private static let renewalInterval = Duration.milliseconds(100)

    /// The present generation, if it is time to check whether the writing process has replaced it. Otherwise `nil`.
    func generationToRenew() -> Generation? {
        state.withLock { state in
            let now = ContinuousClock.now
            guard let generation = state.generation, now - state.lookedAt >= Self.renewalInterval else { return nil }
            state.lookedAt = now
            return generation
        }
    }

    // MARK: Suspension

    /// Takes the generation out, so that calls throw `suspended` from now on. The result is `nil` if there is none.
    func suspend(readerLock: ReaderLock?) -> ClosingParts? {
        state.withLock { state in
            guard let generation = state.generation.take() else { return nil }
            state.suspendedSchema = .some(generation.layout.code)
            return ClosingParts(
                generation, reason: .suspended, lock: state.lock.take(), readerLock: readerLock,
                temporaryDirectory: nil)
        }
    }

    /// The schema of the code with which a suspended store is opened again. The result is `nil` if the store is open.
    ///
    /// - Throws: ``DataStoreError`` with code `closed`.
    func schemaForResuming() throws -> Schema?? {
        try state.withLock { state in
            guard state.generation == nil else { return nil }
            guard let schema = state.suspendedSchema else { throw DataStoreError.closed }
            return .some(schema)
        }
    }

    /// Continues with a generation, and wakes the followers.
    func resume(_ generation: Generation, lock: consuming sending WriterLock?) {
        var lock = lock
        let waiters = state.withLock { state in
            precondition(state.generation == nil && state.suspendedSchema != nil, "a suspended store is resumed")
            state.generation = generation
            state.lock = lock.take()
            state.suspendedSchema = nil
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The generation, after the store was resumed if it is suspended.
    ///
    /// - Throws: ``DataStoreError`` with code `closed`; `CancellationError`.
    func resumed() async throws -> Generation {
        while true {
            do { return try generation() } catch let error as DataStoreError where error.code == .suspended {
                try await waitForResumption()
            }
        }
    }

    private func waitForResumption() async throws {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard state.suspendedSchema != nil else { return .success(()) }
                    state.waiters[number] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
    }

    // MARK: Closing

    /// Takes everything out, so that calls throw `closed` from now on. The result is `nil` if there is nothing to close.
    func close(readerLock: ReaderLock?) -> ClosingParts? {
        let (parts, waiters) = state.withLock { state in
            let waiters = state.takeWaiters()
            let wasSuspended = state.suspendedSchema != nil
            state.suspendedSchema = nil
            let generation = state.generation.take()
            guard generation != nil || wasSuspended else { return (ClosingParts?.none, waiters) }
            let parts = ClosingParts(
                generation, reason: .closed, lock: state.lock.take(), readerLock: readerLock,
                temporaryDirectory: state.temporaryDirectory.take())
            return (parts, waiters)
        }
        for waiter in waiters { waiter.resume(throwing: DataStoreError.closed) }
        return parts
    }
}
