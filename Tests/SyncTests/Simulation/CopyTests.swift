import Testing
import TidelogCore
import TidelogSync

@testable import SyncSimulator

@Suite("Stores that were copied as files")
struct CopyTests {
    /// The moment at which the store is copied.
    enum Moment: CaseIterable, Sendable {
        case beforeFirstSync, synced, pending, inFlight, setAside
    }

    /// A scenario in which the store of the first device was copied at `moment`. The device has changed "b0" before that.
    private static func copied(at moment: Moment, serverKnowsIDs: Bool = true) async throws -> Scenario {
        let scenario = try await Scenario(clients: 3, serverKnowsIDs: serverKnowsIDs, copiesStores: true)
        let simulation = scenario.simulation
        try await scenario.start(2)
        if moment == .beforeFirstSync {
            try await scenario.save(0, "b0", "unsynced")
            simulation.copy = try await scenario.clients[0].copyStore()
            try await scenario.start(0, 1)
            return scenario
        }
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "synced")
        try await scenario.run(5_000)
        switch moment {
        case .beforeFirstSync, .synced: break
        case .pending:
            scenario.clients[0].isConnected = false
            try await scenario.clients[0].networkChanged(false)
            try await scenario.save(0, "b0", "pending")
        case .inFlight:
            simulation.admits = { !$0.isMutationResponse }
            try await scenario.save(0, "b0", "in flight")
            try await scenario.run(500)
        case .setAside:
            simulation.server.troubles.refused = [RecordReference(model: "Blog", id: "b0")]
            try await scenario.save(0, "b0", "refused")
            try await scenario.run(5_000)
            simulation.server.troubles.refused = []
        }
        simulation.copy = try await scenario.clients[0].copyStore()
        simulation.admits = nil
        try await scenario.clients[0].networkChanged(true)
        try await scenario.run(5_000)
        return scenario
    }

    /// Decides about all set-aside changes, and checks that every device equals the server.
    private static func finish(_ scenario: Scenario) async throws {
        try await scenario.simulation.settle("before the decisions", within: 600_000)
        for client in scenario.clients { try await client.decideSetAside(retries: false) }
        try await scenario.finish()
    }

    @Test(
        "a change of a restored copy is not taken for the change that the former store made",
        arguments: Moment.allCases)
    func restored(moment: Moment) async throws {
        let scenario = try await Self.copied(at: moment)
        try await scenario.save(0, "b1", "before the restore")
        try await scenario.run(5_000)
        #expect(try await scenario.serverTitle("b1") == "before the restore")
        let copy = try #require(scenario.simulation.copy)
        try await scenario.clients[0].replaceStore(by: copy)
        // The app changes another record first, so this event has the number of the change that the former store sent.
        try await scenario.save(0, "b2", "after the restore")
        try await scenario.save(0, "b1", "of the copy")
        try await scenario.run(10_000)
        #expect(try await scenario.serverTitle("b2") == "after the restore")
        #expect(try await scenario.title(2, "b2") == "after the restore")
        try await Self.finish(scenario)
    }

    @Test(
        "two devices that were restored from one copy keep every change, of the same record and of different records",
        arguments: Moment.allCases, [true, false])
    func twins(moment: Moment, serverKnowsIDs: Bool) async throws {
        let scenario = try await Self.copied(at: moment, serverKnowsIDs: serverKnowsIDs)
        try await scenario.clients[0].replaceStore(by: #require(scenario.simulation.copy))
        try await scenario.clients[1].replaceStore(by: #require(scenario.simulation.copy))
        try await scenario.save(0, "b1", "of the first")
        try await scenario.save(1, "b2", "of the second")
        try await scenario.save(0, "b3", "of both")
        try await scenario.save(1, "b3", "of both, too")
        try await scenario.run(20_000)
        for (id, title) in ["b1": "of the first", "b2": "of the second"] as [String: FieldValue] {
            #expect(try await scenario.serverTitle(id) == title)
            #expect(try await scenario.title(2, id) == title)
        }
        try await Self.finish(scenario)
    }

    @Test("a mutation whose id the server knows with another content gets another id, and is written")
    func taken() async throws {
        let scenario = try await Scenario()
        try await scenario.start(0, 1)
        scenario.simulation.admits = { if case .request(_, .mutations) = $0 { false } else { true } }
        try await scenario.save(0, "b0", "mine")
        try await scenario.run(500)
        // Another mutation comes to the server under the id of this one.
        let mark = try #require(try await scenario.clients[0].syncStore.contents().marks.values.first)
        let change = try #require(scenario.clients[0].outbox?.pending.oldest)
        let other = OutgoingMutation(
            RecordReference(model: "Blog", id: "b1"), .create, fields: ["title": "another", "rating": 50],
            id: change.mutation, distinction: mark.distinction)
        guard case .written = try await scenario.simulation.server.mutate(other).0 else {
            Issue.record("the server refuses the other mutation")
            return
        }
        scenario.simulation.admits = nil
        try await scenario.run(60_000)
        #expect(try await scenario.serverTitle("b0") == "mine")
        #expect(try await scenario.serverTitle("b1") == "another")
        // The other mutation was made without the network, so no device received a push of it.
        for client in scenario.clients { try await client.restartNow() }
        try await scenario.finish()
    }
}
