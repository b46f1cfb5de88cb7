import FaultHarness
import SeededNumbers
import Tidelog
import TidelogCore
import TidelogServer
import TidelogSync

/// A device: a store, the machines, and the app that changes records.
final class SimulatedClient {
    /// The engine is killed here.
    struct Killed: Error {}

    enum Action {
        case outbox(OutboxAction)
        case inbox(InboxAction)
        case lifecycle(Lifecycle.Action)
    }

    let number: Int
    unowned let simulation: Simulation
    let store: DataStore
    /// The store's directory; `nil` for a store in memory.
    private let directory: TemporaryDirectory?
    let syncStore: SyncStore
    /// The sync expression: the least rating of the records; `nil` for every record.
    let minimumRating: Int64?
    /// Counts the starts of the engine: what belongs to an earlier one is lost.
    private(set) var life = 0
    var outbox: Outbox?
    var inbox: Inbox?
    private var lifecycle: Lifecycle
    private var actions: [Action] = []
    private var nextAction = 0
    private var hasOutboxStarted = false
    private var scheduledWake: Int64?
    var random: SeededGenerator

    // MARK: The device's surroundings

    var isConnected = true
    var knowsConnection = true
    var isSilent = false
    var skew: Int64 = 0
    var tokenEnd = Int64.max
    var socket = 0
    var subscriptions: [String: Int] = [:]

    /// How many records a base query of a model takes at most; `nil` for any number.
    var maximumRecords: Int?

    // MARK: What must be true

    /// Follows the store as an app does.
    let observer: SimulatedObserver

    /// The rows that the app wrote last and that no response has replaced yet.
    var written: [RecordReference: Record?] = [:]
    /// Whether the write that runs may replace rows that have pending changes.
    var mayReplaceRows = false
    /// Mutations whose conflict was decided for the server's record.
    var yielded: Set<MutationID> = []

    init(_ number: Int, _ simulation: Simulation, minimumRating: Int64?) async throws {
        (self.number, self.simulation, self.minimumRating) = (number, simulation, minimumRating)
        (store, directory) = try await Self.openStore(simulation.plan.adapter, simulation.server.api.schema)
        observer = SimulatedObserver(store, simulation.server.models)
        syncStore = SyncStore(
            store, simulation.server.models, reconciler: Reconciler(fault: simulation.plan.planted),
            isInScope: { row in
                guard let minimumRating else { return true }
                if case .int(let rating)? = row["rating"] { return rating >= minimumRating }
                return false
            })
        random = SeededGenerator(simulation.plan.seed &* 31 &+ UInt64(number))
        lifecycle = Lifecycle(.automatic, isOnline: true)
    }

    /// A time that never goes back, also if the device's clock is set.
    var now: Int64 { simulation.now }

    func close() async throws { try await store.close() }

    /// The app saw each change of the store once, and knows the rows from the changes alone.
    func checkObserver() async throws { try await observer.check(store, client: number) }

    private static func openStore(
        _ adapter: SimulationPlan.Adapter, _ schema: Schema
    ) async throws -> (DataStore, TemporaryDirectory?) {
        let factory: AdapterFactory
        switch adapter {
        case .inMemory: return (try await DataStore.inMemory(schema: schema), nil)
        case .sqlite: factory = .sqlite()
        case .lmdb: factory = .lmdb()
        }
        let directory = try TemporaryDirectory("simulation")
        let store = try await DataStore.open(
            at: directory.file("store"), schema: schema, adapter: factory,
            configuration: DataStoreConfiguration(durability: .relaxed))
        return (store, directory)
    }

    // MARK: Life

    /// Runs `body` and the actions that follow, if the engine of `life` runs; a kill ends it at any step.
    func act(in life: Int, _ body: (SimulatedClient) async throws -> Void) async throws {
        guard life == self.life, outbox != nil || lifecycle.nextWake != nil else { return }
        do {
            try await body(self)
            try await runActions()
            try await checkWritten()
        } catch is Killed {
            crash()
        }
        scheduleWake()
    }

