import Testing
import TidelogCore
import TidelogSync

@testable import SyncSimulator

/// Scenarios with incomplete queries, and with servers that do not recognise the ids of mutations.
@Suite("Scenarios of incomplete queries, and of servers that do not know the ids of mutations")
struct QueryScenarioTests {
    /// Whether a device has a note about the last sync of a model.
    private func hasLastSync(_ client: SimulatedClient, _ model: String) async throws -> Bool {
        try await client.syncStore.contents().notes[NoteName.lastSync(model)] != nil
    }

    @Test(
        "a base query that stops at the record limit is reported as truncated, removes nothing and notes no last sync")
    func truncated() async throws {
        let scenario = try await Scenario()
        let client = scenario.clients[1]
        try await scenario.start(0, 1)
        for id in 0..<7 { try await scenario.save(0, "b\(id)", "t") }
        try await scenario.run(5_000)
        #expect(try await hasLastSync(client, "Blog"))
        client.end()
        // The device is away for two days. A delta query would miss deletions, so the device begins with a base query.
        scenario.simulation.clock.now += 2 * 86_400_000
        client.maximumRecords = 4
        try await scenario.save(0, "b7", "new")
        try await scenario.run(5_000)
        try await scenario.delete(0, "b0")
        try await scenario.run(5_000)
        let former = try await client.syncStore.contents().notes[NoteName.lastSync("Blog")]
        try await client.restart()
        try await scenario.run(5_000)
        #expect(scenario.counts["truncated", default: 0] > 0)
        // A page may have contained the deletion of b0. No other record is missing.
        for id in 1..<7 { #expect(try await scenario.title(1, "b\(id)") == "t") }
        let notes = try await client.syncStore.contents().notes
        #expect(notes[NoteName.lastSync("Blog")] == former && notes[NoteName.progress("Blog")] == nil)
        // Without the limit, the next base query is complete.
        client.end()
        client.maximumRecords = nil
        try await client.restart()
        try await scenario.run(5_000)
        #expect(try await client.syncStore.contents().notes[NoteName.lastSync("Blog")] != former)
        try await scenario.finish()
    }

    @Test("after a crash, a written mutation is not sent again to a server that does not know the ids of mutations")
    func unknownIDs() async throws {
        let scenario = try await Scenario(serverKnowsIDs: false)
        try await scenario.start(0, 1)
        scenario.simulation.admits = { !$0.isMutationResponse }
        try await scenario.save(0, "b0", "once")
        try await scenario.run(1_000)
        #expect(scenario.simulation.server.writeCount == 1)
        scenario.clients[0].end()
        scenario.simulation.admits = nil
        try await scenario.start(0)
        try await scenario.run(5_000)
        #expect(scenario.simulation.server.writeCount == 1 && scenario.counts["conflict"] == nil)
        // The server would refuse a second creation, so the number of writes does not show how often the mutation was sent.
        #expect(scenario.counts["mutation"] == 1)
        #expect(scenario.clients[0].outbox?.isEmpty == true)
        #expect(try await scenario.serverTitle("b0") == "once")
        try await scenario.finish()
    }

    @Test("after a crash, an unwritten mutation is sent again to a server that does not know the ids of mutations")
    func unknownIDsUnwritten() async throws {
        let scenario = try await Scenario(serverKnowsIDs: false)
        try await scenario.start(0, 1)
        scenario.simulation.admits = { if case .request(_, .mutations) = $0 { false } else { true } }
        try await scenario.save(0, "b0", "once")
        try await scenario.run(1_000)
        scenario.clients[0].end()
        scenario.simulation.admits = nil
        try await scenario.start(0)
        try await scenario.run(5_000)
        #expect(scenario.simulation.server.writeCount == 1)
        #expect(try await scenario.serverTitle("b0") == "once")
        try await scenario.finish()
    }

    @Test("an engine that fails starts again after a pause")
    func failure() async throws {
        let scenario = try await Scenario()
        try await scenario.start(0, 1)
        try await scenario.clients[0].fail()
        #expect(scenario.clients[0].outbox == nil)
        try await scenario.save(0, "b0", "made while the engine does not run")
        try await scenario.run(5_000)
        #expect(try await scenario.serverTitle("b0") == "made while the engine does not run")
        try await scenario.finish()
    }
}
