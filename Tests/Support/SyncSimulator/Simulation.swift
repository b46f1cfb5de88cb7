import FaultHarness
import SeededNumbers
import TidelogCore
import TidelogServer
import TidelogSync

/// Devices and a server in one process, with a virtual clock and a virtual network. One seed determines every choice.
final class Simulation {
    /// An event that happens at a simulated time.
    enum Event {
        case request(Origin, SyncMachine.Request)
        /// A device ends its request for subscriptions.
        case end(client: Int, life: Int, Inbox.SubscriptionRequest, connection: Int)
        case answer(Origin, SyncMachine.Answer)
        case push(client: Int, life: Int, socket: Int, SyncMachine.Push)
        case input(client: Int, life: Int, SyncMachine.Input)
        case wake(client: Int, life: Int)
        case restart(client: Int)
        case change(client: Int)
        case start(client: Int)
        case trouble
        case network(client: Int, isOnline: Bool)
        /// A device's connection changes, and the device does not notice it.
        case connection(client: Int, isConnected: Bool)
        case socketLost(client: Int, life: Int, socket: Int)
    }

    /// The sender of a request.
    struct Origin {
        let client: Int
        /// The number of the engine's start on the device.
        let life: Int
        /// The number of the start within the engine's life.
        let engineLife: Int
        let socket: Int
    }

    let plan: SimulationPlan
    let clock = VirtualClock()
    let server: any SimulatedAPI
    /// The server, if it has no versions.
    let stampServer: StampServer?
    var clients: [SimulatedClient] = []
    var random: SeededGenerator
    var trace = Trace()
    /// Whether faults happen.
    var isTroubled = true
    private var queue: [(time: Int64, number: UInt64, event: Event)] = []
    private var eventCount: UInt64 = 0
    private(set) var stepCount = 0
    /// How often each fault happened.
    private(set) var faultCounts: [SimulationPlan.Fault: Int] = [:]
    var changesLeft: Int
    var changeCount = 0
    /// The last copy of the files of a device's store.
    var copy: TemporaryDirectory?
    /// How often a copy replaced the store of a device.
    var replacementCount = 0
    /// The fields that the response to a mutation hides.
    var redacted: Set<String> = []
    /// The fields that pushes have, because the writer of the change selected them; `nil` for all.
    var selected: Set<String>?
    /// The records that a device could not decode in a page.
    var undecodable: Set<RecordReference> = []
    /// The records that pages of base queries do not have.
    var unscanned: Set<RecordReference> = []
    /// Whether a message arrives. If it is `nil`, all messages arrive.
    var admits: ((Event) -> Bool)?
    /// The time until which the server is overloaded.
    var overloadedUntil: Int64 = 0

    init(_ plan: SimulationPlan) async throws {
        self.plan = plan
        random = SeededGenerator(plan.seed)
        changesLeft = plan.changeCount
        clock.now = 1_800_000_000_000
        if plan.protocol == .timestamps {
            let stampServer = try StampServer(clock, plan)
            (self.stampServer, server) = (stampServer, stampServer)
        } else {
            stampServer = nil
            server = try await SimulatedServer(
                clock, strategy: plan.seed % 2 == 0 ? .autoMerge : .optimistic, knowsIDs: plan.serverKnowsIDs,
                pageKey: plan.seed)
        }
        stampServer?.behaves(as: self)
        for number in 0..<plan.clientCount {
            clients.append(try await SimulatedClient(number, self, minimumRating: number == 1 ? 20 : nil))
        }
    }

    /// This is more than the number of events that any plan needs.
    private static let stepLimit = 100_000

    var now: Int64 { clock.now }

    func has(_ fault: SimulationPlan.Fault) -> Bool { isTroubled && plan.faults.contains(fault) }

    /// Whether a fault happens now, with a probability of one in `times`.
    func strikes(_ fault: SimulationPlan.Fault, once times: Int) -> Bool {
        guard has(fault), random.once(in: times) else { return false }
        count(fault)
        return true
    }

    /// Counts a fault that happened.
    func count(_ fault: SimulationPlan.Fault) { faultCounts[fault, default: 0] += 1 }

    // MARK: Time

    func schedule(_ event: Event, in milliseconds: Int64) {
        eventCount += 1
        queue.append((now + max(milliseconds, 0), eventCount, event))
    }

    /// Handles the next event. Returns whether there was an event before `end`.
    func step(until end: Int64) async throws -> Bool {
        guard
            let index = queue.indices.min(by: {
                (queue[$0].time, queue[$0].number) < (queue[$1].time, queue[$1].number)
            }),
            queue[index].time <= end
        else { return false }
        let (time, _, event) = queue.remove(at: index)
        clock.now = max(now, time)
        stepCount += 1
        guard stepCount < Self.stepLimit else {
            throw SimulationFailure("it never ends: " + clients.map(\.summary).joined(separator: "; "))
        }
        try await handle(event)
        return true
    }

