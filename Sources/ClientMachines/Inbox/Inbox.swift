package import TidelogSchema

/// The machine that receives the server's changes. It begins with subscriptions, and then makes a base or delta query for each
/// model, parents first. A model without subscriptions is queried at intervals. It is a pure state machine: the shell executes
/// its actions, and passes events, the time and random numbers to it.
package struct Inbox: Sendable {
    /// Settings of the app, and values for tests.
    package struct Options: Sendable {
        /// The largest number of records in a page.
        package var pageSize = 1_000
        /// The largest number of records that a base query of a model receives.
        package var maximumRecords = 10_000
        /// The age of the last sync in milliseconds up to which a delta query is possible.
        package var syncInterval: Int64 = 86_400_000
        /// The longest time of a query, or of the request for a model's subscriptions, in milliseconds.
        package var timeLimit: Int64 = 30_000
        /// The longest time in milliseconds that a model's query waits for the model's subscriptions.
        package var subscriptionPatience: Int64 = 5_000
        /// The age of a subscription in milliseconds from which its loss is no failure. Younger subscriptions that are lost
        /// are requested again after a growing wait.
        package var stableAge: Int64 = 60_000
        /// The longest time in milliseconds from a message without usable metadata to the query that follows it.
        package var unusableDelay: Int64 = 1_000
        /// The time in milliseconds between two queries of a model without subscriptions. It doubles with each query that
        /// finds no change.
        package var interval: Int64 = 60_000
        /// The longest such time in milliseconds.
        package var maximumInterval: Int64 = 600_000
        /// The shortest such time in milliseconds, after the server took a change of the model.
        package var minimumInterval: Int64 = 5_000
        /// The number of failures of a model in succession after which a single run of a sync does not wait for it.
        package var patientTries = 5
        /// How long before a query a change may have been made that the query does not see, in milliseconds. It also covers
        /// the difference between the clocks of a server's computers.
        package var staleness: Int64 = 60_000
        /// The largest number of requests for single records at the same time.
        package var maximumRecordRequests = 8
        /// The largest number of records to ask for because of pushes and responses. If there are more, a query asks for them.
        package var maximumHints = 500
        /// The largest number of records to ask for with one request.
        package var recordsPerRequest = 25
        /// The wait after failures.
        package var backoff = Backoff()
        /// Whether the server's records have versions, and its API has sync queries. Without them, a stamp tells the states of
        /// a record apart (``RecordStamp``), and a query after the first one lists the stamps.
        package private(set) var hasVersions = true

        package init() {}

        /// Sets the options for a server without versions.
        package mutating func leaveVersions() {
            hasVersions = false
            // Every message that may lack values leads to a request for its record.
            (unusableDelay, maximumHints, maximumRecordRequests) = (200, 20_000, 8 * recordsPerRequest)
        }
    }

    let options: Options
    /// The device's clock minus the time of the inputs. The time of the inputs never decreases, but the clock may. The clock is
    /// only used for the age of the last sync.
    package var clockOffset: Int64 = 0
    /// The last event that the machines have read.
    package var head = SequenceNumber.zero
    /// Whether the server's pushes and responses have every value, and its queries see every earlier change. Its responses say
    /// so.
    package var isServerExact = false
    /// The names of the models. Parents come before their children.
    let names: [String]
    var models: [String: ModelState] = [:]
    var isStarted = false
    /// Whether the server is asked to push changes. A single run of a sync does not need that.
    var wantsSubscriptions = true
    var isOnline = true
    var hasSession = true
    var hasReportedSubscriptions = false
    var hasReportedIntervals = false
    var hasReportedQueries = false
    var hasReportedSending = false
    var hasReportedReady = false
    var queryCount: UInt64 = 0
    var subscriptionCount: UInt64 = 0
    /// The number of refreshes that were requested.
    var refreshCount = 0
    /// The failures of the connection for subscriptions, which all models share.
    var connection = ConnectionState()
    /// The failures of queries for which the server as a whole may be the cause.
    var silence = Silence()
    /// The time of the last answer that shows that the server works.
    var lastAnswer = Int64.min
    /// Increases with each change of ``condition(of:)``.
    package internal(set) var conditionCount = 0
    var questions = RecordQuestions()

    /// Makes an inbox from the notes in the log.
    ///
    /// - Parameters:
    ///   - names: The names of the models. Parents come before their children.
    ///   - notes: The notes of the sync engine by name. A damaged note counts as missing.
    ///   - indexes: How the queries of models use an index by time.
    ///   - expressions: The fields and the records of each model that the queries ask for, as a text. If the text differs from
    ///     the text at the last sync, a base query follows.
    package init(
        _ names: [String], notes: [String: [UInt8]], indexes: [String: IndexUse] = [:],
        expressions: [String: String] = [:], options: Options = Options()
    ) {
        (self.names, self.options) = (names, options)
        for name in names {
            var state = ModelState()
            state.expression = expressions[name] ?? ""
            if !options.hasVersions { state.index = indexes[name] }
            state.lastSync = notes[NoteName.lastSync(name)].flatMap { LastSync(encoded: $0) }
            state.progress = notes[NoteName.progress(name)].flatMap { BaseProgress(encoded: $0) }
            if let progress = state.progress {
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

    /// Begins.
    ///
    /// - Parameter subscribing: Whether the server is asked to push changes. Without that, each model is queried once.
    package mutating func start(subscribing: Bool = true, at now: Int64) -> [Action] {
        assert(!isStarted, "an inbox starts once")
        isStarted = true
        wantsSubscriptions = subscribing
        for name in names {
            models[name]?.wanted = now
            models[name]?.isSynced = false
        }
        return work(at: now)
    }

    /// Tells the inbox the time. Queries may have timed out, and waits may be over.
    package mutating func timePassed(to now: Int64, jitter: UInt64) -> [Action] {
        guard isStarted else { return [] }
        var actions: [Action] = []
        for (index, name) in names.enumerated() {
            actions += subscriptionTimePassed(name, at: now, jitter: jitter >> UInt64(index % 16 + 8))
            guard case .asked(_, let deadline) = models[name]?.phase, deadline <= now else { continue }
            let failure = QueryFailure(reason: "The server gave no answer in time.", reach: .nothing)
            actions += fail(name, failure, at: now, jitter: jitter >> UInt64(index % 16))
        }
        for query in questions.late(at: now) { actions += failed(query, retryAfter: nil, at: now, jitter: jitter) }
        return actions + work(at: now)
    }

    /// Tells the inbox whether a network is available. When it returns, the subscriptions and queries begin again.
    package mutating func networkChanged(isOnline: Bool, at now: Int64) -> [Action] {
        let returns = isOnline && !self.isOnline
        self.isOnline = isOnline
        guard isStarted else { return [] }
        if !isOnline {
            questions.release(at: now)
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

    /// Tells the inbox that there is a new token. The server may have refused the former one.
    package mutating func sessionRestored(at now: Int64) -> [Action] {
        hasSession = true
        hurrySubscriptions(at: now)
        return serverReturned(at: now)
    }

    /// Tells the inbox that the server answers again. Work that waits because the server gave no answer is tried at once.
    package mutating func serverReturned(at now: Int64) -> [Action] {
        serverAnswered(at: now)
        return isStarted ? work(at: now) : []
    }

    /// Makes the inbox query every model again. ``hasRefreshed(_:)`` tells when this is done.
    package mutating func refresh(at now: Int64) -> [Action] {
        refreshCount += 1
        for name in names { if let state = models[name] { models[name]?.wanted = min(state.wanted ?? now, now) } }
        return isStarted ? work(at: now) : []
    }

    /// Starts all work that may be done now.
    mutating func work(at now: Int64) -> [Action] {
        guard isStarted, isOnline, hasSession else { return [] }
        let actions = (wantsSubscriptions ? subscriptions(at: now) : []) + getRecords(at: now)
        // The first queries begin when every model has its subscriptions, or does not wait for them any more.
        guard hasReportedQueries || models.values.allSatisfy({ mayQuery($0) }) else { return actions }
        return actions + queries(at: now)
    }

    /// The time at which ``timePassed(to:jitter:)`` must be called next; `nil` if no work waits for a time.
    package var nextWake: Int64? {
        guard isStarted else { return nil }
        var times: [Int64] = []
        if isOnline, hasSession, let time = questions.nextWake(limit: options.maximumRecordRequests) {
            times.append(time)
        }
        let mayWork = isOnline && hasSession
        var mayQuery = mayWork && (hasReportedQueries || models.values.allSatisfy { self.mayQuery($0) })
        for name in names {
            guard let state = models[name] else { continue }
            if case .asked(_, let deadline) = state.phase { times.append(deadline) }
            if state.subscription == .asked { times.append(state.subscribeAt) }
            if mayWork, wantsSubscriptions {
                if state.subscription == .none { times.append(max(state.subscribeAt, connection.until)) }
                if case .until(let end) = state.patience { times.append(end) }
            }
            guard mayQuery else { continue }
            if let time = queryTime(of: state) { times.append(time) }
            // The first queries run one after the other.
            mayQuery = state.hasPassed || hasReportedReady
        }
        return times.min()
    }
}
