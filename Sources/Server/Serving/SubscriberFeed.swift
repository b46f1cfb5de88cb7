internal import TidelogCore
internal import TidelogSynchronization

/// Sends the changes of the store to the subscribers, while clients are connected. Without clients, it asks the store for
/// nothing.
final class SubscriberFeed: Sendable {
    private let store: any VersionedStore
    private let subscriptions: Subscriptions
    private let notice: @Sendable (String) -> Void
    private let state = Mutex(State())

    private struct State {
        var clientCount = 0
        /// The task that follows the changes; `nil` while there are no clients.
        var following: Task<Void, Never>?
        /// The number of tasks that were begun. It tells the latest task from those before it.
        var taskCount = 0
        /// Whether the latest task has tried to begin.
        var hasBegun = false
        /// The clients that wait until the latest task has begun.
        var waiting: [CheckedContinuation<Void, Never>] = []
        var hasEnded = false
    }

    init(_ store: any VersionedStore, _ subscriptions: Subscriptions, notice: @escaping @Sendable (String) -> Void) {
        (self.store, self.subscriptions, self.notice) = (store, subscriptions, notice)
    }

    /// Notes that a client has connected. When this method returns, changes that are made from now on reach the client's
    /// subscriptions. If the store cannot be followed, the method returns after the first try.
    func enter() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                state.clientCount += 1
                if state.following == nil, !state.hasEnded {
                    state.taskCount += 1
                    state.hasBegun = false
                    state.following = Task { [number = state.taskCount] in await follow(number) }
                }
                if state.hasBegun || state.hasEnded { return true }
                state.waiting.append(continuation)
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    /// Notes that a client is gone.
    func leave() {
        state.withLock { state in
            state.clientCount -= 1
            assert(state.clientCount >= 0, "a client that leaves has connected before")
            guard state.clientCount == 0 else { return }
            state.following?.cancel()
            state.following = nil
        }
    }

    /// Ends the sending of changes.
    func stop() async {
        let (task, waiting) = state.withLock { state in
            state.hasEnded = true
            defer { (state.following, state.waiting) = (nil, []) }
            return (state.following, state.waiting)
        }
        for client in waiting { client.resume() }
        task?.cancel()
        await task?.value
    }

    /// Follows the changes. After a failure, the task starts again with later changes. Subscribers may then miss changes, but
    /// no subscriber is promised every change.
    private func follow(_ number: Int) async {
        while !Task.isCancelled {
            do {
                let changes = try await store.changes()
                noteBeginning(of: number)
                try await subscriptions.run(changes)
            } catch is CancellationError {
                return
            } catch {
                notice("Subscribers may have missed changes: \(error)")
                noteBeginning(of: number)
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func noteBeginning(of number: Int) {
        let waiting = state.withLock { state in
            guard number == state.taskCount else { return [] as [CheckedContinuation<Void, Never>] }
            state.hasBegun = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for client in waiting { client.resume() }
    }
}
