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
        /// The connected clients by number, each with a call that disconnects it.
        var clients: [UInt64: @Sendable () -> Void] = [:]
        /// The task that follows the changes; `nil` while there are no clients.
        var following: Task<Void, Never>?
        /// The number of tasks that were begun. It tells the latest task from those before it.
        var taskCount = 0
        /// Whether the latest task follows the changes.
        var isFollowing = false
        /// The clients that wait until the latest task has begun or failed.
        var waiting: [CheckedContinuation<Bool, Never>] = []
        var hasEnded = false
    }

    init(_ store: any VersionedStore, _ subscriptions: Subscriptions, notice: @escaping @Sendable (String) -> Void) {
        (self.store, self.subscriptions, self.notice) = (store, subscriptions, notice)
    }

    /// Notes that a client has connected. When this method returns true, changes that are made from now on reach the client's
    /// subscriptions. It returns false if the store cannot be followed now.
    ///
    /// - Parameters:
    ///   - number: The number of the client, for ``leave(_:)``.
    ///   - disconnect: Disconnects the client. It is called if the client may have missed a change, so that it connects again
    ///     and asks for the changes.
    func enter(_ number: UInt64, disconnect: @escaping @Sendable () -> Void) async -> Bool {
        await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                assert(state.clients[number] == nil, "a client connects once")
                state.clients[number] = disconnect
                if state.hasEnded { return false }
                if state.following == nil {
                    state.taskCount += 1
                    state.isFollowing = false
                    state.following = Task { [number = state.taskCount] in await follow(number) }
                }
                if state.isFollowing { return true }
                state.waiting.append(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Notes that a client is gone.
    func leave(_ number: UInt64) {
        state.withLock { state in
            let left = state.clients.removeValue(forKey: number)
            assert(left != nil, "a client that leaves has connected before")
            guard state.clients.isEmpty else { return }
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
        for client in waiting { client.resume(returning: false) }
        task?.cancel()
        await task?.value
    }

    /// Follows the changes. After a failure, the clients are disconnected, because they may miss changes, and the task starts
    /// again.
    private func follow(_ number: Int) async {
        while !Task.isCancelled {
            do {
                let changes = try await store.changes()
                note(number, isFollowing: true)
                try await subscriptions.run(changes)
            } catch is CancellationError {
                return
            } catch {
                notice("Subscribers are disconnected, because they may have missed changes: \(error)")
                note(number, isFollowing: false)
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Notes that a task has begun or failed. A failure disconnects all clients.
    private func note(_ number: Int, isFollowing: Bool) {
        let (waiting, clients) = state.withLock { state in
            guard number == state.taskCount else {
                return ([CheckedContinuation<Bool, Never>](), [@Sendable () -> Void]())
            }
            state.isFollowing = isFollowing
            defer { state.waiting = [] }
            return (state.waiting, isFollowing ? [] : Array(state.clients.values))
        }
        for client in waiting { client.resume(returning: isFollowing) }
        for disconnect in clients { disconnect() }
    }
}
