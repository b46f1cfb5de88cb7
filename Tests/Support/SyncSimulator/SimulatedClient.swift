import FaultHarness
import Foundation
import SeededNumbers
import Tidelog
import TidelogCore
import TidelogServer
import TidelogSync

/// A simulated device: a store, the sync engine, and the app that changes records.
final class SimulatedClient {
    /// The error that ends the engine at a simulated kill.
    struct Killed: Error {}

    /// A failure that neither the machine nor the shell can handle.
    private struct Failure: Error {}

    let number: Int
    unowned let simulation: Simulation
    private(set) var store: DataStore
    /// The directory of the store; `nil` for a store without files.
    private var directory: TemporaryDirectory?
    private(set) var syncStore: SyncStore
    /// The sync expression, as the smallest rating of the records; `nil` for every record.
    let minimumRating: Int64?
    /// The number of starts and kills of the engine. Messages for an earlier start are lost.
    private(set) var life = 0
    /// The engine, from its start to its kill.
    private var shell: SyncShell<SimulatedEnvironment>?
    private var environment: SimulatedEnvironment?
    var random: SeededGenerator

    // MARK: The environment of the device

    var isConnected = true
    var knowsConnection = true
    /// Whether the socket brings no messages any more. The connection notices this after a while.
    var isSilent = false {
        didSet {
            guard isSilent, !oldValue else { return }
            simulation.schedule(.socketLost(client: number, life: life, socket: socket), in: 60_000)
        }
    }
    var skew: Int64 = 0
    var tokenEnd = Int64.max
    /// Whether the server has refused the token, so that the next request uses another one.
    var isTokenRefused = false
    private(set) var socket = 0
    /// The sockets of the subscriptions that the server has, by model.
    var subscriptions: [String: Int] = [:]
    /// The requests for these subscriptions, and the numbers of their connections, by model.
    var servedRequests: [String: (number: UInt64, connection: Int)] = [:]
    var sockets = Sockets.accepted
    /// The number of queries that the device has sent.
    var queryCount = 0
    /// How often the engine failed or its store was suspended.
    private var failureCount = 0

    /// The app's decision about each conflict; `nil` for any decision.
    var decision: SyncConflict.Decision?
    /// The largest number of records in a base query of a model; `nil` for no limit.
    var maximumRecords: Int?

    // MARK: Checked properties

    /// An observer that follows the store as an app does.
    private(set) var observer: SimulatedObserver

    /// The rows that the app wrote last and that no response has replaced yet.
    var written: [RecordReference: Record?] = [:]
    /// The last change of each record.
    private var lastChanges: [RecordReference: SequenceNumber] = [:]
    /// Whether the current write may replace rows that have pending changes.
    var mayReplaceRows = false
    /// The mutations whose conflict was resolved in favour of the server's record.
    var yielded: Set<MutationID> = []
    /// The mutations whose refusal by the server was final.
    var refused: Set<MutationID> = []
    /// The contents of the mutations that were sent, by the ids under which they were sent.
    var tries: [String: Set<String>] = [:]
    /// The last events of mutations that a planted fault sends as updates.
    var disguised: Set<SequenceNumber> = []
    /// Whether the app has stopped the engine. The engine writes nothing then.
    private(set) var isStopped = false
    var callCount: UInt64 = 0
    /// The calls of the app that wait, by their numbers.
    var calls: [UInt64: Call] = [:]
    /// The calls that ended in the current turn.
    var endedCalls: [(number: UInt64, report: SyncReport)] = []
    var rules = EngineRules()

    init(_ number: Int, _ simulation: Simulation, minimumRating: Int64?) async throws {
        (self.number, self.simulation, self.minimumRating) = (number, simulation, minimumRating)
        if simulation.plan.adapter != .inMemory || simulation.plan.copiesStores {
            directory = try TemporaryDirectory("simulation")
        }
        store = try await Self.openStore(simulation, in: directory)
        observer = try await SimulatedObserver(store, simulation.server.models)
        syncStore = Self.syncStore(store, simulation, minimumRating)
        random = SeededGenerator(simulation.plan.seed &* 31 &+ UInt64(number))
    }

    /// The current time. It never decreases, even if the device's clock is set back.
    var now: Int64 { simulation.now }

