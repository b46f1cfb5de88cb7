internal import TidelogCore

/// Receives the server's changes: subscriptions first, then a base or delta query for each model, parents first. A pure
/// machine: the shell runs its actions and reports events to it, with the time and random numbers.
package struct Inbox: Sendable {
    /// Numbers that an app may choose.
    package struct Options: Sendable {
        /// How many records a page has at most.
        package var pageSize = 1_000
        /// How many records a base query of a model takes at most.
        package var maximumRecords = 10_000
        /// For how many milliseconds a delta query continues from the last sync.
        package var syncInterval: Int64 = 86_400_000
        /// How many milliseconds a query may take.
        package var timeLimit: Int64 = 30_000
        /// After how many milliseconds without a message a connection counts as lost.
        package var silenceLimit: Int64 = 300_000
        /// Within how many milliseconds a message without usable metadata leads to a query.
        package var unusableDelay: Int64 = 1_000
        /// How long to wait after failures.
        package var backoff = Backoff()
        /// A fault that a test looks for.
        package var fault: PlantedFault?

        package init() {}
    }

    /// One model.
    struct ModelState: Sendable {
        enum Subscription: Sendable, Hashable { case none, asked, established, refused }
        enum Phase: Sendable {
            case idle, appending, sweeping, refused
            case waiting(until: Int64)
            case asked(SyncQuery, deadline: Int64)
        }

        var subscription = Subscription.none
        /// When to subscribe, or when a subscription that was asked for counts as failed.
        var subscribeAt: Int64 = 0
        var subscriptionFailures = 0
        /// Whether the app was told that the server refuses subscriptions of the model.
        var wasRefused = false
        var phase = Phase.idle
        /// When a query is wanted; `nil` for none.
        var wanted: Int64?
        /// Whether the next query must be a base query.
        var mustBeBase = false
        /// Whether the model was queried since the start.
        var isSynced = false
        var failures = 0
        var lastSync: LastSync?
        /// The latest wish for a refresh that a complete query has met.
        var metRefresh = 0
        var progress: BaseProgress?
        var seen: [[UInt64]] = []
        var expression = ""
        /// The unfinished query.
        var run: Run?

        /// Whether changes are pushed from now on, or never will be.
        var isSubscribed: Bool { subscription == .established || subscription == .refused }
    }

    /// One base or delta query, of several pages.
    struct Run: Sendable {
        let isBase: Bool
        let lastSync: Int64?
        var startedAt: Int64?
        var nextToken: String?
        var tokens: [String: Int] = [:]
        var unusableCount = 0
        /// Whether the query began before the present subscription, so that changes in between may be missing.
        var isResumed = false
        /// Whether the query ended because it had as many records as the app allows.
        var isTruncated = false
        var refusedTokens = 0
        var number: UInt64 = 0
        /// The latest wish for a refresh when the query began.
        var refresh = 0
    }

    let options: Options
    /// The device's clock minus the time that inputs bring. That time never goes back, and the clock may: it is asked only
    /// for the age of the last sync.
    package var clockOffset: Int64 = 0
    /// The models, parents first.
    let names: [String]
    var models: [String: ModelState] = [:]
    var isStarted = false
    var isOnline = true
    var hasSession = true
    var hasReportedSubscriptions = false
    var hasReportedQueries = false
    var hasReportedReady = false
    var lastMessage: Int64 = 0
    var queryCount: UInt64 = 0
    /// Counts the wishes for a refresh.
    var refreshCount = 0

    /// An inbox with the notes that the log has.
    ///
    /// - Parameters:
    ///   - names: The models, parents first.
    ///   - notes: The notes of the sync engine by name. A damaged note counts as missing.
    ///   - expressions: The sync expressions of the models as texts.
    package init(
        _ names: [String], notes: [String: [UInt8]], expressions: [String: String] = [:], options: Options = Options()
    ) {
        (self.names, self.options) = (names, options)
        for name in names {
            var state = ModelState()
            state.expression = expressions[name] ?? ""
            state.lastSync = notes[NoteName.lastSync(name)].flatMap { LastSync(encoded: $0) }
            state.progress = notes[NoteName.progress(name)].flatMap { BaseProgress(encoded: $0) }
            if let progress = state.progress, options.fault != .baseQueryForgotten {
                for page in 0..<progress.pageCount {
                    guard let seen = notes[NoteName.seen(name, page: page)].flatMap({ SeenRecords(encoded: $0) }) else {
                        state.progress = nil
                        break
                    }
                    state.seen.append(seen.hashes)
                }
            } else {
                state.progress = nil
            }
            if state.progress.map({ $0.expression != state.expression }) ?? true {
                state.progress = nil
                state.seen = []
            }
            models[name] = state
        }
    }

    // MARK: Inputs

    /// Begins: subscriptions first.
    package mutating func start(at now: Int64) -> [InboxAction] {
        isStarted = true
        lastMessage = now
        for name in names {
            models[name]?.wanted = now
            models[name]?.isSynced = false
        }
        return work(at: now)
    }

    /// Handles a time that came: queries that took too long, waits that are over, a connection that is silent.
    package mutating func timePassed(to now: Int64, jitter: UInt64) -> [InboxAction] {
        guard isStarted else { return [] }
        var actions: [InboxAction] = []
        if isOnline, hasConnection, now - lastMessage >= options.silenceLimit {
            lastMessage = now
            actions.append(.disconnect)
            for name in names { lose(name, at: now) }
        }
        for (index, name) in names.enumerated() {
            if let state = models[name], state.subscription == .asked, state.subscribeAt <= now {
                unsubscribed(name, at: now, jitter: jitter >> UInt64(index % 16 + 8))
            }
            guard case .asked(_, let deadline) = models[name]?.phase, deadline <= now else { continue }
            fail(name, retryAfter: nil, at: now, jitter: jitter >> UInt64(index % 16))
        }
        return actions + work(at: now)
    }

    /// Takes note whether there is a network. After its return the subscriptions and queries begin again.
    package mutating func networkChanged(isOnline: Bool, at now: Int64) -> [InboxAction] {
        let returns = isOnline && !self.isOnline
        self.isOnline = isOnline
        guard isStarted else { return [] }
        if !isOnline {
            for name in names {
                lose(name, at: now)
                if case .asked = models[name]?.phase { models[name]?.phase = .waiting(until: now) }
            }
        }
        if returns { hurry(at: now) }
        return work(at: now)
    }

    /// Takes note that there is no session; everything waits.
    package mutating func sessionLost() { hasSession = false }

    /// Takes note that there is a new token.
    package mutating func sessionRestored(at now: Int64) -> [InboxAction] {
        hasSession = true
        hurry(at: now)
        return work(at: now)
    }

    /// Takes note that the server answers again: what waits because of failures is tried at once.
    package mutating func serverReturned(at now: Int64) -> [InboxAction] {
        hurry(at: now)
        return isStarted ? work(at: now) : []
    }

    /// Has every model queried once more, for ``hasRefreshed(_:)``.
    package mutating func refresh(at now: Int64) -> [InboxAction] {
        refreshCount += 1
        for name in names { if let state = models[name] { models[name]?.wanted = min(state.wanted ?? now, now) } }
        return isStarted ? work(at: now) : []
    }

    /// The number of the latest wish for a refresh.
    package var latestRefresh: Int { refreshCount }

    /// Whether every model was queried completely since the call of ``refresh(at:)`` with this number, or is refused.
    package func hasRefreshed(_ number: Int) -> Bool {
        models.values.allSatisfy { state in
            if case .refused = state.phase { return true }
            return state.metRefresh >= number
        }
    }

    /// Whether the model is in step with the server: it was queried, and its changes are pushed.
    package func isInStep(_ name: String) -> Bool {
        guard let state = models[name] else { return false }
        return state.isSynced && state.subscription == .established
    }

    private mutating func hurry(at now: Int64) {
        lastMessage = now
        for name in names {
            models[name]?.subscribeAt = now
            if case .waiting = models[name]?.phase { models[name]?.phase = .waiting(until: now) }
        }
    }

    /// The time at which ``timePassed(to:jitter:)`` is to be called next; `nil` if nothing waits for a time.
    package var nextWake: Int64? {
        guard isStarted else { return nil }
        var times: [Int64] = []
        if isOnline, hasConnection { times.append(lastMessage + options.silenceLimit) }
        var mayQuery = isOnline && hasSession && hasReportedSubscriptions
        for name in names {
            guard let state = models[name] else { continue }
            if case .asked(_, let deadline) = state.phase { times.append(deadline) }
            if state.subscription == .asked { times.append(state.subscribeAt) }
            if isOnline, hasSession, state.subscription == .none { times.append(state.subscribeAt) }
            guard mayQuery else { continue }
            if case .waiting(let until) = state.phase { times.append(until) }
            if case .idle = state.phase, state.isSubscribed, let wanted = state.wanted { times.append(wanted) }
            // The first queries go one after the other.
            mayQuery = state.isSynced || hasReportedReady
        }
        return times.min()
    }

    /// Whether every model was queried since the start, and no query is wanted or unfinished.
    package var isIdle: Bool {
        models.values.allSatisfy { state in
            if case .refused = state.phase { return true }
            return state.wanted == nil && state.run == nil && state.isSubscribed
        }
    }

    private var hasConnection: Bool { models.values.contains { $0.subscription == .established } }
}
