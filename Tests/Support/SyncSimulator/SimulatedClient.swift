import FaultHarness
import Foundation
import SeededNumbers
import Tidelog
import TidelogCore
import TidelogServer
import TidelogSync

/// A simulated device: a store, the machines of the sync engine, and the app that changes records.
final class SimulatedClient {
    /// The error that ends the engine at a simulated kill.
    struct Killed: Error {}

    enum Action {
        case outbox(Outbox.Action)
        case inbox(Inbox.Action)
        case lifecycle(Lifecycle.Action)
    }

    let number: Int
    unowned let simulation: Simulation
    private(set) var store: DataStore
    /// The directory of the store; `nil` for a store without files.
    private var directory: TemporaryDirectory?
    private(set) var syncStore: SyncStore
    /// The sync expression, as the smallest rating of the records; `nil` for every record.
    let minimumRating: Int64?
    /// The number of starts of the engine. Messages for an earlier start are lost.
    private(set) var life = 0
    var outbox: Outbox?
    var inbox: Inbox?
    private var lifecycle: Lifecycle
    private var actions: [Action] = []
    private var nextAction = 0
    private var hasOutboxStarted = false
    private var scheduledWake: Int64?
    var random: SeededGenerator

    // MARK: The environment of the device

    var isConnected = true
    var knowsConnection = true
    var isSilent = false
    var skew: Int64 = 0
    var tokenEnd = Int64.max
    var socket = 0
    var subscriptions: [String: Int] = [:]
    /// The last request for subscriptions, by model.
    var requests: [String: Inbox.SubscriptionRequest] = [:]
    /// The number of the request whose subscriptions the server has, by model.
    var servedRequests: [String: UInt64] = [:]
    var sockets = Sockets.accepted
    /// The number of queries that the device has sent.
    var queryCount = 0

    /// The largest number of records in a base query of a model; `nil` for no limit.
    var maximumRecords: Int?

    // MARK: Checked properties

    /// An observer that follows the store as an app does.
    private(set) var observer: SimulatedObserver

    /// The rows that the app wrote last and that no response has replaced yet.
    var written: [RecordReference: Record?] = [:]
    /// Whether the current write may replace rows that have pending changes.
    var mayReplaceRows = false
    /// The mutations whose conflict was resolved in favour of the server's record.
    var yielded: Set<MutationID> = []
    /// The mutations whose refusal by the server was final.
    var refused: Set<MutationID> = []
    /// The contents of the mutations that were sent, by the ids under which they were sent.
    var tries: [String: Set<String>] = [:]

    init(_ number: Int, _ simulation: Simulation, minimumRating: Int64?) async throws {
        (self.number, self.simulation, self.minimumRating) = (number, simulation, minimumRating)
        if simulation.plan.adapter != .inMemory || simulation.plan.copiesStores {
            directory = try TemporaryDirectory("simulation")
        }
        store = try await Self.openStore(simulation, in: directory)
        observer = try await SimulatedObserver(store, simulation.server.models)
        syncStore = Self.syncStore(store, simulation, minimumRating)
        random = SeededGenerator(simulation.plan.seed &* 31 &+ UInt64(number))
        lifecycle = Lifecycle(.automatic, isOnline: true)
    }

    /// The current time. It never decreases, even if the device's clock is set back.
    var now: Int64 { simulation.now }

    func close() async throws { try await store.close() }

    /// Checks that the app saw each change of the store once, and that the changes alone lead to the current rows.
    func checkObserver() async throws { try await observer.check(store, client: number) }

    private static func openStore(
        _ simulation: Simulation, in directory: TemporaryDirectory?
    ) async throws -> DataStore {
        let schema = simulation.server.api.schema
        guard let directory else { return try await DataStore.inMemory(schema: schema) }
        let factory: AdapterFactory =
            switch simulation.plan.adapter {
            case .inMemory: .inMemory()
            case .sqlite: .sqlite()
            case .lmdb: .lmdb()
            }
        return try await DataStore.open(
            at: directory.file("store"), schema: schema, adapter: factory,
            configuration: DataStoreConfiguration(durability: .relaxed))
    }

    private static func syncStore(
        _ store: DataStore, _ simulation: Simulation, _ minimumRating: Int64?
    ) -> SyncStore {
        SyncStore(
            store, simulation.server.models, reconciler: Reconciler(fault: simulation.plan.planted),
            isInScope: { row in
                guard let minimumRating else { return true }
                if case .int(let rating)? = row["rating"] { return rating >= minimumRating }
                return false
            })
    }

    // MARK: Copies of the store

