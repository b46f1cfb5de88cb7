import Testing
import TidelogCore
import TidelogSync

@testable import SyncSimulator

/// Scenarios of a server that does a part of its work.
@Suite("Scenarios of a server that works in part")
struct PartialServiceScenarioTests {
    @Test("a model whose queries fail keeps neither other models from syncing nor changes from being sent")
    func failingModel() async throws {
        let scenario = try await Scenario()
        try await scenario.start(0)
        try await scenario.save(0, "b0", "before")
        try await scenario.run(2_000)
        scenario.simulation.server.troubles.failingModels = ["Post"]
        try await scenario.start(1)
        #expect(try await scenario.title(1, "b0") == "before")
        try await scenario.save(1, "b1", "sent")
        try await scenario.run(2_000)
        #expect(try await scenario.serverTitle("b1") == "sent")
        #expect(scenario.clients[1].inbox?.failingModels.keys.sorted() == ["Post"])
        // The model is asked with growing pauses.
        let count = scenario.clients[1].queryCount
        try await scenario.run(120_000)
        #expect(scenario.clients[1].queryCount - count < 120)
        scenario.simulation.server.troubles.failingModels = []
        try await scenario.run(10_000)
        #expect(scenario.clients[1].inbox?.failingModels.isEmpty == true)
        try await scenario.finish()
    }

    @Test("a record that a store cannot hold hides no other record and is never hidden by a last sync")
    func unstorable() async throws {
        let scenario = try await Scenario()
        try await scenario.start(0)
        for id in 0..<7 { try await scenario.save(0, "b\(id)", "t") }
        try await scenario.run(5_000)
        let long = FieldValue.string(String(repeating: "x", count: 300))
        let row = Record(model: "Blog", values: ["id": long, "title": "t", "rating": 50])
        scenario.simulation.server.troubles.unstorable = ServerRecord(
            RecordReference(model: "Blog", id: RecordID([long])), row: row, version: 1, lastChangedAt: 1)
        try await scenario.start(1)
        for id in 0..<7 { #expect(try await scenario.title(1, "b\(id)") == "t") }
        let client = scenario.clients[1]
        #expect(client.inbox?.isIdle == true && scenario.counts["reported", default: 0] == 1)
        #expect(try await client.syncStore.contents().notes[NoteName.lastSync("Blog")] == nil)
        scenario.simulation.server.troubles.unstorable = nil
        client.end()
        try await scenario.start(1)
        #expect(try await client.syncStore.contents().notes[NoteName.lastSync("Blog")] != nil)
        try await scenario.finish()
    }

    @Test(
        "a device without a WebSocket receives changes at intervals, sends its own at once, and gets the WebSocket later",
        arguments: [SimulatedClient.Sockets.refused, .unacknowledged])
    func noSocket(_ sockets: SimulatedClient.Sockets) async throws {
        let scenario = try await Scenario()
        try await scenario.start(0)
        scenario.clients[1].sockets = sockets
        try await scenario.start(1)
        try await scenario.run(10_000)
        try await scenario.save(1, "b1", "sent")
        try await scenario.run(1_000)
        #expect(try await scenario.serverTitle("b1") == "sent")
        try await scenario.save(0, "b0", "not pushed")
        try await scenario.run(130_000)
        #expect(try await scenario.title(1, "b0") == "not pushed")
        // After a time without changes, the device asks for each of the two models once in ten minutes.
        try await scenario.run(900_000)
        let count = scenario.clients[1].queryCount
        try await scenario.run(1_200_000)
        #expect(scenario.clients[1].queryCount - count <= 6)
        scenario.clients[1].sockets = .accepted
        try await scenario.run(20_000)
        #expect(scenario.clients[1].inbox?.isSubscribed == true)
        try await scenario.save(0, "b0", "pushed")
        try await scenario.run(1_000)
        #expect(try await scenario.title(1, "b0") == "pushed")
        try await scenario.finish()
    }
}
