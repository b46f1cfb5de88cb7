internal import TidelogSynchronization

/// The calls of the app that wait for the engine.
final class SyncCalls: Sendable {
    private struct State {
        var count: UInt64 = 0
        var goals: [UInt64: CheckedContinuation<SyncReport, Never>] = [:]
        var stops: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// The number of the next call.
    func next() -> UInt64 {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }

    func wait(goal: UInt64, _ continuation: CheckedContinuation<SyncReport, Never>) {
        state.withLock { $0.goals[goal] = continuation }
    }

    func wait(stop: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
        state.withLock { $0.stops[stop] = continuation }
    }

    func finish(goal: UInt64, with report: SyncReport) {
        state.withLock { $0.goals.removeValue(forKey: goal) }?.resume(returning: report)
    }

    func finish(stop: UInt64) { state.withLock { $0.stops.removeValue(forKey: stop) }?.resume() }
}
