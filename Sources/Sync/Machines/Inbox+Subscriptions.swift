/// Handles subscriptions, and the messages that they deliver.
extension Inbox {
    /// Starts everything that may be done now.
    mutating func work(at now: Int64) -> [InboxAction] {
        guard isStarted, isOnline, hasSession else { return [] }
        var actions: [InboxAction] = []
        for name in names {
            guard let state = models[name], state.subscription == .none, state.subscribeAt <= now else { continue }
            models[name]?.subscription = .asked
            models[name]?.subscribeAt = now + options.timeLimit
            actions.append(.subscribe(name))
        }
        let isSubscribed = names.allSatisfy { models[$0]?.isSubscribed ?? false }
        if isSubscribed, !hasReportedSubscriptions {
            hasReportedSubscriptions = true
            actions.append(.report(.subscriptionsEstablished))
        }
        guard hasReportedSubscriptions else { return actions }
        return actions + queries(at: now)
    }

    /// Tells the inbox that a model has its subscriptions. After a loss of subscriptions, the model is queried for missed
    /// changes.
    package mutating func subscribed(_ name: String, at now: Int64) -> [InboxAction] {
        guard models[name]?.subscription == .asked else { return [] }
        lastMessage = now
        models[name]?.subscription = .established
        models[name]?.subscriptionFailures = 0
        return work(at: now)
    }

    /// Tells the inbox that a model has no subscriptions.
    ///
    /// - Parameter refused: The server's error, if it will never allow the subscriptions.
    package mutating func subscriptionFailed(
        _ name: String, refused: (errorType: String, message: String)? = nil, at now: Int64, jitter: UInt64
    ) -> [InboxAction] {
        guard var state = models[name], state.subscription == .asked else { return [] }
        if let refused {
            let isNew = !state.wasRefused
            (state.subscription, state.wasRefused) = (.refused, true)
            models[name] = state
            let report = InboxReport.modelRefused(name, errorType: refused.errorType, message: refused.message)
            return (isNew ? [.report(report)] : []) + work(at: now)
        }
        unsubscribed(name, at: now, jitter: jitter)
        return work(at: now)
    }

    /// Handles a subscription that was not established. It is requested again after a wait.
    mutating func unsubscribed(_ name: String, at now: Int64, jitter: UInt64) {
        guard var state = models[name] else { return }
        state.subscription = .none
        state.subscriptionFailures += 1
        state.subscribeAt = now + options.backoff.wait(after: state.subscriptionFailures, jitter: jitter)
        models[name] = state
    }

    /// Tells the inbox that a model lost its subscriptions.
    package mutating func subscriptionLost(_ name: String, at now: Int64) -> [InboxAction] {
        lose(name, at: now)
        return work(at: now)
    }

    mutating func lose(_ name: String, at now: Int64) {
        // The server may have begun some subscriptions of a model and refused the rest.
        guard var state = models[name], state.subscription != .none else { return }
        // Changes may come before the next subscription, so a query follows the subscription.
        if options.fault != .noQueryAfterLoss { state.wanted = min(state.wanted ?? now, now) }
        state.subscription = .none
        state.subscribeAt = now
        // The connection may have been lost because the server was restarted with a schema that has the model.
        if case .refused = state.phase { state.phase = .idle }
        models[name] = state
    }

    /// Tells the inbox that the connection is alive.
    package mutating func messageReceived(at now: Int64) { lastMessage = max(lastMessage, now) }

    /// Tells the inbox of a message without usable metadata. A query then finds the change.
    package mutating func messageUnusable(_ name: String, at now: Int64) -> [InboxAction] {
        messageReceived(at: now)
        let due = now + options.unusableDelay
        if let state = models[name] { models[name]?.wanted = min(state.wanted ?? due, due) }
        return work(at: now)
    }

    /// Tells the inbox that the server has an older state than before. A base query then finds the differences.
    package mutating func serverWentBack(_ name: String, at now: Int64) -> [InboxAction] {
        guard models[name] != nil else { return [] }
        models[name]?.mustBeBase = true
        models[name]?.wanted = now
        return work(at: now)
    }
}
