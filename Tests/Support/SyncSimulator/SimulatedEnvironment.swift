import SeededNumbers
import TidelogCore
import TidelogSync

/// The environment of a simulated device's engine, from the start of the engine to its kill.
final class SimulatedEnvironment: SyncEnvironment {
    unowned let client: SimulatedClient
    /// The number of the start of the engine on its device.
    private let life: Int
    /// Whether the engine was killed. Its actions have no effect after that.
    private(set) var isKilled = false
    /// The last requests for subscriptions, by model.
    private var requests: [String: (request: Inbox.SubscriptionRequest, connection: Int)] = [:]
    private var nextWake: Int64?

    init(_ client: SimulatedClient) {
        self.client = client
        life = client.life
    }

    private var simulation: Simulation { client.simulation }

    func kill() { isKilled = true }

    // MARK: Time

    var moment: SyncMachine.Moment { SyncMachine.Moment(now: simulation.now, clockOffset: client.skew) }

    func wake(at time: Int64) {
        cover("wake")
        guard !isKilled else { return }
        // No simulated time passes during a turn, so a turn leaves no work that is due.
        client.check(time > simulation.now ? nil : "asks to be woken at a time that is over")
        let time = max(time, simulation.now)
        if let nextWake, nextWake <= time, nextWake >= simulation.now { return }
        nextWake = time
        simulation.schedule(.wake(client: client.number, life: life), in: time - simulation.now)
    }

    /// Whether the engine waits for the current time. An earlier time may have been chosen after a wake-up was scheduled.
    func wakes() -> Bool {
        guard nextWake == simulation.now else { return false }
        nextWake = nil
        return true
    }

    // MARK: The store

    func takeLease() -> Bool {
        cover("takeLease")
        guard !isKilled, simulation.strikes(.lease, once: 4) else { return true }
        pass(.leaseFree, in: Int64(client.random.below(2_000)))
        return false
    }

    func giveUpLease() { cover("giveUpLease") }

    func unopenedStorage() -> SimulatedStorage { SimulatedStorage(self, isOpen: false) }

    func open(for identity: SyncIdentity) async throws -> (SimulatedStorage, SyncMachine.Contents) {
        let storage = SimulatedStorage(self, isOpen: true)
        var contents = try await storage.contents()
        if contents.position.sequence > .zero, simulation.strikes(.damage, once: 20) {
            // An earlier version may have left the mark of a mutation that has its answer.
            contents.marks[1_000] = SentMark(first: SequenceNumber(1), last: SequenceNumber(1), kind: .create)
        }
        if simulation.plan.planted == .marksIgnored { contents.marks = [:] }
        if simulation.plan.planted == .baseQueryForgotten {
            for name in simulation.server.models.names { contents.notes[NoteName.progress(name)] = nil }
        }
        client.opened(contents)
        contents.syncProtocol = client.chosenProtocol(contents)
        let expression = client.minimumRating.map { "rating >= \($0)" } ?? ""
        for name in simulation.server.models.names { contents.questions[name] = expression }
        return (storage, contents)
    }

    func awaitResumption() {
        cover("awaitResumption")
        pass(.resumed, in: 700)
    }

    func setSynced(_ isSynced: Bool, model: String) { cover("setSynced") }

    // MARK: The server

    func begin(_ request: SyncMachine.Request, life engineLife: Int) {
        guard !isKilled else { return }
        simulation.trace.cover(request)
        client.check(client.rules.request(request))
        let request = client.disguised.isEmpty ? request : request.disguised(client.disguised)
        let origin = Simulation.Origin(client: client.number, life: life, engineLife: engineLife, socket: client.socket)
        client.renewToken()
        switch request {
        case .identity:
            let failure = RequestFailure(.noToken, "Nobody is signed in.")
            let fails = simulation.strikes(.expiry, once: 8)
            let answer = fails ? .unidentified(failure) : SyncMachine.Answer.identified(client.identity)
            return simulation.schedule(.answer(origin, answer), in: Int64(client.random.below(50)))
        case .mutations(let mutations, _):
            for mutation in mutations { client.tries[mutation.sentID, default: []].insert(mutation.content) }
        case .page: client.queryCount += 1
        case .subscribe(let request, let connection): requests[request.model] = (request, connection)
        case .fetch, .records: break
        }
        simulation.send(request, from: origin)
    }

    func unsubscribe(model: String) {
        cover("unsubscribe")
        guard !isKilled, let (request, connection) = requests[model] else { return }
        simulation.sendEnd(of: request, connection, client: client.number, life: life)
    }

    func disconnect() async {
        cover("disconnect")
        if !isKilled { client.loseSocket() }
    }

    func cancelAll() async {
        cover("close")
        if !isKilled { client.loseSocket() }
    }

    // MARK: The app

    func decide(
        _ conflict: SyncConflict, slot: Int, life engineLife: Int, in storage: SimulatedStorage
    ) async throws -> SyncConflict.Decision? {
        cover("decide")
        let decision = try await client.decide(conflict)
        guard client.random.once(in: 3) else { return decision }
        // The app takes a while.
        pass(.answer(.resolved(decision, slot: slot), life: engineLife), in: Int64(client.random.below(1_000)))
        return nil
    }

    private func pass(_ input: SyncMachine.Input, in milliseconds: Int64) {
        simulation.schedule(.input(client: client.number, life: life, input), in: milliseconds)
    }

    var isHeard: Bool { false }

    func tell(_ message: SyncMachine.Message) {
        cover("tell")
        guard !isKilled else { return }
        if case .status(let status) = message { client.check(client.rules.status(status)) }
        guard case .notice(.report(let report)) = message else { return }
        switch report {
        case .ready: simulation.trace.note(simulation.now, client.number, "ready")
        case .modelSynced(let model, let isBase, true):
            simulation.trace.note(simulation.now, client.number, "truncated", "\(model) \(isBase)")
        case .failed(let reason, _): simulation.trace.note(simulation.now, client.number, "reported", reason)
        default: break
        }
    }

    func finish(goal: UInt64, with report: SyncReport) {
        cover("finish")
        if !isKilled { client.callEnded(goal, report) }
    }

    func finish(stop: UInt64) {
        cover("finishStops")
        if !isKilled { client.hasStopped() }
    }

    /// Notes that the machine requested this action.
    func cover(_ action: String) { simulation.trace.cover(action: action) }
}
