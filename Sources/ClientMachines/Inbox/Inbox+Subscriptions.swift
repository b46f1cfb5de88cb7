/// Handles subscriptions, and the messages that they deliver.
extension Inbox {
    /// Requests subscriptions that are due, and reports when every model has them.
    mutating func subscriptions(at now: Int64) -> [Action] {
        var actions: [Action] = []
        for name in names {
            guard var state = models[name], state.subscription == .none else { continue }
            if state.patience == .unlimited { state.patience = .until(now + options.subscriptionPatience) }
            if max(state.subscribeAt, connection.until) <= now {
                subscriptionCount += 1
                state.subscription = .asked
                (state.subscriptionNumber, state.subscriptionAskedAt) = (subscriptionCount, now)
                state.subscribeAt = now + options.timeLimit
                actions.append(.subscribe(SubscriptionRequest(model: name, number: subscriptionCount)))
            }
            models[name] = state
        }
        if !hasReportedSubscriptions, isSubscribed {
            hasReportedSubscriptions = true
            actions.append(.report(.subscriptionsEstablished))
        }
        return actions
    }

    /// Makes the inbox ask the server to push changes, if it was started without that.
    package mutating func subscribe(at now: Int64) -> [Action] {
        guard !wantsSubscriptions else { return [] }
        wantsSubscriptions = true
        conditionCount += 1
        return work(at: now)
    }

    /// Tells the inbox that a model has its subscriptions. The model is then queried for missed changes.
    package mutating func subscribed(_ request: SubscriptionRequest, at now: Int64) -> [Action] {
        guard var state = models[request.model], state.subscription == .asked,
            state.subscriptionNumber == request.number
        else { return [] }
        (connection.isUnreachable, connection.isHurried) = (false, false)
        state.subscription = .established
        state.subscribedAt = now
        state.patience = .unlimited
        (state.subscriptionFailures, state.subscriptionReason) = (0, "")
        (state.intervalEnd, state.quietCount) = (nil, 0)
        if state.isUncovered {
            state.isUncovered = false
            state.wanted = min(state.wanted ?? now, now)
        }
        models[request.model] = state
        conditionCount += 1
        if hasReportedIntervals, isSubscribed { hasReportedIntervals = false }
        return work(at: now)
    }

    /// Tells the inbox that a model has no subscriptions.
    package mutating func subscriptionFailed(
        _ request: SubscriptionRequest, _ failure: SubscriptionFailure, at now: Int64, jitter: UInt64
    ) -> [Action] {
        guard var state = models[request.model], state.subscription == .asked,
            state.subscriptionNumber == request.number
        else { return [] }
        if case .refused(let errorType, let message) = failure {
            let isNew = !state.wasRefused
            state.subscription = .refused
            state.subscribedAt = now
            state.wasRefused = true
            models[request.model] = state
            conditionCount += 1
            let report = Report.modelRefused(request.model, errorType: errorType, message: message)
            return (isNew ? [.report(report)] : []) + work(at: now)
        }
        unsubscribed(request.model, failure, at: now, jitter: jitter)
        return work(at: now)
    }

    /// Handles a subscription that was not established. It is requested again after a wait, and queries do not wait for it.
    private mutating func unsubscribed(
        _ name: String, _ failure: SubscriptionFailure, at now: Int64, jitter: UInt64
    ) {
        guard var state = models[name] else { return }
        state.subscription = .none
        state.subscribeAt = now
        state.patience = .over
        switch failure {
        case .refused(_, let reason), .failed(let reason):
            state.subscriptionReason = reason
            state.subscriptionFailures += 1
            state.subscribeAt = now + options.backoff.wait(after: state.subscriptionFailures, jitter: jitter)
        case .noConnection(let reason, let isUnreachable):
            state.subscriptionReason = reason
            connectionFailed(
                isUnreachable: isUnreachable, askedAt: state.subscriptionAskedAt, at: now, jitter: jitter)
        }
        models[name] = state
        conditionCount += 1
    }