    func close() async throws { try await store.close() }

    /// Checks that the app saw each change of the store once, and that the changes alone lead to the current rows.
    func checkObserver() async throws { try await observer.check(store, client: number) }

    private static func openStore(
        _ simulation: Simulation, in directory: TemporaryDirectory?
    ) async throws -> DataStore {
        let schema = simulation.server.schema
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
        let hasVersions = simulation.plan.protocol.hasVersions
        guard let minimumRating else {
            return SyncStore(store, simulation.server.models, hasVersions: hasVersions)
        }
        return SyncStore(
            store, simulation.server.models, hasVersions: hasVersions,
            isInScope: { row in
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
        lastChanges = [:]
        try await reopenStore { directory in
            try FileManager.default.removeItem(at: directory.file("store"))
            try FileManager.default.copyItem(at: copy.file("store"), to: directory.file("store"))
        }
    }

    private func reopenStore(_ body: (TemporaryDirectory) throws -> Void) async throws {
        guard let directory else { throw SimulationFailure("the store of client \(number) has no files") }
        let mustStart = shell != nil
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

    var outbox: Outbox? { shell?.machine.outbox }
    var inbox: Inbox? { shell?.machine.inbox }
    /// The protocol that the engine uses.
    var `protocol`: SyncProtocol { shell?.machine.syncProtocol ?? .automatic }
    /// The number of the engine's start within its life. It changes when the engine itself starts again.
    var engineLife: Int { shell?.machine.life ?? 0 }

    /// Passes inputs to the engine, if it is still in its start number `life`. A kill may end it at any step.
    func pass(_ inputs: [SyncMachine.Input], in life: Int) async throws {
        guard life == self.life, let shell, let environment else { return }
        let head = isStopped ? try store.head : nil
        for input in inputs { simulation.trace.cover(input) }
        rules.begin(inputs, at: now, shell.machine)
        await shell.run(inputs)
        if let failure { throw failure }
        if environment.isKilled { return crash() }
        try await checkWritten()
        try await checkCalls()
        if let head, isStopped, try store.head != head {
            throw SimulationFailure("client \(number) writes although its engine was stopped")
        }
    }

    /// A check that failed while the engine worked.
    private var failure: SimulationFailure?

    func pass(_ inputs: SyncMachine.Input...) async throws { try await pass(inputs, in: life) }

    /// Kills the engine. It starts again later.
    func crash() {
        guard shell != nil else { return }
        simulation.trace.note(simulation.now, number, "crash")
        end()
        simulation.schedule(.restart(client: number), in: Int64(random.below(3_000)))
    }

    /// Kills the engine. It starts again only when `restart` is called.
    func end() {
        environment?.kill()
        (shell, environment) = (nil, nil)
        isStopped = false
        mayReplaceRows = false
        (calls, endedCalls) = ([:], [])
        rules.end()
        life += 1
        loseSocket()
    }

    func loseSocket() {
        socket += 1
        subscriptions = [:]
        isSilent = false
    }

    /// Simulates a failure that ends the engine, or a suspension of the store. The engine then starts again without a command.
    func fail() async throws {
        guard outbox != nil else { return }
        failureCount += 1
        let isSuspension = failureCount % 2 == 0
        simulation.trace.note(simulation.now, number, isSuspension ? "suspension" : "failure")
        let suspension = DataStoreError(.suspended, "The store is suspended.", recovery: "")
        try await pass(.failed(isSuspension ? suspension : Failure()))
    }

    /// Starts the engine with the content of the store.
    func restart() async throws {
        guard shell == nil else { return }
        life += 1
        let environment = SimulatedEnvironment(self)
        let status = SyncStatus(.stopped, models: simulation.server.models.names)
        let machine = SyncMachine(settings, status: status, seed: random.next())
        (shell, self.environment) = (SyncShell(machine, environment), environment)
        let isOnline = isConnected || !knowsConnection
        try await pass(.network(isAvailable: isOnline), .start(isSingleRun: false))
    }

    func restartNow() async throws {
        if shell != nil { end() }
        try await restart()
    }

    private var settings: SyncMachine.Settings {
        var settings = SyncMachine.Settings(simulation.server.models)
        // With some seeds, waits end in time only because the network becomes available again.
        let isPatient = simulation.plan.seed % 6 == 5
        let backoff = isPatient ? Backoff(first: 600_000, maximum: 1_800_000) : Backoff(first: 100, maximum: 5_000)
        settings.mutationsPerRequest = simulation.plan.mutationsPerRequest
        settings.syncProtocol = simulation.plan.isProtocolKnown ? simulation.plan.protocol : .automatic
        settings.outbox.advanceDistance = 60
        settings.outbox.timeLimit = simulation.plan.planted == .noTimeLimit ? .max / 4 : 10_000
        settings.outbox.backoff = backoff
        settings.outbox.recordBackoff = Backoff(first: 100, maximum: 20_000)
        (settings.inbox.pageSize, settings.inbox.timeLimit) = (3, 10_000)
        if let maximumRecords { settings.inbox.maximumRecords = maximumRecords }
        settings.inbox.backoff = backoff
        return settings
    }

    /// The protocol with which the engine starts.
    func chosenProtocol(_ contents: SyncMachine.Contents) -> SyncProtocol {
        guard !simulation.plan.isProtocolKnown else { return simulation.plan.protocol }
        return contents.notes[NoteName.syncProtocol].flatMap { SyncProtocol(encoded: $0) } ?? .automatic
    }

    /// The server and the person.
    var identity: SyncIdentity { SyncIdentity(endpoint: "https://server", issuer: "issuer", subject: "person") }

    /// Checks and notes the content with which the engine starts.
    func opened(_ contents: SyncMachine.Contents) {
        // Responses may have been written just before the engine was killed.
        written = written.filter { contents.pending.holdsRow(of: $0.key) }
        simulation.trace.note(
            simulation.now, number, "open",
            "\(contents.position.sequence) \(contents.pending.count) \(contents.marks.count)")
    }

    // MARK: The log

    /// Reads the events of a write after which the engine is killed.
    func readOwnWrite() async throws {
        guard let head = outbox?.pending.head else { return }
        let events = try await syncStore.newEvents(after: head, isQuiet: false, isHeard: false)
        for entry in events.entries { try note(entry) }
    }

    func note(_ entry: LogEntry) throws {
        switch entry.content {
        case .visible(let reference):
            if !mayReplaceRows, outbox?.pending.changes(of: reference).isEmpty == false {
                throw report("client \(number) loses a pending change of \(reference.text)")
            }
            // The answer to a mutation makes the server's record visible only if no later change waits.
            if let answer = entry.answer, let last = lastChanges[reference], last > answer.mutation.sequence {
                throw report("client \(number) loses the change \(last) of \(reference.text)")
            }
            written[reference] = nil
        case .setAside(let change): if !change.holdsRow { written[change.reference] = nil }
        case .change(let change): lastChanges[change.reference] = change.sequence
        case .shadowed, .decided, .other: break
        }
        if let answer = entry.answer, outbox?.pending.changes(of: answer.reference).last?.mutation == answer.mutation {
            written[answer.reference] = nil
        }
    }

    /// Makes the simulation fail if the engine breaks a rule, which is given as a sentence.
    func check(_ brokenRule: String?) {
        if let brokenRule, simulation.plan.planted == nil { _ = report("client \(number) \(brokenRule)") }
    }

    /// Makes the simulation fail. The engine would only stop and start again because of an error that is thrown in its actions.
    func report(_ text: String) -> SimulationFailure {
        let failure = SimulationFailure(text)
        self.failure = self.failure ?? failure
        return failure
    }

    // MARK: Calls of the app

    /// Makes the app stop the engine.
    func stop() async throws {
        guard shell != nil, !isStopped else { return }
        callCount += 1
        simulation.trace.note(simulation.now, number, "stop")
        try await pass(.stop(call: callCount))
    }

    func hasStopped() { isStopped = true }

    /// Makes the app start the engine that it has stopped.
    func start() async throws {
        guard isStopped else { return }
        isStopped = false
        try await pass(.start(isSingleRun: false))
    }

    // MARK: Waking

    func woke() async throws { if environment?.wakes() ?? false { try await pass(.timePassed) } }
}
