internal import TidelogCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The loop that runs the machines over a store and a server. One task processes all inputs from the mailbox: it passes them to
/// the machines and executes the actions that these request. Requests run in separate tasks, which put their answers into the
/// mailbox.
final class SyncLoop {
    enum Action {
        case outbox(Outbox.Action)
        case inbox(Inbox.Action)
        case lifecycle(Lifecycle.Action)
    }

    /// The shortest time between two reads of the log.
    private static let noticeInterval = Duration.milliseconds(2)

    let settings: SyncSettings
    let mailbox: SyncMailbox
    var server: SyncServer
    var syncStore: SyncStore
    var outbox: Outbox?
    var inbox: Inbox?
    var lifecycle: Lifecycle
    var actions: [Action] = []
    var hasOutboxStarted = false
    /// The number of the current start. Answers to an earlier start are ignored.
    var life = 0
    /// The number of the current connection for subscriptions. Messages of an earlier connection are ignored.
    var connection = 0
    var tasks: [UInt64: Task<Void, Never>] = [:]
    var taskCount: UInt64 = 0
    /// Pushed records that wait for the response to a mutation of the same record.
    var heldPushes: [RecordReference: ServerRecord] = [:]
    var report = SyncReport()
    /// The time of the server's last answer.
    var lastAnswer: Int64 = 0
    /// The time at which something was received or answered last.
    var lastProgress: Int64 = 0
    var lastFailure: GraphQLClientError?
    /// How often the server has refused the credentials since it accepted them last.
    var credentialFailures = 0
    /// The time at which a new token is requested; `nil` if none is needed.
    var sessionAt: Int64?
    /// Whether requests have failed since the server answered last.
    var isFailing = false
    /// The time at which waits were last cut short because the server answered again.
    var lastHurry = Int64.min / 2
    var goals: [SyncLoop.StartedGoal] = []
    let broadcast: SyncBroadcast
    var status: SyncStatus
    /// How the records of each model changed since its last query began.
    var changeCounts: [String: SyncLoop.ChangeCounts] = [:]
    /// Whether the number of set-aside changes may differ from the number in the status.
    var mustCountSetAside = false
    /// The tasks that request subscriptions, by model.
    var subscribing: [String: (request: Inbox.SubscriptionRequest, task: UInt64)] = [:]
    /// Whether the engine runs for a single sync, so that it asks for no pushed changes.
    private var isSingleRun = false
    /// Whether the first queries have begun since the engine was started.
    var isQuerying = false
    /// The number of the inbox's conditions that the status shows.
    var shownConditionCount = -1
    private let lease: SyncLease
    /// Whether the app wants the engine to run while another engine has the lease.
    var isFollowing = false
    /// Whether the app received the event of a start, and not yet the event of the end.
    var isRunning = false
    /// Whether all work waits until the provider of tokens is asked again.
    var isWaitingForSession = false
    /// The server, and the person whose records are synced; `nil` until the provider of tokens has named the person.
    var identity: SyncIdentity?
    private var stops: [CheckedContinuation<Void, Never>] = []
    /// The calls of `stop` that return as soon as the status is `stopped`.
    private var metStops: [CheckedContinuation<Void, Never>] = []
    private var wake: (time: Int64, task: Task<Void, Never>)?
    private let start = ContinuousClock.now
    private var random = SystemRandomNumberGenerator()

    init(_ settings: SyncSettings, _ server: SyncServer, _ mailbox: SyncMailbox, _ broadcast: SyncBroadcast) {
        self.settings = settings
        self.server = server
        self.mailbox = mailbox
        self.broadcast = broadcast
        syncStore = SyncStore(settings.store, settings.models)
        // The first answer of the server shows that there is a network.
        lifecycle = Lifecycle(settings.startup, isOnline: false)
        status = broadcast.status
        lease = SyncLease(of: settings.store)
    }

    /// The milliseconds since the loop began. They never decrease.
    var now: Int64 {
        let elapsed = (ContinuousClock.now - start).components
        return elapsed.seconds * 1_000 + elapsed.attoseconds / 1_000_000_000_000_000
    }

    var jitter: UInt64 { random.next() }