    /// Handles that time has passed for a request for subscriptions.
    mutating func subscriptionTimePassed(_ name: String, at now: Int64, jitter: UInt64) -> [Action] {
        guard let state = models[name] else { return [] }
        if case .until(let end) = state.patience, end <= now {
            models[name]?.patience = .over
            conditionCount += 1
        }
        guard state.subscription == .asked, state.subscribeAt <= now else { return [] }
        let reason = "The server did not begin the subscriptions in time."
        // If no model gets subscriptions, the reason is not this model.
        let failure = hasConnection ? .failed(reason) : SubscriptionFailure.noConnection(reason, isUnreachable: false)
        unsubscribed(name, failure, at: now, jitter: jitter)
        return [.unsubscribe(SubscriptionRequest(model: name, number: state.subscriptionNumber))]
    }

    /// Tells the inbox that a model lost its subscriptions.
    package mutating func subscriptionLost(
        _ request: SubscriptionRequest, at now: Int64, jitter: UInt64
    ) -> [Action] {
        guard let state = models[request.model], state.subscription != .none,
            state.subscriptionNumber == request.number
        else { return [] }
        if state.isSubscribed, now - state.subscribedAt >= options.stableAge {
            connection = ConnectionState()
        } else {
            connectionFailed(isUnreachable: false, askedAt: state.subscriptionAskedAt, at: now, jitter: jitter)
        }
        lose(request.model, at: now)
        return work(at: now)
    }

    /// Handles the loss of a model's subscriptions, or of the request for them.
    mutating func lose(_ name: String, at now: Int64) {
        // The server may have begun some subscriptions of a model and refused the rest.
        guard var state = models[name], state.subscription != .none else { return }
        // Changes may come before the next subscription, so a query follows the subscription.
        state.wanted = min(state.wanted ?? now, now)
        state.subscription = .none
        state.subscribeAt = now
        state.patience = .unlimited
        // The connection may have been lost because the server was restarted with a schema that has the model.
        if case .refused = state.phase { state.phase = .idle }
        models[name] = state
        conditionCount += 1
    }

    /// Tells the inbox of a message without usable metadata. A query then finds the change.
    package mutating func messageUnusable(_ name: String, at now: Int64) -> [Action] {
        guard let state = models[name] else { return [] }
        // Without versions, the query lists all records, so that many such messages must share one query.
        let pause = options.hasVersions ? 0 : max(0, state.queriedAt + options.minimumInterval - now)
        let due = now + max(options.unusableDelay, pause)
        models[name]?.wanted = min(state.wanted ?? due, due)
        return work(at: now)
    }

    /// Tells the inbox of a pushed record that the store cannot hold.
    package mutating func messageUnstorable(_ name: String, _ reason: String) -> [Action] {
        [.report(.badAnswer("\(name): \(reason)"))]
    }

    /// Tells the inbox that the server has an older state than before. A base query then finds the differences.
    package mutating func serverWentBack(_ name: String, at now: Int64) -> [Action] {
        guard models[name] != nil else { return [] }
        models[name]?.mustBeBase = true
        models[name]?.wanted = now
        return work(at: now)
    }
}

/// Chooses the times of queries of models whose changes the server does not push.
extension Inbox {
    /// Whether the model is queried at intervals.
    func isAtIntervals(_ state: ModelState) -> Bool {
        wantsSubscriptions && state.subscription != .established && mayQuery(state)
    }

    /// The time until the next query after `quietCount` queries that found no change.
    func interval(after quietCount: Int) -> Int64 {
        assert(quietCount >= 0, "queries are counted")
        var interval = options.interval
        for _ in 0..<quietCount where interval < options.maximumInterval { interval *= 2 }
        return min(interval, options.maximumInterval)
    }

    /// Reports once that models are queried at intervals. A model that lost its subscriptions for a moment is not reported.
    mutating func intervalReport(_ state: ModelState, at now: Int64) -> [Action] {
        guard !hasReportedIntervals, isAtIntervals(state), state.subscriptionReason != "",
            state.intervalEnd.map({ $0 <= now }) ?? false
        else { return [] }
        hasReportedIntervals = true
        let affected = names.filter { name in models[name].map { isAtIntervals($0) } ?? false }
        return [.report(.queriedAtIntervals(affected, state.subscriptionReason))]
    }

    /// Tells the inbox that the server took a change of the model. If the model is queried at intervals, it is queried soon.
    package mutating func changeTaken(_ name: String, at now: Int64) -> [Action] {
        guard let state = models[name], isAtIntervals(state) else { return [] }
        let due = max(now, state.queriedAt + options.minimumInterval)
        models[name]?.quietCount = 0
        models[name]?.intervalEnd = min(state.intervalEnd ?? due, due)
        return work(at: now)
    }
}