    /// Copies the files of the store. The engine is killed for that, and starts again later.
    func copyStore() async throws -> TemporaryDirectory {
        simulation.trace.note(simulation.now, number, "copy")
        let copy = try TemporaryDirectory("copy")
        try await reopenStore { directory in
            try FileManager.default.copyItem(at: directory.file("store"), to: copy.file("store"))
        }
        return copy
    }

    /// Replaces the store by a copy, as if a backup of the device were restored. Changes that were made since the copy and not
    /// sent are lost with the store.
    func replaceStore(by copy: TemporaryDirectory) async throws {
        simulation.trace.note(simulation.now, number, "replace")
        simulation.replacementCount += 1
        (written, yielded, refused, tries) = ([:], [], [], [:])
        try await reopenStore { directory in
            try FileManager.default.removeItem(at: directory.file("store"))
            try FileManager.default.copyItem(at: copy.file("store"), to: directory.file("store"))
        }
    }

    private func reopenStore(_ body: (TemporaryDirectory) throws -> Void) async throws {
        guard let directory else { throw SimulationFailure("the store of client \(number) has no files") }
        let mustStart = outbox != nil || lifecycle.nextWake != nil
        end()
        try await checkObserver()
        try await store.close()
        try body(directory)
        store = try await Self.openStore(simulation, in: directory)
        observer = try await SimulatedObserver(store, simulation.server.models)
        syncStore = Self.syncStore(store, simulation, minimumRating)
        if mustStart { simulation.schedule(.restart(client: number), in: Int64(random.below(3_000))) }
    }

    // MARK: The engine's life

    /// Runs `body` and the resulting actions, if the engine is still in its start number `life`. A kill may end them at any
    /// step.
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

    /// Kills the engine. It starts again later.
    func crash() {
        guard outbox != nil else { return }
        simulation.trace.note(simulation.now, number, "crash")
        end()
        simulation.schedule(.restart(client: number), in: Int64(random.below(3_000)))
    }

    /// Kills the engine. It starts again only when `restart` is called.
    func end() {
        (outbox, inbox, scheduledWake) = (nil, nil, nil)
        (actions, nextAction, hasOutboxStarted) = ([], 0, false)
        life += 1
        socket += 1
        subscriptions = [:]
        isSilent = false
    }

    /// Simulates a failure that ends the engine. The engine then starts again without a command.
    func fail() async throws {
        try await act(in: life) { client in
            guard client.outbox != nil else { return }
            client.simulation.trace.note(client.now, client.number, "failure")
            client.tellLifecycle { $0.failed("a simulated failure", at: client.now, jitter: client.random.next()) }
        }
    }

