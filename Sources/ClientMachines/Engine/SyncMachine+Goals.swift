package import TidelogSchema

/// Handles the waiting calls of the app.
extension SyncMachine {
    /// A waiting call of the app.
    package struct Goal: Sendable {
        /// The goals that a call can wait for.
        package enum Kind: Sendable {
            /// Everything is sent and received.
            case settled
            /// The store has everything that the server had at the call, and the local changes up to this event are on the
            /// server.
            case caughtUp(SequenceNumber)
        }

        package var kind: Kind
        /// The number of the call.
        package var number: UInt64
        /// The longest time in milliseconds during which nothing may be received or answered; `nil` for any time.
        package var patience: Int64?
        /// The longest time of the call in milliseconds; `nil` for no limit.
        package var wait: Int64?

        package init(_ kind: Kind, number: UInt64, patience: Int64? = nil, wait: Int64? = nil) {
            (self.kind, self.number) = (kind, number)
            (self.patience, self.wait) = (patience, wait)
        }
    }

    /// A waiting call of the app, with the time at which it began.
    struct StartedGoal: Sendable {
        let goal: Goal
        let start: Int64
        /// The number of the refresh that the call requested; `nil` if the engine was not running then.
        var refresh: Int?

        var deadline: Int64? { goal.wait.map { start + $0 } }

        /// The time at which the call ends unless something is received or answered earlier.
        func limit(lastProgress: Int64) -> Int64? { goal.patience.map { max(start, lastProgress) + $0 } }

        var isSettling: Bool { if case .settled = goal.kind { true } else { false } }
    }

    /// How a waiting call ends.
    private enum Ending {
        case reached, late, impatient
    }

    mutating func begin(_ goal: Goal) {
        assert(!goals.contains { $0.goal.number == goal.number }, "a call has a number of its own")
        mustReadLog = true
        let now = now
        var started = StartedGoal(goal: goal, start: now)
        if case .caughtUp = goal.kind {
            tellInbox { $0.refresh(at: now) }
            started.refresh = inbox?.latestRefresh
        }
        goals.append(started)
    }

    mutating func giveUp(_ number: UInt64) {
        guard let index = goals.firstIndex(where: { $0.goal.number == number }) else { return }
        var report = report
        report.failure = .stopped
        add(.finish(goals: [goals.remove(at: index).goal.number], report))
    }

    /// The ends of the calls whose goal is reached or cannot be reached any more.
    mutating func checkGoals() -> [Action] {
        guard !goals.isEmpty else { return [] }
        if isEnding { return finish(.stopped) { _ in true } }
        if standing != .following, lifecycle.state.isAtRest {
            return finish(report.failure ?? .stopped) { _ in true }
        }
        var actions: [Action] = []
        if credentialFailures >= settings.credentialTries {
            actions += finish(SyncError.unauthorized(reachability.lastFailure), \.isSettling)
        }
        let endings = goals.reduce(into: [UInt64: Ending]()) { $0[$1.goal.number] = ending(of: $1) }
        actions += finish(nil) { endings[$0.goal.number] == .reached }
        let failure = reachability.lastFailure
        actions += finish(reachability.isFailing ? .unreachable(failure) : .deadlinePassed) {
            endings[$0.goal.number] == .late
        }
        actions += finish(reachability.isFailing || failure == nil ? .unreachable(failure) : .noProgress(failure)) {
            endings[$0.goal.number] == .impatient
        }
        return actions
    }

    private func ending(of started: StartedGoal) -> Ending? {
        if isReached(started) { return .reached }
        if let deadline = started.deadline, deadline <= now { return .late }
        let limit = started.limit(lastProgress: reachability.lastProgress)
        return limit.map { $0 <= now } ?? false ? .impatient : nil
    }

    private func isReached(_ started: StartedGoal) -> Bool {
        guard let outbox, let inbox, hasOutboxStarted, lifecycle.state == .active || inbox.isHeldUp else {
            return false
        }
        switch started.goal.kind {
        // A model that fails again and again is named in the report.
        case .settled: return (outbox.isEmpty || outbox.isStalled) && (inbox.isIdle || inbox.isHeldUp)
        case .caughtUp(let sequence):
            // If the engine starts after the call, it queries every model in any case.
            guard outbox.hasAnswered(through: sequence) else { return false }
            return started.refresh.map { inbox.hasRefreshed($0) } ?? inbox.isIdle
        }
    }

    private mutating func finish(_ failure: SyncError?, _ ends: (StartedGoal) -> Bool) -> [Action] {
        let numbers = goals.filter(ends).map(\.goal.number)
        guard !numbers.isEmpty else { return [] }
        goals.removeAll(where: ends)
        var report = report
        report.failure = failure
        report.refused = inbox?.refusedModels ?? []
        report.failing = inbox?.failingModels ?? [:]
        report.problems += report.failing.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        report.problems += (outbox?.failingChanges ?? []).map { SyncError.changeDelayed($0, $1).message }
        return [.finish(goals: numbers, report)]
    }
}

extension Lifecycle.State {
    /// Whether the engine does not run at present.
    fileprivate var isAtRest: Bool {
        switch self {
        case .stopped, .waiting, .paused: true
        case .starting, .active, .closing, .pausing: false
        }
    }
}
