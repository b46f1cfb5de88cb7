/// Starts and stops the inbox and the outbox, and tells the app in order. A pure machine: the shell runs its actions and
/// reports events to it, with the time and random numbers.
package struct Lifecycle: Sendable {
    /// When the engine starts.
    package enum Startup: Sendable, Hashable {
        /// At once, and again after failures.
        case automatic
        /// When the app says so.
        case manual
    }

    /// The steps that the machine asks the shell for.
    package enum Action: Sendable, Hashable {
        /// Make the inbox and the outbox from the log, call ``Lifecycle/opened(isOutboxEmpty:)``, and start the inbox.
        case open
        /// Start the outbox.
        case startOutbox
        /// End every request and subscription. The shell calls ``Lifecycle/closed(at:)`` when nothing more will be written.
        case close
        /// Tell the app.
        case report(Report)
    }

    /// The events that an app hears of, in the words of Amplify's hub.
    package enum Report: Sendable, Hashable {
        case networkStatus(isActive: Bool)
        case outboxStatus(isEmpty: Bool)
        case subscriptionsEstablished
        case syncQueriesStarted([String])
        case modelSynced(String, isBase: Bool, isTruncated: Bool)
        case syncQueriesReady
        case syncStarted
        case ready
        case stopped
        case failed(String, retryAt: Int64?)
    }

    /// Where the machine is.
    package enum State: Sendable, Hashable {
        case stopped
        /// Subscriptions and the first queries.
        case starting
        /// Everything runs.
        case active
        /// A failure ended the engine; it starts again at this time.
        case waiting(until: Int64)
        /// The engine ends; it starts again afterwards if `restarts`.
        case closing(restarts: Bool, at: Int64)
    }

    /// Where the machine is.
    package private(set) var state = State.stopped
    private let startup: Startup
    private let backoff: Backoff
    /// Whether the server can be reached.
    package private(set) var isOnline: Bool
    private var failures = 0

    package init(_ startup: Startup, isOnline: Bool, backoff: Backoff = Backoff()) {
        (self.startup, self.isOnline, self.backoff) = (startup, isOnline, backoff)
    }

    // MARK: Inputs

    /// The app's engine was made.
    package mutating func made() -> [Action] { startup == .automatic ? start() : [] }

    /// Starts, unless the engine runs.
    package mutating func start() -> [Action] {
        switch state {
        case .starting, .active: return []
        case .closing(_, let time):
            state = .closing(restarts: true, at: time)
            return []
        case .stopped, .waiting:
            state = .starting
            return [.report(.networkStatus(isActive: false)), .open]
        }
    }

    /// Takes note that the inbox and the outbox were made.
    package mutating func opened(isOutboxEmpty: Bool) -> [Action] {
        guard state == .starting else { return [] }
        return [.report(.outboxStatus(isEmpty: isOutboxEmpty))]
            + (isOnline ? [.report(.networkStatus(isActive: true))] : [])
    }

    /// Begins again, as the store was cleared: that is no failure.
    package mutating func restart(at now: Int64) -> [Action] {
        if case .closing = state { return [.close] }
        guard state == .starting || state == .active else { return [] }
        state = .closing(restarts: true, at: now)
        return [.close]
    }

    /// Stops: afterwards only ``start()`` starts the engine.
    package mutating func stop() -> [Action] {
        switch state {
        case .stopped: return [.report(.stopped)]
        case .waiting:
            state = .stopped
            return [.report(.stopped)]
        case .closing(_, let time):
            state = .closing(restarts: false, at: time)
            return []
        case .starting, .active:
            state = .closing(restarts: false, at: 0)
            return [.close]
        }
    }

    /// Takes note that nothing more will be written.
    package mutating func closed(at now: Int64) -> [Action] {
        guard case .closing(let restarts, let time) = state else { return [] }
        guard restarts else {
            state = .stopped
            return [.report(.stopped)]
        }
        state = .waiting(until: time)
        return timePassed(to: now)
    }

    /// Takes note of a failure that the inbox and the outbox cannot handle themselves.
    ///
    /// If it comes while the engine ends, the shell may have lost the action to close, which is repeated.
    package mutating func failed(_ reason: String, at now: Int64, jitter: UInt64) -> [Action] {
        if case .closing = state { return [.close] }
        guard state == .starting || state == .active else { return [] }
        failures += 1
        let retryAt = startup == .automatic ? now + backoff.wait(after: failures, jitter: jitter) : nil
        state = .closing(restarts: retryAt != nil, at: retryAt ?? 0)
        return [.report(.failed(reason, retryAt: retryAt)), .close]
    }

    /// Handles a time that came.
    package mutating func timePassed(to now: Int64) -> [Action] {
        guard case .waiting(let until) = state, until <= now else { return [] }
        return start()
    }

    /// The time at which ``timePassed(to:)`` is to be called next; `nil` if nothing waits for a time.
    package var nextWake: Int64? { if case .waiting(let until) = state { until } else { nil } }

    /// Takes note whether there is a network.
    package mutating func networkChanged(isOnline: Bool, at now: Int64) -> [Action] {
        guard isOnline != self.isOnline else { return [] }
        self.isOnline = isOnline
        if isOnline, case .waiting = state {
            state = .waiting(until: now)
            return timePassed(to: now)
        }
        guard state == .starting || state == .active else { return [] }
        return [.report(.networkStatus(isActive: isOnline))]
    }

    /// Takes note that changes were made or answered.
    package mutating func outboxChanged(isEmpty: Bool) -> [Action] {
        state == .active || state == .starting ? [.report(.outboxStatus(isEmpty: isEmpty))] : []
    }

    /// Passes on a report of the inbox; the outbox starts after the first queries.
    package mutating func inboxReported(_ report: InboxReport) -> [Action] {
        switch report {
        case .subscriptionsEstablished: return [.report(.subscriptionsEstablished)]
        case .queriesStarted(let models): return [.report(.syncQueriesStarted(models))]
        case .modelSynced(let model, let isBase, let isTruncated):
            return [.report(.modelSynced(model, isBase: isBase, isTruncated: isTruncated))]
        case .queriesReady:
            guard state == .starting else { return [] }
            state = .active
            failures = 0
            return [.report(.syncQueriesReady), .startOutbox, .report(.syncStarted), .report(.ready)]
        case .modelRefused(let model, let errorType, let message):
            return [.report(.failed("\(model): \(SetAsideReason(errorType, message).text)", retryAt: nil))]
        case .badAnswer(let message): return [.report(.failed(message, retryAt: nil))]
        }
    }
}
