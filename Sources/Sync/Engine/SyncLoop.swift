internal import TidelogCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Runs the machines over a store and a server. One task works on everything that the mailbox brings: it tells the machines
/// and does what they ask for. Requests run in tasks of their own, which bring their answers to the mailbox.
final class SyncLoop {
    enum Action {
        case outbox(OutboxAction)
        case inbox(InboxAction)
        case lifecycle(Lifecycle.Action)
    }

    let settings: SyncSettings
    let mailbox: SyncMailbox
    var server: SyncServer
    var syncStore: SyncStore
    var outbox: Outbox?
    var inbox: Inbox?
    var lifecycle: Lifecycle
    var actions: [Action] = []
    var hasOutboxStarted = false
    /// Counts the starts: answers to an earlier one are not used.
    var life = 0
    /// Counts the connections for subscriptions: messages of an earlier one are not used.
    var connection = 0
    var tasks: [UInt64: Task<Void, Never>] = [:]
    var taskCount: UInt64 = 0
    /// Pushed records that wait for the response to a mutation of the same record.
    var heldPushes: [RecordReference: ServerRecord] = [:]
    var report = SyncReport()
    /// When the server answered last.
    var lastAnswer: Int64 = 0
    var lastFailure: GraphQLClientError?
    /// How often the server has refused the credentials since it accepted them last.
    var credentialFailures = 0
    /// Whether everything waits until the provider of tokens is asked again.
    var isWaitingForSession = false
    /// The server, and the person whose records are synced; `nil` until the provider of tokens has said who that is.
    var identity: SyncIdentity?
    private var goals: [StartedGoal] = []
    private var stops: [CheckedContinuation<Void, Never>] = []
    private var wake: (time: Int64, task: Task<Void, Never>)?
    private let start = ContinuousClock.now
    private var random = SystemRandomNumberGenerator()

    init(_ settings: SyncSettings, _ server: SyncServer, _ mailbox: SyncMailbox) {
        (self.settings, self.server, self.mailbox) = (settings, server, mailbox)
        syncStore = SyncStore(settings.store, settings.models)
        lifecycle = Lifecycle(settings.startup, isOnline: true)
    }

    /// Milliseconds since the loop began. They never go back.
    var now: Int64 {
        let elapsed = (ContinuousClock.now - start).components
        return elapsed.seconds * 1_000 + elapsed.attoseconds / 1_000_000_000_000_000
    }

    var jitter: UInt64 { random.next() }

    /// Works until the engine is gone.
    func run() async {
        while true {
            let inputs = await mailbox.next()
            var isGone = false
            await attempt {
                for input in inputs {
                    if case .end = input { isGone = true }
                    self.handle(input)
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
                return
            }
            await checkGoals()
            scheduleWake()
        }
    }

    /// Runs `body`; a failure of the store ends the engine, which starts again later if that is its way.
    private func attempt(_ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            actions = []
            fail(error)
            // The actions after a failure write nothing.
            try? await runActions()
        }
    }

    func fail(_ error: any Error) {
        report.failure = SyncError.store(error)
        add(lifecycle.failed("\(error)", at: now, jitter: jitter))
    }

    private func handle(_ input: SyncInput) {
        switch input {
        case .start: add(lifecycle.start())
        case .stop(let continuation):
            stops.append(continuation)
            add(lifecycle.stop())
        case .await(let goal): goals.append(StartedGoal(goal: goal, start: now))
        case .answer(let answer, let life): if life == self.life { handle(answer) }
        case .logFailed(let error): fail(error)
        case .ended(let task): tasks[task] = nil
        case .wake, .logged, .pushed, .end: break
        }
    }

    /// Tells the machines the time: waits may be over, and requests may have taken too long.
    private func tellTime() {
        add(lifecycle.timePassed(to: now))
        tellInbox { $0.timePassed(to: now, jitter: jitter) }
        if hasOutboxStarted { tellOutbox { $0.timePassed(to: now, jitter: jitter) } }
    }

    // MARK: Machines

    func add(_ new: [Lifecycle.Action]) { actions += new.map { .lifecycle($0) } }

    func tellOutbox(_ body: (inout Outbox) -> [OutboxAction]) {
        // The machine is taken out for the call, so that it is not copied.
        guard var outbox = outbox.take() else { return }
        let new = body(&outbox)
        self.outbox = consume outbox
        actions += new.map { .outbox($0) }
    }

    func tellInbox(_ body: (inout Inbox) -> [InboxAction]) {
        guard var inbox = inbox.take() else { return }
        inbox.clockOffset = Int64(Date().timeIntervalSince1970 * 1_000) - now
        let new = body(&inbox)
        self.inbox = consume inbox
        actions += new.map { .inbox($0) }
    }

