package import TidelogSchema

extension SyncMachine {
    /// An action that the machine requests from the shell. Most have a ``Result`` of the same name.
    package enum Action: Sendable {
        /// Take the lease of the store, which one engine of a process has.
        case takeLease
        /// Let another engine of the process sync the store.
        case giveUpLease
        /// Read the store's content, and follow its log.
        case open(SyncIdentity)
        /// End every request and subscription. Nothing is written after that.
        case close
        /// Wait until the suspended store is open again. The input `resumed` follows then.
        case awaitResumption
        /// Count the pending changes.
        case countPending
        /// Count the set-aside changes.
        case countSetAside
        /// Read the log's new events.
        case readLog
        /// Send a request. Its answer is an input.
        case request(Request, life: Int)
        /// End the request for the subscriptions of a model, and the subscriptions that were begun for it.
        case unsubscribe(model: String)
        /// End the connection for subscriptions.
        case disconnect
        /// Read the rows and server states from which mutations are made.
        case prepare([Outbox.Preparation])
        /// Append in one write.
        case append(Append)
        /// Append pushed records in one write.
        case receivePushes([ServerRecord])
        /// Append a page and its notes in one write.
        case receivePage(Inbox.PageAppend)
        /// Append the answers to requests for single records.
        case receiveRecords([Inbox.RecordAnswer])
        /// Remove the records that no page of a base query contained.
        case sweep(Inbox.Sweep)
        /// Decide a conflict, or let the app decide it.
        case decide(SyncConflict, slot: Int, life: Int)
        /// End changes that cancel each other out.
        case settle(RecordReference, through: SequenceNumber, slot: Int)
        /// Add the pending changes of a record to its set-aside change.
        case join(RecordReference)
        /// Move the outbox's position to the end of the log, because nothing is pending.
        case advance(to: Position)
        /// Note the protocol that the server uses.
        case choose(SyncProtocol)
        /// Tell the store whether it has everything of a model.
        case setSynced(Bool, model: String)
        /// Tell the app.
        case tell(Message)
        /// Pass the report to the waiting calls with these numbers. The shell adds the facts that it reads from the store.
        case finish(goals: [UInt64], SyncReport)
        /// Let these calls of `stop` return.
        case finishStops([UInt64])
        /// Pass the input `timePassed` at this time.
        case wake(at: Int64)
    }

    /// A request to the server, or to the provider of tokens.
    package enum Request: Sendable {
        /// Name the person whose records are synced.
        case identity
        /// Send the mutations, in this order.
        case mutations([OutgoingMutation], [Outbox.Ticket])
        case fetch(RecordReference, Outbox.Ticket)
        case page(Inbox.Query)
        /// Ask for these records, which may be of different models.
        case records([Inbox.RecordQuery])
        case subscribe(Inbox.SubscriptionRequest, connection: Int)
    }

    /// A message to the app.
    package enum Message: Sendable {
        case event(SyncEvent)
        /// This many events were not made, because no receiver had room for them.
        case missed(Int)
        case failure(SyncError)
        case notice(Notice)
        case status(SyncStatus)
    }

    /// A step of the engine that a measurement must receive at once.
    package enum Notice: Sendable {
        case report(Lifecycle.Report)
        /// A page with `count` records of the model arrived.
        case received(model: String, count: Int)
        /// The server answered changes.
        case sent(count: Int)
        /// The server gave no usable answer.
        case failed(RequestFailure)
    }

    /// Notes and answers that one write appends.
    package struct Append: Sendable {
        /// The server's answers to mutations.
        package var answers: [Outbox.Answer] = []
        /// The failed tries of mutations, by slot.
        package var tries: [Int: FailedTries] = [:]
        /// The marks of mutations that are sent next, by slot.
        package var marks: [Int: SentMark] = [:]

        package init() {}

        package var isEmpty: Bool { answers.isEmpty && tries.isEmpty && marks.isEmpty }
    }

    // MARK: Taking actions

    /// Takes the actions that follow from the inputs and results so far; empty if there are none. Writes that can be made
    /// together are one action.
    package mutating func nextActions() -> [Action] {
        if mustReadLog, outbox != nil {
            mustReadLog = false
            return [.readLog]
        }
        mustReadLog = false
        if let records = takePushes() { return [.receivePushes(records)] }
        while !steps.isEmpty || !held.isEmpty {
            let actions = takeSteps()
            if !actions.isEmpty { return actions }
        }
        // Requests may have ended without leading to further steps.
        let requests = takeBatches()
        guard requests.isEmpty else { return requests }
        guard setAsideCount == .stale else { return [] }
        setAsideCount = .known
        return [.countSetAside]
    }

    /// Takes the present steps. They may lead to further steps instead of actions.
    private mutating func takeSteps() -> [Action] {
        var round = Round(append: held)
        held = Append()
        var rest = steps[...]
        steps = []
        while let step = rest.first {
            // Earlier requests are executed before the machines are made or end.
            if case .lifecycle(let action) = step, action.concernsMachines, !round.isEmpty { break }
            rest.removeFirst()
            take(step, &round)
        }
        steps = rest + steps
        // The marks of the prepared mutations are written together with the answers.
        if !round.preparations.isEmpty { (held, round.append) = (round.append, Append()) }
        // The requests are on their way while the shell reads and writes.
        return takeBatches() + round.actions + requests(round.queries)
    }

