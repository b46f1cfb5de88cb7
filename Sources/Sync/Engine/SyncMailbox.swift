internal import TidelogSynchronization

/// Collects the inputs from the engine's tasks, and passes them to the one task that processes them.
final class SyncMailbox: Sendable {
    private struct State {
        var inputs: [SyncMachine.Input] = []
        var waiter: CheckedContinuation<[SyncMachine.Input], Never>?
        /// Whether a notice of new events is among the inputs.
        var hasNotice = false
        /// How many pushed messages are among the inputs.
        var pushCount = 0
    }

    private let state = Mutex(State())

    /// The largest number of waiting pushed messages. Beyond this number a subscription ends, and a query finds the changes.
    private static let maximumPushCount = 10_000

    func add(_ input: SyncMachine.Input) {
        let waiter = state.withLock { state -> CheckedContinuation<[SyncMachine.Input], Never>? in
            guard let waiter = state.waiter.take() else {
                state.inputs.append(input)
                return nil
            }
            return waiter
        }
        waiter?.resume(returning: [input])
    }

    /// Adds a notice of new events, unless there is one already.
    func notice() {
        let isNew = state.withLock { state in
            defer { state.hasNotice = true }
            return !state.hasNotice
        }
        if isNew { add(.logNoticed) }
    }

    /// Adds a pushed message. Returns false if there is no room for it.
    func push(_ input: SyncMachine.Input) -> Bool {
        let hasRoom = state.withLock { state in
            guard state.pushCount < Self.maximumPushCount else { return false }
            state.pushCount += 1
            return true
        }
        if hasRoom { add(input) }
        return hasRoom
    }

    /// Returns all inputs since the last call, and waits if there are none.
    func next() async -> [SyncMachine.Input] {
        let inputs = await withCheckedContinuation { continuation in
            let inputs = state.withLock { state -> [SyncMachine.Input]? in
                guard state.inputs.isEmpty else {
                    defer { state.inputs = [] }
                    return state.inputs
                }
                precondition(state.waiter == nil, "one task works on the inputs")
                state.waiter = continuation
                return nil
            }
            if let inputs { continuation.resume(returning: inputs) }
        }
        state.withLock { state in
            for input in inputs {
                switch input {
                case .logNoticed: state.hasNotice = false
                case .pushed: state.pushCount -= 1
                default: break
                }
            }
        }
        return inputs
    }
}