    /// The engine is killed; it starts again later.
    func crash() {
        guard outbox != nil else { return }
        simulation.trace.note(simulation.now, number, "crash")
        end()
        simulation.schedule(.restart(client: number), in: Int64(random.below(3_000)))
    }

    /// The engine is killed, and starts again only when it is told to.
    func end() {
        (outbox, inbox, scheduledWake) = (nil, nil, nil)
        (actions, nextAction, hasOutboxStarted) = ([], 0, false)
        life += 1
        socket += 1
        subscriptions = [:]
        isSilent = false
    }

    /// Something fails that ends the engine; it starts again by itself.
    func fail() async throws {
        try await act(in: life) { client in
            guard client.outbox != nil else { return }
            client.simulation.trace.note(client.now, client.number, "failure")
            client.tellLifecycle { $0.failed("a simulated failure", at: client.now, jitter: client.random.next()) }
        }
    }

    /// The engine starts with what the store has.
    func restart() async throws {
        guard outbox == nil else { return }
        life += 1
        lifecycle = Lifecycle(.automatic, isOnline: isConnected || !knowsConnection)
        add(lifecycle.made().map { .lifecycle($0) })
        do { try await runActions() } catch is Killed { crash() }
        scheduleWake()
    }

    func restartNow() async throws {
        if outbox != nil { end() }
        try await restart()
    }

    private func open() async throws {
        let contents = try await syncStore.contents()
        // Responses may have been written right before the engine was killed.
        written = written.filter { contents.pending.holdsRow(of: $0.key) }
        let models = simulation.server.models
        var options = Outbox.Options()
        options.fault = simulation.plan.planted
        options.timeLimit = 10_000
        options.serverKnowsIDs = simulation.plan.serverKnowsIDs
        // With some seeds only the return of the network ends a wait in time.
        let isPatient = simulation.plan.seed % 6 == 5
        options.backoff = isPatient ? Backoff(first: 600_000, maximum: 1_800_000) : Backoff(first: 100, maximum: 5_000)
        var outbox = Outbox(
            models, pending: contents.pending, position: contents.position, marks: contents.marks, options: options)
        var inboxOptions = Inbox.Options()
        inboxOptions.fault = simulation.plan.planted
        (inboxOptions.pageSize, inboxOptions.timeLimit) = (3, 10_000)
        if let maximumRecords { inboxOptions.maximumRecords = maximumRecords }
        (inboxOptions.silenceLimit, inboxOptions.backoff) = (60_000, options.backoff)
        let expression = minimumRating.map { "rating >= \($0)" } ?? ""
        var inbox = Inbox(
            models.names, notes: contents.notes, expressions: models.names.reduce(into: [:]) { $0[$1] = expression },
            options: inboxOptions)
        tellLifecycle { $0.opened(isOutboxEmpty: contents.pending.count == 0) }
        let isOnline = isConnected || !knowsConnection
        inbox.clockOffset = skew
        _ = outbox.networkChanged(isOnline: isOnline, at: now)
        _ = inbox.networkChanged(isOnline: isOnline, at: now)
        self.outbox = outbox
        add(inbox.start(at: now))
        self.inbox = inbox
        simulation.trace.note(
            simulation.now, number, "open",
            "\(contents.position.sequence) \(contents.pending.count) \(contents.marks.count)")
    }

    // MARK: Actions

    private func add(_ new: [Action]) { actions += new }
    private func add(_ new: [OutboxAction]) { actions += new.map { .outbox($0) } }
    private func add(_ new: [InboxAction]) { actions += new.map { .inbox($0) } }

    /// The outbox's answer to an input.
    func tellOutbox(_ body: (inout Outbox) -> [OutboxAction]) {
        guard var outbox else { return }
        self.outbox = nil
        let actions = body(&outbox)
        self.outbox = outbox
        add(actions)
    }