    /// The requests for single records.
    private func requests(_ queries: [Inbox.RecordQuery]) -> [Action] {
        let size = settings.inbox.recordsPerRequest
        return stride(from: 0, to: queries.count, by: size).map { start in
            .request(.records(Array(queries[start..<min(start + size, queries.count)])), life: life)
        }
    }

    /// The requests for mutations that may be sent now. Without a session, mutations wait.
    private mutating func takeBatches() -> [Action] {
        guard let outbox, session == .present else { return [] }
        return batches.take(at: now, timeLimit: settings.outbox.timeLimit) { outbox.waits(for: $0) }
            .map { .request($0, life: life) }
    }

    /// Collects the actions of one round.
    private struct Round {
        var append: Append
        var preparations: [Outbox.Preparation] = []
        var records: [Inbox.RecordAnswer] = []
        /// The records that the server is asked for.
        var queries: [Inbox.RecordQuery] = []
        var single: [Action] = []

        var isEmpty: Bool {
            append.isEmpty && preparations.isEmpty && records.isEmpty && queries.isEmpty && single.isEmpty
        }

        var actions: [Action] {
            var actions = single
            if !append.isEmpty { actions.append(.append(append)) }
            if !records.isEmpty { actions.append(.receiveRecords(records)) }
            if !preparations.isEmpty { actions.append(.prepare(preparations)) }
            return actions
        }
    }

    private mutating func take(_ step: Step, _ round: inout Round) {
        switch step {
        case .lifecycle(let action): take(action, &round)
        case .outbox(let action): if outbox != nil { take(action, &round) }
        case .inbox(let action): if inbox != nil { take(action, &round) }
        case .other(let action): round.single.append(action)
        }
    }

    private mutating func take(_ action: Lifecycle.Action, _ round: inout Round) {
        switch action {
        case .open: round.single.append(open())
        case .startOutbox:
            let now = now
            hasOutboxStarted = true
            tellOutbox { $0.start(at: now) }
        case .close:
            close()
            round.single.append(.close)
        case .awaitResumption: round.single.append(.awaitResumption)
        case .report(let report):
            note(report)
            add(.tell(.notice(.report(report))))
            if report == .stopped { stopped() }
        }
    }

    private mutating func take(_ action: Outbox.Action, _ round: inout Round) {
        switch action {
        case .prepare(let preparation): round.preparations.append(preparation)
        case .mark(let marks): round.append.marks.merge(marks) { $1 }
        case .answer(let answer): round.append.answers.append(answer)
        case .noteTries(let slot, let reference, let tries):
            round.append.tries[slot] = tries
            note(tries, of: reference)
        case .send(let mutation, let ticket): batches.add(mutation, ticket)
        case .fetch(let reference, let ticket): round.single.append(.request(.fetch(reference, ticket), life: life))
        case .resolve(let conflict, let slot): round.single.append(.decide(conflict, slot: slot, life: life))
        case .settle(let reference, let last, let slot):
            round.single.append(.settle(reference, through: last, slot: slot))
        case .join(let reference): round.single.append(.join(reference))
        case .advance(let position): round.single.append(.advance(to: position))
        case .refreshSession: refreshSession()
        }
    }

    private mutating func take(_ action: Inbox.Action, _ round: inout Round) {
        switch action {
        case .subscribe(let request):
            subscribing[request.model] = request
            round.single.append(.request(.subscribe(request, connection: connection), life: life))
        case .unsubscribe(let request):
            guard subscribing[request.model] == request else { return }
            subscribing[request.model] = nil
            round.single.append(.unsubscribe(model: request.model))
        case .query(let query): round.single.append(.request(.page(query), life: life))
        case .append(let page): round.single.append(.receivePage(page))
        case .sweep(let sweep): round.single.append(.sweep(sweep))
        case .get(let query): round.queries.append(query)
        case .settle(let answer): round.records.append(answer)
        case .refreshSession: refreshSession()
        case .report(let report):
            note(report)
            add(lifecycle.inboxReported(report))
        }
    }

    private mutating func stopped() {
        assert(outbox == nil && inbox == nil, "a stopped engine has no work")
        add(.giveUpLease)
        metStops += stops
        stops = []
    }

    /// The shortest time in milliseconds from the begin of a turn to the begin of the next one. Inputs that come in between
    /// share a turn and its write. The time is short while work waits for answers, or a call of the app waits for the work.
    package var turnInterval: Int64 {
        guard lifecycle.state == .active, goals.isEmpty, let outbox, let inbox else { return 2 }
        return inbox.isIdle && !outbox.isFull ? 10 : 2
    }

    /// Ends a turn, after its last action: the app receives the status, and calls that have waited for the machine return.
    package mutating func endTurn() -> [Action] {
        assert(steps.isEmpty && !mustReadLog, "a turn ends when nothing is left to do")
        if setAsideCount == .unreadable { setAsideCount = .stale }
        updateStatus()
        var actions = [Action.tell(.status(status))]
        if missedCount > 0 { actions.append(.tell(.missed(missedCount))) }
        missedCount = 0
        if isEnding { metStops += stops }
        if !metStops.isEmpty { actions.append(.finishStops(metStops)) }
        metStops = []
        actions += checkGoals()
        if !isEnding, let time = nextWake { actions.append(.wake(at: time)) }
        return actions
    }
}

extension Lifecycle.Action {
    /// Whether the action makes the outbox and the inbox, or ends them.
    fileprivate var concernsMachines: Bool {
        switch self {
        case .open, .close: true
        case .startOutbox, .awaitResumption, .report: false
        }
    }
}