    private func handle(_ event: Event) async throws {
        switch event {
        case .request(let origin, let request): try await serve(request, from: origin)
        case .end(let number, let life, let request, let connection):
            if clients[number].life == life { end(request, connection, of: clients[number]) }
        case .answer(let origin, let answer): try await clients[origin.client].received(answer, to: origin)
        case .push(let number, let life, let socket, let push):
            if clients[number].life == life { try await clients[number].pushed(push, socket) }
        case .input(let number, let life, let input): try await clients[number].pass([input], in: life)
        case .wake(let number, let life): if clients[number].life == life { try await clients[number].woke() }
        case .restart(let number): try await clients[number].restart()
        case .change(let number):
            try await clients[number].change()
            if random.once(in: 4) { try await random.pick(clients).call() }
            nextChange()
        case .start(let number): try await clients[number].start()
        case .trouble: try await trouble()
        case .network(let number, let isOnline): try await clients[number].networkChanged(isOnline)
        case .connection(let number, let isConnected): if isTroubled { clients[number].isConnected = isConnected }
        case .socketLost(let number, let life, let socket):
            if clients[number].life == life { try await clients[number].lostSocket(socket) }
        }
    }

    // MARK: Phases

    /// Runs the whole simulation. Throws ``SimulationFailure`` if a check fails.
    func run() async throws -> SimulationSummary {
        for client in clients { schedule(.restart(client: client.number), in: Int64(random.below(2_000))) }
        nextChange()
        schedule(.trouble, in: 500)
        let end = now + 10 * 86_400_000
        while changesLeft > 0 || now < troubleEnd { if try await !step(until: end) { break } }
        try await heal()
        try await check()
        for client in clients {
            try await client.pass(.end)
            try await client.close()
        }
        try await server.close()
        return SimulationSummary(
            traceHash: trace.hash, stepCount: stepCount, changeCount: changeCount, writeCount: server.writeCount,
            counts: trace.counts, faultCounts: faultCounts, cases: trace.cases)
    }

    private var troubleEnd: Int64 { 1_800_000_000_000 + 60_000 }

    private func nextChange() {
        guard changesLeft > 0 else { return }
        changesLeft -= 1
        let wait = random.once(in: 3) ? random.below(20) : random.below(4_000)
        schedule(.change(client: random.below(clients.count)), in: Int64(wait))
    }

    /// Ends all faults. After a day, every device starts again, so that it asks for everything.
    private func heal() async throws {
        isTroubled = false
        overloadedUntil = 0
        server.troubles.refused = []
        server.troubles.failingModels = []
        stampServer?.heal()
        for client in clients { client.sockets = .accepted }
        trace.note(now, nil, "heal")
        for client in clients { try await client.heal() }
        // Waits may be much longer, but the returning network ends them.
        try await settle("after the faults", within: 240_000)
        // A parent may be created again now. A query by parents did not find children that changed while it was missing.
        let hadOrphans = stampServer?.hasOrphans ?? false
        for round in 0..<3 {
            for client in clients { try await client.decideSetAside(retries: round == 0) }
            try await settle("after the decisions", within: 3_600_000)
        }
        // Only a restored server may need another base query before everything agrees.
        let hasOrphans = hadOrphans || stampServer?.hasOrphans ?? false
        if server.restoreCount == 0, !mayLackChanges, !hasOrphans { try await check() }
        // The clocks of devices were set, so that they measure up to an hour more or less.
        clock.now += stampServer == nil ? 90_000_000 : 100_000_000
        for client in clients { try await client.restartNow() }
        try await settle("after a day", within: 3_600_000)
    }

    /// Whether only a query for all records can bring some changes to the devices, because the stamps do not show them.
    private var mayLackChanges: Bool {
        // A client that is no device leaves the tag as it is.
        let hasEqualStamps = faultCounts[.frozenClock] != nil && (!plan.hasTags || faultCounts[.foreignWriter] != nil)
        return hasEqualStamps || faultCounts[.bypass] != nil || faultCounts[.nullElement] != nil
    }

    /// Runs until every device is idle.
    func settle(_ phase: String, within milliseconds: Int64) async throws {
        let end = now + milliseconds
        while true {
            if clients.allSatisfy(\.isIdle), queue.allSatisfy({ $0.event.isWake }) { return }
            guard try await step(until: end) else {
                let busy = clients.filter { !$0.isIdle }.map { "client \($0.number): \($0.summary)" }
                throw SimulationFailure("\(phase) it is not quiet: \(busy.joined(separator: "; "))")
            }
        }
    }
}

extension Simulation.Event {
    fileprivate var isWake: Bool {
        switch self {
        case .wake, .trouble: true
        default: false
        }
    }
}

extension SimulationPlan {
    /// Runs the simulation.
    ///
    /// - Throws: ``SimulationFailure``, with the seed and the last steps.
    package func run() async throws -> SimulationSummary {
        let simulation = try await Simulation(self)
        do {
            return try await simulation.run()
        } catch {
            let steps = simulation.trace.lines.suffix(300).joined(separator: "\n")
            throw SimulationFailure("seed \(seed): \(error)\nThe last steps:\n\(steps)")
        }
    }
}