    /// Starts the engine with the content of the store.
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
        // Responses may have been written just before the engine was killed.
        written = written.filter { contents.pending.holdsRow(of: $0.key) }
        let models = simulation.server.models
        var options = Outbox.Options()
        options.fault = simulation.plan.planted
        options.timeLimit = 10_000
        options.serverKnowsIDs = simulation.plan.serverKnowsIDs
        // With some seeds, waits end in time only because the network becomes available again.
        let isPatient = simulation.plan.seed % 6 == 5
        options.backoff = isPatient ? Backoff(first: 600_000, maximum: 1_800_000) : Backoff(first: 100, maximum: 5_000)
        options.recordBackoff = Backoff(first: 100, maximum: 20_000)
        var outbox = Outbox(
            models, pending: contents.pending, position: contents.position, marks: contents.marks,
            tries: contents.tries, options: options)
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
        (inbox.clockOffset, outbox.clockOffset) = (skew, skew)
        _ = outbox.networkChanged(isOnline: isOnline, at: now)
        _ = inbox.networkChanged(isOnline: isOnline, at: now)
        inbox.isServerExact = simulation.plan.isServerExact
        inbox.head = outbox.pending.head.sequence
        self.outbox = outbox
        add(inbox.start(at: now))
        self.inbox = inbox
        simulation.trace.note(
            simulation.now, number, "open",
            "\(contents.position.sequence) \(contents.pending.count) \(contents.marks.count)")
    }

    // MARK: Actions

    private func add(_ new: [Action]) { actions += new }
    private func add(_ new: [Outbox.Action]) { actions += new.map { .outbox($0) } }
    private func add(_ new: [Inbox.Action]) { actions += new.map { .inbox($0) } }

    /// Passes an input to the outbox, and adds the resulting actions.
    func tellOutbox(_ body: (inout Outbox) -> [Outbox.Action]) {
        guard var outbox else { return }
        self.outbox = nil
        let actions = body(&outbox)
        self.outbox = outbox
        add(actions)
    }

    /// Passes an input to the inbox, and adds the resulting actions.
    func tellInbox(_ body: (inout Inbox) -> [Inbox.Action]) {
        guard var inbox else { return }
        self.inbox = nil
        inbox.isServerExact = simulation.plan.isServerExact
        if let head = outbox?.pending.head.sequence { inbox.head = head }
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

    private func run(_ action: Outbox.Action) async throws {
        switch action {
        case .prepare(let preparation):
            let rows = try await syncStore.prepared([preparation])
            tellOutbox { $0.prepared(rows, at: now) }
        case .mark(let marks):
            try await checkMarks(marks)
            try await write { try await self.syncStore.mark(marks) }
            tellOutbox { $0.marked(Array(marks.keys), at: now) }
        case .noteTries(let slot, let reference, let tries):
            simulation.trace.note(simulation.now, number, "delayed", "\(reference.text) \(tries.count)")
            try await write { try await self.syncStore.note([slot: tries]) }
        case .removeMark(let slot): try await write { try await self.syncStore.removeMark(slot: slot) }
        case .send(let mutation, let ticket):
            tries[mutation.sentID, default: []].insert(mutation.content)
            simulation.send(.mutation(mutation, ticket), of: self)
        case .fetch(let reference, let ticket): simulation.send(.fetch(reference, ticket), of: self)
        case .resolve(let conflict, let slot): try await resolve(conflict, slot)
        case .answer(let answer):
            simulation.trace.note(simulation.now, number, "answer", "\(answer.mutation.text): \(answer.outcome.text)")
            switch answer.outcome {
            case .taken, .yielded: break
            case .setAside, .replaced: refused.insert(answer.mutation.id)
            }
            mayReplaceRows = true
            defer { mayReplaceRows = false }
            try await write { pending in
                let result = try await self.syncStore.append([answer], pending)
                for model in result.modelsBehind { self.wentBack(model) }
                self.hinted(result.hints)
            }
            try checkAnswer(answer)
            if case .taken = answer.outcome { tellInbox { $0.changeTaken(answer.reference.model, at: now) } }
            tellOutbox { $0.answered(slot: answer.slot, at: now) }
        case .settle(let reference, let last, let slot):
            mayReplaceRows = true
            defer { mayReplaceRows = false }
            try await write { try await self.syncStore.settle(reference, through: last, $0) }
            tellOutbox { $0.settled(slot: slot, at: now) }
        case .join(let reference):
            // A record that was created, refused and deleted on this device takes the server's row again.
            mayReplaceRows = true
            defer { mayReplaceRows = false }
            try await write { try await self.syncStore.join(reference, $0) }
        case .advance(let position): try await write { try await self.syncStore.advance(to: position) }
        case .refreshSession: refreshSession()
        }
    }

    private func run(_ action: Inbox.Action) async throws {
        switch action {
        case .subscribe(let request):
            requests[request.model] = request
            simulation.send(.subscribe(request, socket: socket), of: self)
        case .unsubscribe(let request): simulation.send(.unsubscribe(request, socket: socket), of: self)
        case .disconnect:
            socket += 1
            subscriptions = [:]
            isSilent = false
        case .query(let query):
            queryCount += 1
            simulation.send(.query(query), of: self)
        case .append(let page):
            var outcome = Inbox.PageOutcome()
            try await write {
                let reception = try await self.syncStore.receive(page, $0)
                self.received(reception)
                outcome = Inbox.PageOutcome(
                    newCount: reception.recordCount, unstorable: reception.unstorable.map(\.reason))
            }
            tellInbox { $0.appended(page, outcome, at: now) }
        case .sweep(let sweep):
            var inDoubt: [RecordReference] = []
            try await write { inDoubt = try await self.syncStore.sweep(sweep, $0).inDoubt }
            if !inDoubt.isEmpty { simulation.trace.note(now, number, "in doubt", "\(inDoubt.count)") }
            tellInbox { $0.swept(sweep, inDoubt: inDoubt, at: now) }
        case .get(let query): simulation.send(.get(query), of: self)
        case .settle(let answer):
            try await write { self.received(try await self.syncStore.receive([answer], $0)) }
            tellInbox { $0.settled(answer, at: now) }
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
        var decision = SyncConflict.Decision.applyRemote
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

    /// Performs a write, and reads the log before and after it. The engine may be killed before and after the write.
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

    /// Reads the new events of the log.
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

    // MARK: Waking

    /// Schedules the next wake-up of the machines.
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
        // An earlier time may have been chosen after this wake-up was scheduled.
        guard scheduledWake == simulation.now else { return }
        scheduledWake = nil
        // A live socket sends a keep-alive message every minute.
        if isConnected, !isSilent, !subscriptions.isEmpty { inbox?.messageReceived(at: now) }
        tellInbox { $0.timePassed(to: now, jitter: random.next()) }
        if hasOutboxStarted { tellOutbox { $0.timePassed(to: now, jitter: random.next()) } }
        tellLifecycle { $0.timePassed(to: now) }
    }
}