    /// The inbox's answer to an input.
    func tellInbox(_ body: (inout Inbox) -> [InboxAction]) {
        guard var inbox else { return }
        self.inbox = nil
        let actions = body(&inbox)
        self.inbox = inbox
        add(actions)
    }

    func tellLifecycle(_ body: (inout Lifecycle) -> [Lifecycle.Action]) {
        let actions = body(&lifecycle)
        add(actions.map { .lifecycle($0) })
    }

    private func runActions() async throws {
        while nextAction < actions.count {
            let action = actions[nextAction]
            nextAction += 1
            switch action {
            case .outbox(let action): try await run(action)
            case .inbox(let action): try await run(action)
            case .lifecycle(let action): try await run(action)
            }
        }
        (actions, nextAction) = ([], 0)
    }

    private func run(_ action: Lifecycle.Action) async throws {
        switch action {
        case .open: try await open()
        case .startOutbox:
            hasOutboxStarted = true
            try await catchUp()
            tellOutbox { $0.start(at: now) }
        case .close:
            end()
            tellLifecycle { $0.closed(at: now) }
        case .report(.ready): simulation.trace.note(simulation.now, number, "ready")
        case .report(.modelSynced(let model, let isBase, let isTruncated)) where isTruncated:
            simulation.trace.note(simulation.now, number, "truncated", "\(model) \(isBase)")
        case .report(.failed(let reason, _)): simulation.trace.note(simulation.now, number, "reported", reason)
        case .report: break
        }
    }

    private func run(_ action: OutboxAction) async throws {
        switch action {
        case .prepare(let preparation):
            let rows = try await syncStore.prepared([preparation])
            tellOutbox { $0.prepared(rows, at: now) }
        case .mark(let marks):
            try await checkMarks(marks)
            try await write { try await self.syncStore.mark(marks) }
            tellOutbox { $0.marked(Array(marks.keys), at: now) }
        case .removeMark(let slot): try await write { try await self.syncStore.removeMark(slot: slot) }
        case .send(let mutation, let ticket): simulation.send(.mutation(mutation, ticket), of: self)
        case .fetch(let reference, let ticket): simulation.send(.fetch(reference, ticket), of: self)
        case .resolve(let conflict, let slot): try await resolve(conflict, slot)
        case .answer(let answer):
            simulation.trace.note(simulation.now, number, "answer", "\(answer.mutation.text): \(answer.outcome.text)")
            mayReplaceRows = true
            defer { mayReplaceRows = false }
            try await write { pending in
                for model in try await self.syncStore.append([answer], pending) { self.wentBack(model) }
            }
            try checkAnswer(answer)
            tellOutbox { $0.answered(slot: answer.slot, at: now) }
        case .settle(let reference, let last, let slot):
            mayReplaceRows = true
            defer { mayReplaceRows = false }
            try await write { try await self.syncStore.settle(reference, through: last, $0) }
            tellOutbox { $0.settled(slot: slot, at: now) }
        case .join(let reference):
            // A record that was created, refused and deleted here is the server's again.
            mayReplaceRows = true
            defer { mayReplaceRows = false }
            try await write { try await self.syncStore.join(reference, $0) }
        case .advance(let position): try await write { try await self.syncStore.advance(to: position) }
        case .refreshSession: refreshSession()
        }
    }

    private func run(_ action: InboxAction) async throws {
        switch action {
        case .subscribe(let model): simulation.send(.subscribe(model, socket: socket), of: self)
        case .disconnect:
            socket += 1
            subscriptions = [:]
            isSilent = false
        case .query(let query): simulation.send(.query(query), of: self)
        case .append(let page):
            try await write {
                for model in try await self.syncStore.receive(page, $0).modelsBehind { self.wentBack(model) }
            }
            tellInbox { $0.appended(page, at: now) }
        case .sweep(let sweep):
            try await write { try await self.syncStore.sweep(sweep, $0) }
            tellInbox { $0.swept(sweep, at: now) }
        case .refreshSession: refreshSession()
        case .report(let report): add(lifecycle.inboxReported(report).map { .lifecycle($0) })
        }
    }

