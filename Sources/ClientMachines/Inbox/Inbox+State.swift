internal import TidelogSchema

extension Inbox {
    /// The state of one model.
    struct ModelState: Sendable {
        enum Subscription: Sendable, Hashable { case none, asked, established, refused }
        enum Phase: Sendable {
            case idle, appending, sweeping, refused
            /// Records that the query did not see are asked for. This many answers are missing.
            case deciding(Sweep, left: Int)
            case waiting(until: Int64)
            case asked(Query, deadline: Int64)
        }
        /// How long queries wait for the subscriptions. If a query came before them, the changes in between would be missed, so
        /// that one more query would be needed.
        enum Patience: Sendable, Hashable {
            case unlimited
            case until(Int64)
            case over
        }

        var subscription = Subscription.none
        /// The number of the latest request for subscriptions.
        var subscriptionNumber: UInt64 = 0
        /// The time of the latest request for subscriptions.
        var subscriptionAskedAt = Int64.min
        /// The time since which the subscriptions exist.
        var subscribedAt: Int64 = 0
        /// The time at which to subscribe, or at which a requested subscription counts as failed.
        var subscribeAt: Int64 = 0
        var subscriptionFailures = 0
        /// Why the model has no subscriptions.
        var subscriptionReason = ""
        var patience = Patience.unlimited
        /// Whether a report said that the server refuses subscriptions of the model.
        var wasRefused = false
        var phase = Phase.idle
        /// The time at which a query is due; `nil` for none.
        var wanted: Int64?
        /// The time of the next query because changes are not pushed; `nil` for none.
        var intervalEnd: Int64?
        /// The number of successive queries at intervals that found no change.
        var quietCount = 0
        /// The time at which the last query ended.
        var queriedAt = Int64.min / 2
        /// Whether a query began while there were no subscriptions.
        var isUncovered = false
        /// Whether the next query must be a base query.
        var mustBeBase = false
        /// Whether the last query found most of the records missing, so that the next one decides.
        var hasSeenLoss = false
        /// Whether the model was queried since the start.
        var isSynced = false
        /// Whether the last query missed no record.
        var isComplete = false
        /// Whether there is an index by time, so that a query may ask for the changes since a time; `nil` if there is none.
        var index: IndexUse?
        /// Whether the model was queried or its query has failed since the start, so that other models do not wait for it.
        var hasPassed = false
        var failures = 0
        /// The last failure, if no answer followed it.
        var failure: QueryFailure?
        /// Whether the failure belongs to this model. Otherwise the server as a whole may be the cause.
        var isOwnFailure = false
        var hasReportedFailure = false
        /// Whether the current try came early because the server answered something else.
        var isHurried = false
        var askedAt: Int64 = 0
        /// The number of queries in succession that began again because of an unusable answer.
        var restartCount = 0
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

    /// How the queries of a model use an index by time.
    package struct IndexUse: Sendable {
        /// The models whose records are the partitions. They are queried first.
        let parents: [String]
        /// Whether the queries also find deletions, because a deleted record stays on the server.
        let findsDeletions: Bool

        package init(parents: [String], findsDeletions: Bool) {
            (self.parents, self.findsDeletions) = (parents, findsDeletions)
        }
    }

    /// A base or delta query, or a digest. It may have several pages.
    struct Run: Sendable {
        let isBase: Bool
        let lastSync: Int64?
        /// The part of each record that the pages have.
        var content = Content.records
        /// Whether the pages come from an index by time.
        var usesIndex = false
        /// The latest time in milliseconds that a record of the pages has, at a server without versions.
        var latest: Int64?
        /// The time that the pages of a delta query ask for. It may be earlier than the last sync.
        var since: Int64?
        var startedAt: Int64?
        var nextToken: String?
        var tokens: [String: Int] = [:]
        var unusableCount = 0
        /// How many records of the pages were new in the store.
        var newCount = 0
        /// Whether the query began before the current subscription, so that changes in between may be missing.
        var isResumed = false
        /// Whether the query ended because it reached the largest allowed number of records.
        var isTruncated = false
        /// Whether the pages have all records of the model, or the stamps or keys of all.
        var listsAll: Bool { isBase && !isTruncated && unusableCount == 0 }
        /// Whether the pages do not have the records.
        var isDigest: Bool { content != .records }
        var refusedTokens = 0
        /// The number of the first request; 0 before it.
        var firstNumber: UInt64 = 0
        var number: UInt64 = 0
        /// The last sync that the notes of the last page record, for a delta query.
        var noted: LastSync?
        /// The number of the latest requested refresh when the query began.
        var refresh = 0
        /// The last event before the query began.
        var receivedThrough = SequenceNumber(.max)
        /// The records whose stamps in the pages differ from the stamps in the store.
        var differing: [RecordHint] = []
        /// Whether the server gave no answer to the request for a record that no page contained.
        var hasOpenQuestion = false
    }

