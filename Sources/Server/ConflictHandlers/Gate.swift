internal import TidelogSynchronization

/// A gate that limits how many tasks run at once. Tasks enter in the order in which they came.
final class Gate: Sendable {
    private struct State {
        var free: Int
        var nextNumber: UInt64 = 0
        /// The waiting tasks, in order. There are few, because each task has a time limit.
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
        /// The numbers of the tasks that were cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
    }

    private let state: Mutex<State>

    init(width: Int) { state = Mutex(State(free: width)) }

    /// Waits for a free place. The task must give the place back with ``leave()``.
    func enter() async throws(CancellationError) {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let isIn = await withTaskCancellationHandler {
            await withCheckedContinuation { wait($0, number) }
        } onCancel: {
            cancel(number)
        }
        state.withLock { _ = $0.cancelled.remove(number) }
        guard isIn else { throw CancellationError() }
    }

    private func wait(_ continuation: CheckedContinuation<Bool, Never>, _ number: UInt64) {
        let isIn: Bool? = state.withLock { state in
            if state.cancelled.remove(number) != nil { return false }
            if state.free > 0 {
                state.free -= 1
                return true
            }
            state.waiting.append((number, continuation))
            return nil
        }
        if let isIn { continuation.resume(returning: isIn) }
    }

    private func cancel(_ number: UInt64) {
        let waiting = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                // The task has not begun to wait yet, or it has already entered.
                state.cancelled.insert(number)
                return nil as CheckedContinuation<Bool, Never>?
            }
            return state.waiting.remove(at: index).continuation
        }
        waiting?.resume(returning: false)
    }

    /// Gives a place back. The first waiting task gets it.
    func leave() {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil as CheckedContinuation<Bool, Never>?
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
