internal import TidelogSynchronization

/// The tasks of an engine that are in progress. They are cancelled when the engine stops.
final class SyncTasks: Sendable {
    private struct State {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var count: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Runs `body` in a task. Returns the number of the task.
    @discardableResult
    func run(_ body: @escaping @Sendable () async -> Void) -> UInt64 {
        state.withLock { state in
            state.count += 1
            let number = state.count
            state.tasks[number] = Task { [weak self] in
                await body()
                self?.forget(number)
            }
            return number
        }
    }

    private func forget(_ number: UInt64) {
        // The task is deallocated outside of the lock.
        let task = state.withLock { $0.tasks.removeValue(forKey: number) }
        withExtendedLifetime(task) {}
    }

    func cancel(_ number: UInt64) { state.withLock { $0.tasks[number] }?.cancel() }

    func cancelAll() {
        let tasks = state.withLock { state in
            defer { state.tasks = [:] }
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}