    /// Failures of the connection for subscriptions.
    struct ConnectionState: Sendable {
        var failures = 0
        /// The time before which no model subscribes.
        var until: Int64 = 0
        /// The time of the last failure. Models whose request came before it share the failure.
        var failedAt = Int64.min
        /// Whether the server could not be reached, so that its next answer ends the wait.
        var isUnreachable = false
        /// Whether the current try came early because the server answered something else.
        var isHurried = false
    }

    /// Queries that failed in succession, without an answer that shows that the server works.
    struct Silence: Sendable {
        var failures = 0
        /// The time before which no query is repeated.
        var probeAt: Int64 = 0
    }

    // MARK: Questions

    /// Whether the inbox waits for the answer to this query.
    package func waits(for query: Query) -> Bool {
        if case .asked(query, _)? = models[query.model]?.phase { true } else { false }
    }

    /// Whether the inbox waits for the answer to the request for this record.
    package func waits(for query: RecordQuery) -> Bool { questions.isAsked(query) }

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

    /// Whether every model was queried since the start, and no query or request for a record is wanted or unfinished. Queries
    /// at intervals do not count.
    package var isIdle: Bool { questions.isEmpty && models.values.allSatisfy { isIdle($0) } }

    /// Whether every model has its subscriptions, or the server refuses them.
    package var isSubscribed: Bool { models.values.allSatisfy { $0.isSubscribed } }

    /// Whether some models have failed several times in succession, and no model makes progress: each of them is idle, or waits
    /// for its next try after failures that belong to it alone.
    package var isHeldUp: Bool {
        var isFailing = false
        for state in models.values where !isIdle(state) {
            guard state.isOwnFailure, state.failures >= options.patientTries else { return false }
            isFailing = true
        }
        return isFailing
    }

    private func isIdle(_ state: ModelState) -> Bool {
        if case .refused = state.phase { return true }
        return state.wanted == nil && state.run == nil && mayQuery(state)
    }

    /// The failing models, with the last error of each.
    package var failingModels: [String: String] {
        var failing: [String: String] = [:]
        for name in names { if let failure = condition(of: name).failure { failing[name] = failure } }
        return failing
    }

    /// The condition of a model, for the status.
    package struct Condition: Sendable, Hashable {
        /// The last failure of the model's queries, if no answer followed it; without failures of the whole server.
        package var failure: String?
        /// The number of such failures in succession.
        package var failureCount = 0
        /// The time of the next try or of the next query at intervals, if one is due.
        package var nextQuery: Int64?
        /// Whether the model is queried at intervals, because the server does not push its changes.
        package var isAtIntervals = false
    }

    package func condition(of name: String) -> Condition {
        guard let state = models[name] else { return Condition() }
        var condition = Condition()
        condition.isAtIntervals = isAtIntervals(state)
        if let failure = state.failure, state.isOwnFailure {
            (condition.failure, condition.failureCount) = (failure.reason, state.failures)
        }
        if condition.isAtIntervals || condition.failure != nil { condition.nextQuery = queryTime(of: state) }
        return condition
    }

    // MARK: Times

    /// Whether a query of the model does not wait for the model's subscriptions.
    func mayQuery(_ state: ModelState) -> Bool {
        !wantsSubscriptions || state.isSubscribed || state.patience == .over
    }

    /// The time at which the model's next query or page is due.
    func queryTime(of state: ModelState) -> Int64? {
        switch state.phase {
        case .idle:
            guard mayQuery(state), !awaitsParents(state) else { return nil }
            return [state.wanted, state.intervalEnd].compactMap { $0 }.min()
        case .waiting(let until):
            guard isHeldBySilence(state) else { return until }
            // One query at a time tests whether the server answers again.
            return isProbing ? nil : max(until, silence.probeAt)
        case .appending, .sweeping, .deciding, .refused, .asked: return nil
        }
    }

    /// Whether the model's next query needs the parents that other queries are receiving. When they end, this query begins.
    private func awaitsParents(_ state: ModelState) -> Bool {
        guard state.lastSync != nil, let index = state.index else { return false }
        return index.parents.contains { name in
            switch models[name]?.phase {
            case .asked, .appending, .sweeping, .deciding: true
            case .idle, .waiting, .refused, nil: false
            }
        }
    }

    var hasConnection: Bool { models.values.contains { $0.subscription == .established } }
}
