internal import TidelogCore

/// Handles the waiting calls of the app.
extension SyncLoop {
    func begin(_ goal: SyncInput.Goal) {
        var started = StartedGoal(goal: goal, start: now)
        if case .caughtUp = goal.kind {
            tellInbox { $0.refresh(at: now) }
            started.refresh = inbox?.latestRefresh
        }
        goals.append(started)
    }

    /// Resumes the calls whose goal is reached or cannot be reached any more.
    func checkGoals() async {
        guard !goals.isEmpty else { return }
        if !isFollowing, lifecycle.state == .stopped || lifecycle.state.isWaiting {
            return await finish(goals.map(\.goal), report.failure ?? .stopped)
        }
        if credentialFailures >= settings.credentialTries {
            let settling = goals.filter(\.isSettling)
            goals.removeAll(where: \.isSettling)
            await answer(settling.map(\.goal), SyncError.unauthorized(lastFailure))
        }
        let now = now
        let reached = goals.filter { isReached($0) }
        let late = goals.filter { !isReached($0) && $0.isLate(at: now) }
        let impatient = goals.filter {
            !isReached($0) && !$0.isLate(at: now) && $0.isImpatient(at: now, lastProgress: lastProgress)
        }
        goals.removeAll { isReached($0) || $0.isLate(at: now) || $0.isImpatient(at: now, lastProgress: lastProgress) }
        await answer(reached.map(\.goal), nil)
        await answer(late.map(\.goal), nil)
        await answer(
            impatient.map(\.goal),
            isFailing || lastFailure == nil ? .unreachable(lastFailure) : .noProgress(lastFailure))
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

    func finish(_ goals: [SyncInput.Goal], _ failure: SyncError?) async {
        self.goals = []
        await answer(goals, failure)
    }

    private func answer(_ goals: [SyncInput.Goal], _ failure: SyncError?) async {
        guard !goals.isEmpty else { return }
        var report = report
        report.failure = failure
        report.refused = inbox?.refusedModels ?? []
        report.failing = inbox?.failingModels ?? [:]
        report.problems += report.failing.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        report.problems += (outbox?.failingChanges ?? []).map { SyncError.changeDelayed($0, $1).message }
        do {
            if let outbox {
                report.pending = outbox.pendingCount
            } else {
                report.pending = try await syncStore.contents().pending.count
            }
            report.setAside = try await syncStore.setAside().count
            report.lastSync = try await syncStore.lastSyncs()
        } catch {
            report.failure = report.failure ?? SyncError.store(error)
        }
        for goal in goals { goal.continuation.resume(returning: report) }
    }
}

extension Lifecycle.State {
    fileprivate var isWaiting: Bool { if case .waiting = self { true } else { false } }
}

extension SyncLoop {
    /// A waiting call of the app, with the time at which it began.
    struct StartedGoal {
        let goal: SyncInput.Goal
        let start: Int64
        /// The number of the refresh that the call requested; `nil` if the engine was not running then.
        var refresh: Int?

        var deadline: Int64? { goal.wait.map { start + $0 } }

        /// The time at which the call ends unless something is received or answered earlier.
        func limit(lastProgress: Int64) -> Int64? { goal.patience.map { max(start, lastProgress) + $0 } }

        var isSettling: Bool { if case .settled = goal.kind { true } else { false } }

        func isLate(at now: Int64) -> Bool { deadline.map { $0 <= now } ?? false }

        func isImpatient(at now: Int64, lastProgress: Int64) -> Bool {
            limit(lastProgress: lastProgress).map { $0 <= now } ?? false
        }

        /// Resumes the call if its number is `number`. Returns whether it did.
        func answersGivenUp(_ number: UInt64, _ report: SyncReport) -> Bool {
            guard goal.number == number else { return false }
            var report = report
            report.failure = .stopped
            goal.continuation.resume(returning: report)
            return true
        }
    }
}
