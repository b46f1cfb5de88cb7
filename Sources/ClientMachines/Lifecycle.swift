/// The machine that starts and stops the inbox and the outbox, and reports the steps to the app in order. It is a pure state
/// machine: the shell executes its actions, and passes events, the time and random numbers to it.
package struct Lifecycle: Sendable {
    /// The way in which the engine starts.
    package enum Startup: Sendable, Hashable {
        /// The engine starts at once, and again after failures.
        case automatic
        /// The engine starts when the app requests it.
        case manual
    }

    /// The actions that the machine requests from the shell.
    package enum Action: Sendable, Hashable {
        /// Make the inbox and the outbox from the log, call ``Lifecycle/opened(isOutboxEmpty:)``, and start the inbox.
        case open
        /// Start the outbox.
        case startOutbox
        /// End every request and subscription. The shell calls ``Lifecycle/closed(at:)`` when nothing will be written any more.
        case close
        /// Call ``Lifecycle/resumed()`` when the suspended store is open again.
        case awaitResumption
        /// Report an event to the app.
        case report(Report)
    }

    /// The events that are reported to an app, with the names of Amplify's hub.
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

    /// The states of the machine.
    package enum State: Sendable, Hashable {
        case stopped
        /// The subscriptions and the first queries are in progress.
        case starting
        /// The engine is fully running.
        case active
        /// A failure ended the engine. It starts again at this time.
        case waiting(until: Int64)
        /// The engine is ending. It starts again after that if `restarts` is true.
        case closing(restarts: Bool, at: Int64)
        /// The engine is ending, because the store is suspended.
        case pausing
        /// The engine starts again when the store is resumed.
        case paused
    }

    /// The state of the machine.
    package private(set) var state = State.stopped
    private let startup: Startup
    private let backoff: Backoff
    /// Whether the server can be reached.
    package private(set) var isOnline: Bool
    private var failures = 0
    /// The models whose queries began before the server could be reached. The app hears of the server first.
    private var startedModels: [String]?
    /// Whether the outbox was started since the last start of the engine.
    private var hasStartedOutbox = false

    package init(_ startup: Startup, isOnline: Bool, backoff: Backoff = Backoff()) {
        self.startup = startup
        self.isOnline = isOnline
        self.backoff = backoff
    }

    // MARK: Inputs

    /// Tells the machine that the app's engine was made.
    package mutating func made() -> [Action] { startup == .automatic ? start() : [] }

    /// Starts the engine, unless it runs.
    package mutating func start() -> [Action] {
        switch state {
        case .starting, .active, .pausing, .paused: return []
        case .closing(_, let time):
            state = .closing(restarts: true, at: time)
            return []
        case .stopped, .waiting:
            state = .starting
            hasStartedOutbox = false
            startedModels = nil
            return [.report(.networkStatus(isActive: false)), .open]
        }
    }

    /// Tells the machine that the inbox and the outbox were made.
    package mutating func opened(isOutboxEmpty: Bool) -> [Action] {
        guard state == .starting else { return [] }
        return [.report(.outboxStatus(isEmpty: isOutboxEmpty))]
            + (isOnline ? [.report(.networkStatus(isActive: true))] : [])
    }

    /// Begins again because the store was cleared. This is no failure.
    package mutating func restart(at now: Int64) -> [Action] {
        if isClosing { return [.close] }
        guard state == .starting || state == .active else { return [] }
        state = .closing(restarts: true, at: now)
        return [.close]
    }

    /// Ends the engine because the store is suspended. This is no failure, and the engine continues with the store.
    package mutating func pause() -> [Action] {
        if isClosing { return [.close] }
        guard state == .starting || state == .active else { return [] }
        state = .pausing
        return [.close]
    }

    /// Tells the machine that the store is open again.
    package mutating func resumed() -> [Action] {
        guard state == .paused else { return [] }
        state = .stopped
        return start()
    }

    /// Whether the engine is ending.
    private var isClosing: Bool {
        switch state {
        case .closing, .pausing: true
        case .stopped, .starting, .active, .waiting, .paused: false
        }
    }

    /// Stops the engine. After that, only ``start()`` starts it again.
    package mutating func stop() -> [Action] {
        switch state {
        case .stopped: return [.report(.stopped)]
        case .waiting, .paused:
            state = .stopped
            return [.report(.stopped)]
        case .pausing:
            state = .closing(restarts: false, at: 0)
            return []
        case .closing(_, let time):
            state = .closing(restarts: false, at: time)
            return []
        case .starting, .active:
            state = .closing(restarts: false, at: 0)
            return [.close]
        }
    }

    /// Tells the machine that nothing will be written any more.
    package mutating func closed(at now: Int64) -> [Action] {
        if state == .pausing {
            state = .paused
            return [.awaitResumption]
        }
        guard case .closing(let restarts, let time) = state else { return [] }
        guard restarts else {
            state = .stopped
            return [.report(.stopped)]
        }
        state = .waiting(until: time)
        return timePassed(to: now)
    }

    /// Tells the machine of a failure that the inbox and the outbox cannot handle themselves.
    ///
    /// If the failure comes while the engine ends, the shell may have lost the action `close`. The machine therefore repeats
    /// it.
    package mutating func failed(_ reason: String, at now: Int64, jitter: UInt64) -> [Action] {
        if isClosing { return [.close] }
        guard state == .starting || state == .active else { return [] }
        failures += 1
        let retryAt = startup == .automatic ? now + backoff.wait(after: failures, jitter: jitter) : nil
        state = .closing(restarts: retryAt != nil, at: retryAt ?? 0)
        return [.report(.failed(reason, retryAt: retryAt)), .close]
    }

    /// Tells the machine the time.
    package mutating func timePassed(to now: Int64) -> [Action] {
        guard case .waiting(let until) = state, until <= now else { return [] }
        return start()
    }

    /// The time at which ``timePassed(to:)`` must be called next; `nil` if no work waits for a time.
    package var nextWake: Int64? { if case .waiting(let until) = state { until } else { nil } }

    /// Tells the machine whether a network is available.
    package mutating func networkChanged(isOnline: Bool, at now: Int64) -> [Action] {
        guard isOnline != self.isOnline else { return [] }
        self.isOnline = isOnline
        if isOnline, case .waiting = state {
            state = .waiting(until: now)
            return timePassed(to: now)
        }
        guard state == .starting || state == .active else { return [] }
        let started = isOnline ? startedModels : nil
        if isOnline { startedModels = nil }
        return [.report(.networkStatus(isActive: isOnline))]
            + (started.map { [.report(.syncQueriesStarted($0))] } ?? [])
    }

    /// Tells the machine that changes were made or answered.
    package mutating func outboxChanged(isEmpty: Bool) -> [Action] {
        state == .active || state == .starting ? [.report(.outboxStatus(isEmpty: isEmpty))] : []
    }

    /// Passes on a report of the inbox. The outbox starts after the first queries, also if some or all of them fail.
    package mutating func inboxReported(_ report: Inbox.Report) -> [Action] {
        switch report {
        case .subscriptionsEstablished: return [.report(.subscriptionsEstablished)]
        case .queriesStarted(let models):
            guard isOnline else {
                startedModels = models
                return []
            }
            return [.report(.syncQueriesStarted(models))]
        case .modelSynced(let model, let isBase, let isTruncated):
            return [.report(.modelSynced(model, isBase: isBase, isTruncated: isTruncated))]
        case .queriesReady:
            guard state == .starting else { return [] }
            state = .active
            failures = 0
            return [.report(.syncQueriesReady)] + startOutbox() + [.report(.syncStarted), .report(.ready)]
        case .maySend: return startOutbox()
        case .modelRefused(let model, let errorType, let message):
            return [.report(.failed("\(model): \(SetAsideChange.Reason(errorType, message).text)", retryAt: nil))]
        case .badAnswer(let message): return [.report(.failed(message, retryAt: nil))]
        case .modelFailed, .queriedAtIntervals: return []
        }
    }

    private mutating func startOutbox() -> [Action] {
        guard !hasStartedOutbox, state == .starting || state == .active else { return [] }
        hasStartedOutbox = true
        return [.startOutbox]
    }
}
