import SeededNumbers
import Testing
import TidelogCore
import TidelogSync

@testable import SyncSimulator

/// A simulation in which only the test decides what happens, without random events.
final class Scenario {
    let simulation: Simulation

    init(
        clients: Int = 2, planted: PlantedFault? = nil, serverKnowsIDs: Bool = true, isServerExact: Bool = true,
        copiesStores: Bool = false, protocol: SyncProtocol = .versioned, hasTags: Bool = false, hasOwners: Bool = false,
        marksDeletions: Bool = false, hasTimeIndex: Bool = false
    ) async throws {
        var plan = SimulationPlan(seed: 1, protocol: `protocol`, faults: [], planted: planted)
        let hasVersions = `protocol` == .versioned
        (plan.serverKnowsIDs, plan.isServerExact) = (serverKnowsIDs && hasVersions, isServerExact && hasVersions)
        (plan.hasTags, plan.hasOwners) = (hasTags || marksDeletions, hasOwners)
        (plan.marksDeletions, plan.hasTimeIndex, plan.servesTimeIndex) = (marksDeletions, hasTimeIndex, true)
        plan.copiesStores = copiesStores
        (plan.clientCount, plan.changeCount) = (clients, 0)
        simulation = try await Simulation(plan)
    }

    var clients: [SimulatedClient] { simulation.clients }
    var counts: [String: Int] { simulation.trace.counts }

    /// Starts or restarts the devices with these numbers.
    func start(_ numbers: Int...) async throws {
        for number in numbers { try await clients[number].restart() }
        try await run(2_000)
    }

    /// Runs the simulation for a time.
    func run(_ milliseconds: Int64) async throws {
        let end = simulation.now + milliseconds
        while try await simulation.step(until: end) {}
        simulation.clock.now = max(simulation.now, end)
    }

    static func blog(_ id: String, _ title: String) -> Record {
        // The sync expression of every device includes this rating.
        Record(model: "Blog", values: ["id": .string(id), "title": .string(title), "rating": 50])
    }

    /// The app of a device saves a record.
    func save(_ number: Int, _ id: String, _ title: String) async throws {
        try await save(number, Self.blog(id, title))
    }

    func save(_ number: Int, _ row: Record) async throws {
        try await clients[number].store.save(row)
        try await notice(number)
    }

    func delete(_ number: Int, _ id: String, model: String = "Blog") async throws {
        try await clients[number].store.write { _ = try $0.delete(model, id: RecordID(id)) }
        try await notice(number)
    }

    private func notice(_ number: Int) async throws {
        try await clients[number].pass(.logNoticed)
    }

    /// The title of the record on the server; `nil` if the server does not have the record.
    func serverTitle(_ id: String) async throws -> FieldValue? {
        try await simulation.server.liveRecords()[RecordReference(model: "Blog", id: RecordID(id))]?["title"]
    }

    func title(_ number: Int, _ id: String) async throws -> FieldValue? {
        try await clients[number].store.record("Blog", id: RecordID(id))?["title"]
    }

    /// Waits until no work is pending, and checks that every device has the same records as the server.
    func finish() async throws {
        try await simulation.settle("at the end", within: 600_000)
        try await simulation.check()
        for client in clients {
            let setAside = try await client.syncStore.setAside()
            #expect(setAside.isEmpty)
            try await client.close()
        }
        try await simulation.server.close()
    }
}

extension Simulation.Event {
    /// Whether this is the response to a mutation.
    var isMutationResponse: Bool {
        if case .answer(_, .mutations) = self { true } else { false }
    }
}
