internal import TidelogCore

/// The machine that receives the server's changes. It begins with subscriptions, and then makes a base or delta query for each
/// model, parents first. It is a pure state machine: the shell executes its actions, and passes events, the time and random
/// numbers to it.
package struct Inbox: Sendable {
    /// Settings of the app, and values for tests.
    package struct Options: Sendable {
        /// The largest number of records in a page.
        package var pageSize = 1_000
        /// The largest number of records that a base query of a model receives.
        package var maximumRecords = 10_000
        /// The age of the last sync in milliseconds up to which a delta query is possible.
        package var syncInterval: Int64 = 86_400_000
        /// The longest time of a query in milliseconds.
        package var timeLimit: Int64 = 30_000
        /// The number of milliseconds without a message after which a connection counts as lost.
        package var silenceLimit: Int64 = 300_000
        /// The longest time in milliseconds from a message without usable metadata to the query that follows it.
        package var unusableDelay: Int64 = 1_000
        /// The wait after failures.
        package var backoff = Backoff()
        /// A fault that a test plants.
        package var fault: PlantedFault?

        package init() {}
    }

    /// The state of one model.
    struct ModelState: Sendable {
        enum Subscription: Sendable, Hashable { case none, asked, established, refused }
        enum Phase: Sendable {
            case idle, appending, sweeping, refused
            case waiting(until: Int64)
            case asked(SyncQuery, deadline: Int64)
        }

        var subscription = Subscription.none
        /// The time at which to subscribe, or at which a requested subscription counts as failed.
        var subscribeAt: Int64 = 0
        var subscriptionFailures = 0
        /// Whether the app was told that the server refuses subscriptions of the model.
        var wasRefused = false
        var phase = Phase.idle
        /// The time at which a query is due; `nil` for none.
        var wanted: Int64?
        /// Whether the next query must be a base query.
        var mustBeBase = false
        /// Whether the model was queried since the start.
        var isSynced = false
        var failures = 0
        var lastSync: LastSync?
        /// The number of the latest requested refresh that a complete query has satisfied.
        var metRefresh = 0
        var progress: BaseProgress?
        var seen: [[UInt64]] = []
        var expression = ""
        /// The unfinished query.
        var run: Run?

        /// Whether changes are pushed from now on, or the server refused this permanently.
        var isSubscribed: Bool { subscription == .established || subscription == .refused }
    }

    /// A base or delta query, which may have several pages.
    struct Run: Sendable {
        let isBase: Bool
        let lastSync: Int64?
        var startedAt: Int64?
        var nextToken: String?
        var tokens: [String: Int] = [:]
        var unusableCount = 0
        /// Whether the query began before the current subscription, so that changes in between may be missing.
        var isResumed = false
        /// Whether the query ended because it reached the largest allowed number of records.
        var isTruncated = false
        var refusedTokens = 0
        var number: UInt64 = 0
        /// The number of the latest requested refresh when the query began.
        var refresh = 0
    }

    let options: Options
    /// The device's clock minus the time of the inputs. The time of the inputs never decreases, but the clock may. The clock is
    /// only used for the age of the last sync.
    package var clockOffset: Int64 = 0
    /// The names of the models. Parents come before their children.
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
    /// The number of refreshes that were requested.
    var refreshCount = 0

    /// Makes an inbox from the notes in the log.
    ///
    /// - Parameters:
    ///   - names: The names of the models. Parents come before their children.
    ///   - notes: The notes of the sync engine by name. A damaged note counts as missing.
    ///   - expressions: The fields and the records of each model that the queries ask for, as a text. If the text differs from
    ///     the text at the last sync, a base query follows.
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

    /// Begins with the subscriptions.
    package mutating func start(at now: Int64) -> [InboxAction] {
        isStarted = true
        lastMessage = now
        for name in names {
            models[name]?.wanted = now
            models[name]?.isSynced = false
        }
        return work(at: now)
    }

    /// Tells the inbox the time. Queries may have timed out, waits may be over, and the connection may be silent.
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

    /// Tells the inbox whether a network is available. When it returns, the subscriptions and queries begin again.
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

    /// Tells the inbox that there is no session. All work then waits.
    package mutating func sessionLost() { hasSession = false }

    /// Tells the inbox that there is a new token.
    package mutating func sessionRestored(at now: Int64) -> [InboxAction] {
        hasSession = true
        hurry(at: now)
        return work(at: now)
    }

    /// Tells the inbox that the server answers again. Work that waits because of failures is tried at once.
    package mutating func serverReturned(at now: Int64) -> [InboxAction] {
        hurry(at: now)
        return isStarted ? work(at: now) : []
    }

    /// Makes the inbox query every model once more. ``hasRefreshed(_:)`` tells when this is done.
    package mutating func refresh(at now: Int64) -> [InboxAction] {
        refreshCount += 1
        for name in names { if let state = models[name] { models[name]?.wanted = min(state.wanted ?? now, now) } }
        return isStarted ? work(at: now) : []
    }

    /// The number of the latest requested refresh.
    package var latestRefresh: Int { refreshCount }

    /// Whether every model was queried completely since the call of ``refresh(at:)`` with this number, or is refused.
    package func hasRefreshed(_ number: Int) -> Bool {
        models.values.allSatisfy { state in
            if case .refused = state.phase { return true }
            return state.metRefresh >= number
        }
    }

    /// Whether the model is up to date: it was queried, and its changes are pushed.
    package func isInStep(_ name: String) -> Bool {
        guard let state = models[name] else { return false }
        return state.isSynced && state.subscription == .established
    }

    /// The models whose last query the server refused.
    package var refusedModels: [String] {
        names.filter { if case .refused = models[$0]?.phase { true } else { false } }
    }

    private mutating func hurry(at now: Int64) {
        lastMessage = now
        for name in names {
            models[name]?.subscribeAt = now
            if case .waiting = models[name]?.phase { models[name]?.phase = .waiting(until: now) }
        }
    }

    /// The time at which ``timePassed(to:jitter:)`` must be called next; `nil` if no work waits for a time.
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
            // The first queries run one after the other.
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