    /// Makes the machines from the log, and starts the inbox; asks before whose records are synced.
    func open() async throws {
        report = SyncReport()
        guard let identity else { return identify() }
        let scope = try settings.scope()
        server.filters = scope.filters
        syncStore = SyncStore(settings.store, settings.models, isInScope: { scope.includes($0) })
        try await syncStore.claim(identity)
        await server.expect(identity)
        let contents = try await syncStore.contents()
        outbox = Outbox(
            settings.models, pending: contents.pending, position: contents.position, marks: contents.marks,
            options: settings.outbox)
        inbox = Inbox(
            settings.models.names, notes: contents.notes, expressions: scope.texts, options: settings.inbox)
        (hasOutboxStarted, lastAnswer) = (false, now)
        tellInbox { $0.start(at: now) }
        add(lifecycle.outboxChanged(isEmpty: contents.pending.count == 0))
        let head = contents.pending.head.sequence
        run { [store = settings.store, mailbox] in
            var seen = head
            do {
                while true {
                    seen = try await store.waitForEvents(after: seen)
                    mailbox.notice()
                }
            } catch {
                if !(error is CancellationError) { mailbox.add(.logFailed(error)) }
            }
        }
    }

    /// Ends every request and subscription. Nothing is written afterwards.
    func close() async {
        life += 1
        connection += 1
        (outbox, inbox, hasOutboxStarted, heldPushes) = (nil, nil, false, [:])
        (identity, isWaitingForSession, credentialFailures) = (nil, false, 0)
        for task in tasks.values { task.cancel() }
        tasks = [:]
        await server.realTime.disconnect()
        await server.expect(nil)
        for name in settings.models.names { try? settings.store.setSynced(false, model: name) }
        add(lifecycle.closed(at: now))
    }

    /// Runs `body` in a task that is cancelled when the engine stops.
    func run(_ body: @escaping @Sendable () async -> Void) {
        taskCount += 1
        let number = taskCount
        tasks[number] = Task { [mailbox] in
            await body()
            mailbox.add(.ended(task: number))
        }
    }

    func stopped() {
        for continuation in stops { continuation.resume() }
        stops = []
    }

    // MARK: Goals

    /// Whether everything is sent and received.
    private var isSettled: Bool {
        guard let outbox, let inbox, lifecycle.state == .active, hasOutboxStarted else { return false }
        return outbox.isEmpty && inbox.isIdle
    }

    private func checkGoals() async {
        guard !goals.isEmpty else { return }
        if isSettled {
            await finish(goals.map(\.goal), nil)
        } else if lifecycle.state == .stopped || lifecycle.state.isWaiting {
            await finish(goals.map(\.goal), report.failure ?? .stopped)
        } else if credentialFailures >= settings.credentialTries {
            await finish(goals.map(\.goal), SyncError.unauthorized(lastFailure))
        } else {
            let now = now
            let late = goals.filter { $0.isLate(at: now) }
            let impatient = goals.filter { !$0.isLate(at: now) && $0.isImpatient(at: now, lastAnswer: lastAnswer) }
            goals.removeAll { $0.isLate(at: now) || $0.isImpatient(at: now, lastAnswer: lastAnswer) }
            await answer(late.map(\.goal), nil)
            await answer(impatient.map(\.goal), SyncError.unreachable(lastFailure))
        }
    }

    private func finish(_ goals: [SyncGoal], _ failure: SyncError?) async {
        self.goals = []
        await answer(goals, failure)
    }

    private func answer(_ goals: [SyncGoal], _ failure: SyncError?) async {
        guard !goals.isEmpty else { return }
        var report = report
        report.failure = failure
        do {
            if let outbox {
                report.pending = outbox.pendingCount
            } else {
                report.pending = try await syncStore.contents().pending.count
            }
            report.setAside = try await syncStore.setAside().count
            report.lastSync = try await syncStore.lastSyncs()
        } catch {
            report.failure = report.failure ?? SyncError.store(error)
        }
        for goal in goals { goal.continuation.resume(returning: report) }
    }

    // MARK: Waking

    private func scheduleWake() {
        var times = [inbox?.nextWake, lifecycle.nextWake]
        if hasOutboxStarted { times.append(outbox?.nextWake) }
        for goal in goals {
            times.append(goal.deadline)
            times.append(goal.limit(lastAnswer: lastAnswer))
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

/// A call of the app that waits, and since when.
private struct StartedGoal {
    let goal: SyncGoal
    let start: Int64

    var deadline: Int64? { goal.wait.map { start + $0 } }

    /// When the call ends unless the server answers before.
    func limit(lastAnswer: Int64) -> Int64? { goal.patience.map { max(start, lastAnswer) + $0 } }

    func isLate(at now: Int64) -> Bool { deadline.map { $0 <= now } ?? false }

    func isImpatient(at now: Int64, lastAnswer: Int64) -> Bool {
        limit(lastAnswer: lastAnswer).map { $0 <= now } ?? false
    }
}

extension Lifecycle.State {
    fileprivate var isWaiting: Bool { if case .waiting = self { true } else { false } }
}
