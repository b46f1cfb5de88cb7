internal import TidelogSchema

/// The machine of the sync engine: it decides everything that the engine does. It owns the lifecycle, the outbox, the inbox,
/// and the rules that concern all of them, such as when the server counts as gone. It is a pure state machine: ``SyncShell``
/// passes inputs to it, and executes the actions that it requests.
///
/// A turn begins with ``handle(_:at:)`` for each new input. Then the shell takes actions with ``nextActions()`` and passes
/// their results back, until no action is left. The turn ends with ``endTurn()``.
package struct SyncMachine: Sendable {
    /// The settings of the app, and values for tests.
    package struct Settings: Sendable {
        package var models: SyncModels
        /// The protocol that the app asks for.
        package var syncProtocol = SyncProtocol.versioned
        package var startup = Lifecycle.Startup.automatic
        package var inbox = Inbox.Options()
        package var outbox = Outbox.Options()
        /// The largest number of mutations in a request.
        package var mutationsPerRequest = MutationBatches.defaultSize
        /// How often credentials that the server refuses are tried again before a single run of a sync gives up.
        package var credentialTries = 5

        package init(_ models: SyncModels) { self.models = models }
    }

    /// The time of an input.
    package struct Moment: Sendable {
        /// The milliseconds since any fixed time. They never decrease.
        package var now: Int64
        /// The device's clock minus `now`, in milliseconds. The clock may be set back.
        package var clockOffset: Int64

        package init(now: Int64, clockOffset: Int64) { (self.now, self.clockOffset) = (now, clockOffset) }
    }

    /// A raw action of one of the machines, in the order in which it was requested.
    enum Step: Sendable {
        case lifecycle(Lifecycle.Action)
        case outbox(Outbox.Action)
        case inbox(Inbox.Action)
        case other(Action)
    }

    let settings: Settings
    var moment = Moment(now: 0, clockOffset: 0)
    private var random: UInt64
    package internal(set) var outbox: Outbox?
    package internal(set) var inbox: Inbox?
    var lifecycle: Lifecycle
    /// The steps that were not executed yet.
    var steps: [Step] = []
    /// Notes and answers that are written together with the marks of mutations that are being prepared.
    var held = Append()
    var hasOutboxStarted = false
    /// The number of the current start. Answers to an earlier start are ignored.
    package internal(set) var life = 0
    /// The number of the current connection for subscriptions. Messages of an earlier connection are ignored.
    package internal(set) var connection = 0
    /// Whether the log may have events that the machines have not read.
    var mustReadLog = false
    /// The pushed records that were not written yet.
    var pushed: [ServerRecord] = []
    /// Pushed records that wait for the response to a mutation of the same record.
    var heldPushes: [RecordReference: ServerRecord] = [:]
    /// The requests for subscriptions that were not ended, by model.
    package internal(set) var subscribing: [String: Inbox.SubscriptionRequest] = [:]
    /// Whether the server's records can be relied on, according to its last response.
    var isServerExact = false
    /// The protocol in use; `automatic` until the server has decided.
    package internal(set) var syncProtocol: SyncProtocol
    /// The mutations that are sent together.
    var batches: MutationBatches
    var reachability = Reachability()
    var session = Session.present
    /// How often the server has refused the credentials since it accepted them last.
    var credentialFailures = 0
    /// The server, and the person whose records are synced; `nil` until the provider of tokens has named the person.
    var identity: SyncIdentity?
    /// The time at which the pending changes are counted if the person is not known by then.
    var countTime: Int64?
    var standing = Standing.apart
    /// Whether the engine runs for a single sync, so that it asks for no pushed changes.
    var isSingleRun = false
    var goals: [StartedGoal] = []
    /// The calls of `stop` that wait for the engine's end.
    var stops: [UInt64] = []
    /// The calls of `stop` that return as soon as the status is `stopped`.
    var metStops: [UInt64] = []
    /// Whether the engine was deallocated.
    package internal(set) var isEnding = false
    var report = SyncReport()
    var status: SyncStatus
    /// How the records of each model changed since its last query began.
    var changeCounts: [String: ChangeCounts] = [:]
    var setAsideCount = SetAsideCount.stale
    /// Whether the first queries have begun since the engine was started.
    var isQuerying = false
    /// The number of the inbox's conditions that the status shows.
    var shownConditionCount = -1
    /// Whether the app receives events. Otherwise they are only counted.
    package var isHeard = true
    /// How many events of the turn were not made.
    var missedCount = 0
    /// Whether the app received the event of a start, and not yet the event of the end.
    var isRunning = false

    /// - Parameters:
    ///   - status: The status before the first turn.
    ///   - seed: The seed of the random numbers that spread waits.
    package init(_ settings: Settings, status: SyncStatus, seed: UInt64) {
        self.settings = settings
        self.status = status
        random = seed
        syncProtocol = settings.syncProtocol
        batches = MutationBatches(size: settings.mutationsPerRequest)
        // The first answer of the server shows that there is a network.
        lifecycle = Lifecycle(settings.startup, isOnline: false)
    }

    var now: Int64 { moment.now }

    /// The next random number (SplitMix64).
    mutating func jitter() -> UInt64 {
        random &+= 0x9E37_79B9_7F4A_7C15
        var mixed = random
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    // MARK: Inputs

    /// Handles an input. The actions that follow from it are taken with ``nextActions()``.
    package mutating func handle(_ input: Input, at moment: Moment) {
        assert(moment.now >= self.moment.now, "the time never decreases")
        self.moment = moment
        switch input {
        case .start(let isSingleRun): begin(isSingleRun: isSingleRun)
        case .stop(let call): stop(call)
        case .await(let goal): begin(goal)
        case .giveUp(let goal): giveUp(goal)
        case .leaseFree: if standing == .following { begin() } else { add(.giveUpLease) }
        case .network(let isAvailable): networkChanged(isAvailable: isAvailable)
        case .timePassed: timePassed()
        case .logNoticed: mustReadLog = true
        case .answer(let answer, let life): if life == self.life { handle(answer) }
        case .pushed(let push): received(push)
        case .failed(let error): fail(error)
        case .resumed: add(lifecycle.resumed())
        case .end:
            isEnding = true
            add(lifecycle.stop())
        case .result(let result): handle(result)
        }
    }

    /// Starts for the app. If the engine runs for a single sync, it also asks for pushed changes from now on, unless this start
    /// is for a single sync too.
    private mutating func begin(isSingleRun: Bool) {
        let hasStarted = lifecycle.state != .stopped || standing != .apart
        self.isSingleRun = isSingleRun && (!hasStarted || self.isSingleRun)
        let now = now
        if !self.isSingleRun { tellInbox { $0.subscribe(at: now) } }
        begin()
    }

    /// Starts when no other engine syncs the store.
    private mutating func begin() {
        guard lifecycle.state == .stopped else {
            askForSession()
            return add(lifecycle.start())
        }
        guard standing != .takingLease else { return }
        standing = .takingLease
        add(.takeLease)
    }

    mutating func leaseAnswered(isTaken: Bool) {
        // A call of `stop` may have come in the meantime.
        guard standing == .takingLease else {
            if isTaken { add(.giveUpLease) }
            return
        }
        standing = isTaken ? .apart : .following
        if isTaken { add(lifecycle.start()) }
    }

    private mutating func stop(_ call: UInt64) {
        assert(!stops.contains(call), "a call has a number of its own")
        stops.append(call)
        standing = .apart
        add(lifecycle.stop())
    }

    private mutating func networkChanged(isAvailable: Bool) {
        let now = now
        reachability.isNetworkAvailable = isAvailable
        // The next answer of the server shows whether it can be reached.
        if !isAvailable { add(lifecycle.networkChanged(isOnline: false, at: now)) }
        tellOutbox { $0.networkChanged(isOnline: isAvailable, at: now) }
        tellInbox { $0.networkChanged(isOnline: isAvailable, at: now) }
        guard !isAvailable else { return }
        disconnect()
    }

    /// Tells the machines the time. Waits may be over, and requests may have timed out.
    private mutating func timePassed() {
        let (now, inboxJitter, outboxJitter) = (now, jitter(), jitter())
        add(lifecycle.timePassed(to: now))
        if let time = countTime, time <= now { countPending() }
        if case .awaited(let time) = session, time <= now { askForSession() }
        tellInbox { $0.timePassed(to: now, jitter: inboxJitter) }
        if hasOutboxStarted { tellOutbox { $0.timePassed(to: now, jitter: outboxJitter) } }
    }

    /// Handles a failure that ends the engine, which starts again later if its startup is automatic.
    mutating func fail(_ error: any Error) {
        (steps, held) = ([], Append())
        pushed = []
        let code = (error as? DataStoreError)?.code
        if code == .storeCleared { return add(lifecycle.restart(at: now)) }
        let failure = SyncError.store(error)
        report.failure = failure
        if code == .suspended { return add(lifecycle.pause()) }
        tell(failure)
        add(lifecycle.failed("\(error)", at: now, jitter: jitter()))
    }

    // MARK: Machines

    mutating func add(_ new: [Lifecycle.Action]) { steps += new.map { .lifecycle($0) } }

    mutating func add(_ action: Action) { steps.append(.other(action)) }

    mutating func tellOutbox(_ body: (inout Outbox) -> [Outbox.Action]) {
        // The machine is moved out of its variable for the call, so that it is not copied.
        guard var outbox = outbox.take() else { return }
        outbox.clockOffset = moment.clockOffset
        let new = body(&outbox)
        self.outbox = consume outbox
        steps += new.map { .outbox($0) }
    }

    mutating func tellInbox(_ body: (inout Inbox) -> [Inbox.Action]) {
        guard var inbox = inbox.take() else { return }
        inbox.clockOffset = moment.clockOffset
        if let head = outbox?.pending.head.sequence { inbox.head = head }
        let new = body(&inbox)
        self.inbox = consume inbox
        steps += new.map { .inbox($0) }
    }

    // MARK: Starts and ends

    /// Prepares a start. Before the machines are made, the provider of tokens must name the person whose records are synced.
    mutating func open() -> Action {
        report = SyncReport()
        resetStatus()
        reachability.isFailing = false
        isQuerying = false
        setAsideCount = .stale
        shownConditionCount = -1
        guard let identity else {
            countTime = now + Self.countDelay
            return .request(.identity, life: life)
        }
        countTime = nil
        return .open(identity)
    }

    /// Makes the machines from the content of the log, and starts the inbox.
    mutating func opened(_ contents: Contents) {
        guard lifecycle.state == .starting else { return }
        assert(outbox == nil && inbox == nil, "a start makes the machines once")
        assert(identity != nil, "a store is opened for a person and a server")
        let now = now
        batches = MutationBatches(size: settings.mutationsPerRequest)
        var (options, inboxOptions) = (settings.outbox, settings.inbox)
        options.hold(batches)
        syncProtocol = contents.syncProtocol
        (status.protocol, report.protocol) = (syncProtocol, syncProtocol)
        if !syncProtocol.hasVersions {
            options.leaveVersions()
            inboxOptions.leaveVersions()
        }
        outbox = Outbox(
            settings.models, pending: contents.pending, position: contents.position, marks: contents.marks,
            tries: contents.tries, options: options)
        inbox = Inbox(
            settings.models.names, notes: contents.notes, indexes: settings.models.indexUses,
            expressions: contents.questions, options: inboxOptions)
        inbox?.isServerExact = isServerExact
        hasOutboxStarted = false
        (reachability.lastAnswer, reachability.lastProgress) = (now, now)
        changeCounts = [:]
        for index in goals.indices { goals[index].refresh = nil }
        add(lifecycle.opened(isOutboxEmpty: contents.pending.count == 0))
        if !reachability.isNetworkAvailable {
            tellOutbox { $0.networkChanged(isOnline: false, at: now) }
            tellInbox { $0.networkChanged(isOnline: false, at: now) }
        }
        let isSingleRun = isSingleRun
        tellInbox { $0.start(subscribing: !isSingleRun, at: now) }
    }

    /// Forgets every request and subscription. Their answers are ignored from now on.
    mutating func close() {
        life += 1
        connection += 1
        outbox = nil
        inbox = nil
        hasOutboxStarted = false
        batches = MutationBatches(size: settings.mutationsPerRequest)
        (pushed, held) = ([], Append())
        heldPushes = [:]
        subscribing = [:]
        (identity, countTime) = (nil, nil)
        session = .present
        credentialFailures = 0
    }

    mutating func closed() {
        assert(outbox == nil && inbox == nil, "nothing is written after the end")
        for name in settings.models.names { setSynced(false, name) }
        _ = lifecycle.networkChanged(isOnline: false, at: now)
        add(lifecycle.closed(at: now))
    }

    /// Ends the connection for subscriptions.
    mutating func disconnect() {
        connection += 1
        for name in settings.models.names { setSynced(false, name) }
        add(.disconnect)
    }

    // MARK: State

    /// The pending changes, as far as the log was read; `nil` if the engine does not run.
    package var pending: PendingChanges? { outbox?.pending }

    /// The time at which the input `timePassed` must come next; `nil` if no work waits for a time.
    package var nextWake: Int64? {
        var times = [inbox?.nextWake, lifecycle.nextWake, countTime]
        if hasOutboxStarted { times.append(outbox?.nextWake) }
        if case .awaited(let time) = session { times.append(time) }
        for goal in goals {
            times.append(goal.deadline)
            times.append(goal.limit(lastProgress: reachability.lastProgress))
        }
        return times.compactMap { $0 }.min()
    }

    /// Whether nothing waits to be sent or received.
    package var isIdle: Bool { (outbox?.isEmpty ?? false) && (inbox?.isIdle ?? false) }
}

extension SyncMachine {
    /// Whether the engine syncs the store, or another engine of this process does.
    enum Standing: Sendable, Hashable {
        /// The engine does not wait for the lease of the store. It syncs if its lifecycle runs.
        case apart
        /// The app has started the engine, and the shell tries to take the lease.
        case takingLease
        /// Another engine has the lease. This engine starts when that engine ends.
        case following
    }

    /// Whether there is a session with which requests are made.
    enum Session: Sendable, Hashable {
        case present
        /// All work waits until this time. Then the provider of tokens is asked again.
        case awaited(until: Int64)
    }

    /// How many set-aside changes there are, as far as the status shows it.
    enum SetAsideCount: Sendable, Hashable {
        case known
        /// The number may have changed.
        case stale
        /// The number could not be read. The next turn tries it again.
        case unreadable
    }

    /// The facts about the connection to the server.
    struct Reachability: Sendable {
        /// Whether the system has a network, as far as the app says.
        var isNetworkAvailable = true
        /// The time of the server's last answer.
        var lastAnswer: Int64 = 0
        /// The time at which something was received or answered last.
        var lastProgress: Int64 = 0
        var lastFailure: RequestFailure?
        /// Whether requests have failed since the server answered last.
        var isFailing = false
        /// The time at which waits were last cut short because the server answered again.
        var lastHurry = Int64.min / 2
    }
}