    private func refreshSession() {
        outbox?.sessionLost()
        inbox?.sessionLost()
        let wait = simulation.isTroubled ? Int64(random.below(5_000)) : 10
        simulation.schedule(.session(client: number, life: life), in: wait)
    }

    private func resolve(_ conflict: SyncConflict, _ slot: Int) async throws {
        try checkConflict(conflict)
        var decision = ConflictDecision.applyRemote
        switch random.below(4) {
        case 0: decision = .retryLocal
        case 1: decision = .retry(["title": .string("resolved \(number) \(simulation.changeCount)")])
        case 2: decision = conflict.merged(from: try await syncStore.row(at: conflict.base))
        default: break
        }
        if decision == .applyRemote { yielded.insert(conflict.local.id) }
        simulation.trace.note(simulation.now, number, "conflict", "\(conflict.local.text) \(conflict.round)")
        tellOutbox { $0.resolved(decision, slot: slot, at: now) }
    }

    // MARK: The log

    /// Writes, with the log read before and afterwards; the engine may be killed before and afterwards.
    func write(_ body: (PendingChanges) async throws -> Void) async throws {
        if simulation.strikes(.crash, once: 150) { throw Killed() }
        while true {
            guard let pending = outbox?.pending else { throw Killed() }
            do {
                try await body(pending)
                break
            } catch is SyncStore.Overtaken {
                simulation.trace.note(simulation.now, number, "overtaken")
                try await catchUp()
            }
        }
        if simulation.strikes(.crash, once: 150) {
            if let head = outbox?.pending.head {
                for entry in try await syncStore.entries(after: head) { try note(entry) }
            }
            throw Killed()
        }
        try await catchUp()
    }

    func write(_ body: () async throws -> Void) async throws { try await write { _ in try await body() } }

    /// Reads the log's new events.
    func catchUp() async throws {
        guard let head = outbox?.pending.head else { return }
        let entries = try await syncStore.entries(after: head)
        for entry in entries { try note(entry) }
        tellOutbox { $0.logged(entries, at: now) }
    }

    private func note(_ entry: LogEntry) throws {
        switch entry.content {
        case .visible(let reference):
            if !mayReplaceRows, outbox?.pending.changes(of: reference).isEmpty == false {
                throw SimulationFailure("client \(number) loses a pending change of \(reference.text)")
            }
            written[reference] = nil
        case .setAside(let change): if !change.holdsRow { written[change.reference] = nil }
        case .change, .shadowed, .decided, .other: break
        }
        if let answer = entry.answer, outbox?.pending.changes(of: answer.reference).last?.mutation == answer.mutation {
            written[answer.reference] = nil
        }
    }

    private func wentBack(_ model: String) { tellInbox { $0.serverWentBack(model, at: now) } }

    // MARK: Waking

    /// Schedules the machines' next time.
    func scheduleWake() {
        var times = [inbox?.nextWake, lifecycle.nextWake]
        if hasOutboxStarted { times.append(outbox?.nextWake) }
        guard outbox != nil || lifecycle.nextWake != nil, let wake = times.compactMap({ $0 }).min() else { return }
        let time = max(wake, simulation.now)
        if let scheduledWake, scheduledWake <= time, scheduledWake >= simulation.now { return }
        scheduledWake = time
        simulation.schedule(.wake(client: number, life: life), in: time - simulation.now)
    }

    func woke() async throws {
        scheduledWake = nil
        // A socket that lives sends a sign of life every minute.
        if isConnected, !isSilent, !subscriptions.isEmpty { inbox?.messageReceived(at: now) }
        tellInbox { $0.timePassed(to: now, jitter: random.next()) }
        if hasOutboxStarted { tellOutbox { $0.timePassed(to: now, jitter: random.next()) } }
        tellLifecycle { $0.timePassed(to: now) }
    }
}
