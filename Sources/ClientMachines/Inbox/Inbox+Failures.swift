/// Handles failures. A wait belongs to what failed: a model, the connection for subscriptions, or the whole server.
extension Inbox {
    /// Handles a query without a usable answer. The query is repeated after a wait. Other models do not wait for it.
    ///
    /// The failure belongs to the model if the server answered the query with an error, or if it answered another request while
    /// the query was in flight.
    mutating func fail(_ name: String, _ failure: QueryFailure, at now: Int64, jitter: UInt64) -> [Action] {
        guard var state = models[name] else { return [] }
        assert(now >= state.askedAt, "a query fails after it was sent")
        state.failures += 1
        state.failure = failure
        state.isOwnFailure = failure.reach == .answer || lastAnswer > state.askedAt || state.isHurried
        (state.hasPassed, state.isHurried) = (true, false)
        let wait = max(
            options.backoff.wait(after: state.failures, jitter: jitter),
            min(failure.retryAfter ?? 0, options.backoff.maximum))
        state.phase = .waiting(until: now + wait)
        if !state.isOwnFailure {
            silence.failures += 1
            silence.probeAt = now + min(wait, options.backoff.wait(after: silence.failures, jitter: jitter >> 8))
        }
        var actions: [Action] = []
        if state.isOwnFailure, !state.hasReportedFailure {
            state.hasReportedFailure = true
            actions.append(.report(.modelFailed(name, failure.reason)))
        }
        models[name] = state
        conditionCount += 1
        return actions
    }

    /// Handles a usable answer to a query of the model.
    mutating func succeeded(_ name: String, at now: Int64) {
        guard models[name] != nil else { return }
        if models[name]?.failure != nil { conditionCount += 1 }
        models[name]?.failures = 0
        models[name]?.failure = nil
        models[name]?.isOwnFailure = false
        models[name]?.hasReportedFailure = false
        models[name]?.isHurried = false
        serverAnswered(at: now)
    }

    /// Handles an answer that shows that the server works. Work that waits because the server gave no answer is tried at once.
    /// If it fails again, the failure belongs to it.
    mutating func serverAnswered(at now: Int64) {
        lastAnswer = now
        if connection.isUnreachable, !connection.isHurried {
            connection.isHurried = true
            connection.until = min(connection.until, now)
        }
        guard silence.failures > 0 else { return }
        silence = Silence()
        for name in names {
            guard let state = models[name], state.failure != nil, !state.isOwnFailure, case .waiting = state.phase
            else { continue }
            models[name]?.phase = .waiting(until: now)
            models[name]?.isHurried = true
        }
    }

    /// Whether the model waits until a query shows that the server answers again.
    func isHeldBySilence(_ state: ModelState) -> Bool {
        silence.failures > 0 && state.failure != nil && !state.isOwnFailure
    }

    /// Whether a query that tests the server is in flight.
    var isProbing: Bool {
        models.values.contains { state in
            if case .asked = state.phase { isHeldBySilence(state) } else { false }
        }
    }

    /// Ends every wait, because the network has returned.
    mutating func hurry(at now: Int64) {
        silence = Silence()
        hurrySubscriptions(at: now)
        questions.hurry(at: now)
        for name in names {
            guard let state = models[name] else { continue }
            models[name]?.isHurried = false
            if case .waiting = state.phase { models[name]?.phase = .waiting(until: now) }
            if state.intervalEnd != nil { models[name]?.intervalEnd = now }
        }
    }

    /// Ends the waits of subscriptions. Requests that are in flight keep their deadlines.
    mutating func hurrySubscriptions(at now: Int64) {
        connection = ConnectionState()
        for name in names where models[name]?.subscription == ModelState.Subscription.none {
            models[name]?.subscribeAt = now
        }
    }

    /// Handles the failure of the connection for subscriptions, or of its server to take more of them. Models whose requests
    /// fail together share one failure.
    ///
    /// - Parameter askedAt: The time of the request that failed.
    mutating func connectionFailed(isUnreachable: Bool, askedAt: Int64, at now: Int64, jitter: UInt64) {
        guard askedAt > connection.failedAt else { return }
        connection.failures += 1
        connection.failedAt = now
        connection.isUnreachable = isUnreachable && !connection.isHurried
        connection.until = now + options.backoff.wait(after: connection.failures, jitter: jitter)
    }
}