    /// Runs until the engine is deallocated.
    func run() async {
        while true {
            let inputs = await mailbox.next()
            var isGone = false
            await attempt {
                for input in inputs {
                    if case .end = input { isGone = true }
                    await self.handle(input)
                }
                self.tellTime()
                if inputs.contains(where: \.concernsLog) { try await self.catchUp() }
                try await self.receive(inputs)
                try await self.runActions()
                if !self.heldPushes.isEmpty {
                    try await self.receive([])
                    try await self.runActions()
                }
            }
            if isGone {
                await attempt {
                    self.add(self.lifecycle.stop())
                    try await self.runActions()
                }
                await finish(goals.map(\.goal), SyncError.stopped)
                returnStops()
                lease.giveUp()
                broadcast.finish()
                return
            }
            await updateStatus()
            returnStops()
            await checkGoals()
            scheduleWake()
        }
    }

    /// Runs `body`. A failure of the store ends the engine, which starts again later if its startup is automatic.
    private func attempt(_ body: () async throws -> Void) async {
        var failure: (any Error)?
        do { try await body() } catch { failure = error }
        // A failure may lead to a new start at once, and that start may fail as well.
        while let error = failure.take() {
            actions = []
            fail(error)
            do { try await runActions() } catch { failure = error }
        }
    }

    func fail(_ error: any Error) {
        if (error as? DataStoreError)?.code == .storeCleared { return add(lifecycle.restart(at: now)) }
        let failure = SyncError.store(error)
        report.failure = failure
        tell(failure)
        add(lifecycle.failed("\(error)", at: now, jitter: jitter))
    }

    private func handle(_ input: SyncInput) async {
        switch input {
        case .start(let isSingleRun): begin(isSingleRun: isSingleRun)
        case .lease: if isFollowing { begin() } else { lease.giveUp() }
        case .stop(let continuation):
            stops.append(continuation)
            isFollowing = false
            add(lifecycle.stop())
        case .await(let goal): begin(goal)
        case .giveUp(let number): goals.removeAll { $0.answersGivenUp(number, report) }
        case .network(let isAvailable): await networkChanged(isAvailable: isAvailable)
        case .answer(let answer, let life): if life == self.life { handle(answer) }
        case .logFailed(let error): fail(error)
        case .ended(let task): tasks[task] = nil
        case .wake, .logged, .pushed, .end: break
        }
    }

    /// Starts for the app. If the engine runs for a single sync, it also asks for pushed changes from now on, unless this start
    /// is for a single sync too.
    private func begin(isSingleRun: Bool) {
        let hasStarted = lifecycle.state != .stopped || isFollowing
        self.isSingleRun = isSingleRun && (!hasStarted || self.isSingleRun)
        if !self.isSingleRun { tellInbox { $0.subscribe(at: now) } }
        begin()
    }

    /// Starts when no other engine syncs the store.
    private func begin() {
        guard lifecycle.state == .stopped else {
            askForSession()
            return add(lifecycle.start())
        }
        // The process that writes a store must sync it.
        isFollowing = settings.store.isReadOnly || !lease.take { [mailbox] in mailbox.add(.lease) }
        if !isFollowing { add(lifecycle.start()) }
    }

    private func networkChanged(isAvailable: Bool) async {
        // The next answer of the server shows whether it can be reached.
        if !isAvailable { add(lifecycle.networkChanged(isOnline: false, at: now)) }
        tellOutbox { $0.networkChanged(isOnline: isAvailable, at: now) }
        tellInbox { $0.networkChanged(isOnline: isAvailable, at: now) }
        guard !isAvailable else { return }
        for name in settings.models.names { setSynced(false, name) }
        connection += 1
        await server.realTime.disconnect()
    }

    /// Tells the machines the time. Waits may be over, and requests may have timed out.
    private func tellTime() {
        add(lifecycle.timePassed(to: now))
        tellInbox { $0.timePassed(to: now, jitter: jitter) }
        if hasOutboxStarted { tellOutbox { $0.timePassed(to: now, jitter: jitter) } }
    }

    // MARK: Machines

    func add(_ new: [Lifecycle.Action]) { actions += new.map { .lifecycle($0) } }

    func tellOutbox(_ body: (inout Outbox) -> [Outbox.Action]) {
        // The machine is moved out of its variable for the call, so that it is not copied.
        guard var outbox = outbox.take() else { return }
        outbox.clockOffset = clockOffset
        let new = body(&outbox)
        self.outbox = consume outbox
        actions += new.map { .outbox($0) }
    }

    /// The device's clock minus the time of the loop, in milliseconds.
    private var clockOffset: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) - now }

    func tellInbox(_ body: (inout Inbox) -> [Inbox.Action]) {
        guard var inbox = inbox.take() else { return }
        inbox.clockOffset = clockOffset
        if let head = outbox?.pending.head.sequence { inbox.head = head }
        let new = body(&inbox)
        self.inbox = consume inbox
        actions += new.map { .inbox($0) }
    }

    /// Makes the machines from the log, and starts the inbox. Before that, it asks for the person whose records are synced.
    func open() async throws {
        report = SyncReport()
        status = SyncStatus(.connecting, models: settings.models.names)
        isFailing = false
        isQuerying = false
        mustCountSetAside = true
        shownConditionCount = -1
        // The store may have been cleared since the engine last opened it.
        syncStore = SyncStore(settings.store, settings.models)
        guard let identity else {
            let pending = try await syncStore.contents().pending
            (status.pending, status.oldestPending) = (pending.count, pending.oldest?.date)
            return identify()
        }
        let scope = try settings.scope()
        server.filters = scope.filters
        let wait = try settings.store.eventWait()
        syncStore = SyncStore(
            settings.store, settings.models, generation: wait.generation, isInScope: { scope.includes($0) })
        try await syncStore.expect(identity)
        await server.expect(identity)
        let contents = try await syncStore.contents()
        outbox = Outbox(
            settings.models, pending: contents.pending, position: contents.position, marks: contents.marks,
            tries: contents.tries, options: settings.outbox)
        inbox = Inbox(
            settings.models.names, notes: contents.notes, expressions: server.questions(scope.texts),
            options: settings.inbox)
        hasOutboxStarted = false
        lastAnswer = now
        lastProgress = now
        changeCounts = [:]
        for index in goals.indices { goals[index].refresh = nil }
        add(lifecycle.opened(isOutboxEmpty: contents.pending.count == 0))
        tellInbox { $0.start(subscribing: !isSingleRun, at: now) }
        let head = contents.pending.head.sequence
        run { [mailbox] in
            var seen = head
            do {
                while true {
                    seen = try await wait.events(after: seen)
                    mailbox.notice()
                    // If many commits follow each other, reading them together costs less.
                    try await Task.sleep(for: Self.noticeInterval)
                }
            } catch {
                if !(error is CancellationError) { mailbox.add(.logFailed(error)) }
            }
        }
    }

    /// Ends every request and subscription. Nothing is written after that.
    func close() async {
        life += 1
        connection += 1
        outbox = nil
        inbox = nil
        hasOutboxStarted = false
        heldPushes = [:]
        subscribing = [:]
        identity = nil
        isWaitingForSession = false
        credentialFailures = 0
        for task in tasks.values { task.cancel() }
        tasks = [:]
        await server.realTime.disconnect()
        for name in settings.models.names { setSynced(false, name) }
        _ = lifecycle.networkChanged(isOnline: false, at: now)
        await server.expect(nil)
        add(lifecycle.closed(at: now))
    }

    /// Runs `body` in a task that is cancelled when the engine stops. Returns the number of the task.
    @discardableResult
    func run(_ body: @escaping @Sendable () async -> Void) -> UInt64 {
        taskCount += 1
        let number = taskCount
        tasks[number] = Task { [mailbox] in
            await body()
            mailbox.add(.ended(task: number))
        }
        return number
    }

    func stopped() {
        lease.giveUp()
        metStops += stops
        stops = []
    }

    private func returnStops() {
        for continuation in metStops { continuation.resume() }
        metStops = []
    }

    // MARK: Waking

    private func scheduleWake() {
        var times = [inbox?.nextWake, lifecycle.nextWake]
        if hasOutboxStarted { times.append(outbox?.nextWake) }
        for goal in goals {
            times.append(goal.deadline)
            times.append(goal.limit(lastProgress: lastProgress))
        }
        guard let time = times.compactMap({ $0 }).min() else { return }
        if let wake, wake.time <= time, wake.time > now { return }
        wake?.task.cancel()
        let wait = max(1, time - now)
        let task = Task { [mailbox] in
            do { try await Task.sleep(for: .milliseconds(wait)) } catch { return }
            mailbox.add(.wake)
        }
        wake = (time, task)
    }
}
