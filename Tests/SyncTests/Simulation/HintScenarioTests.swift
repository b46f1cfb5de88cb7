import Testing
import TidelogCore
import TidelogSync

@testable import SyncSimulator

/// Scenarios with servers whose records cannot be relied on, as AppSync's: pushes have only what their writers selected,
/// responses hide fields, and scans do not see the latest changes.
@Suite("Scenarios of servers that push, return and find only a part")
struct HintScenarioTests {
    private static let blog = RecordReference(model: "Blog", id: "b0")

    private static func inexact(planted: PlantedFault? = nil) async throws -> Scenario {
        try await Scenario(planted: planted, isServerExact: false)
    }

    /// The requests for single records that the devices made.
    private static func getCount(_ scenario: Scenario) -> Int { scenario.counts["got", default: 0] }

    private static func version(_ scenario: Scenario, _ number: Int) async throws -> UInt64? {
        try await scenario.clients[number].knownVersion(of: blog)
    }

    // MARK: Pushes

    /// Makes a device change the title of a record while pushes have no other field. Returns the rating on the other device
    /// right after the push.
    static func ratingAfterPush(planted: PlantedFault? = nil) async throws -> FieldValue? {
        let scenario = try await inexact(planted: planted)
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "first")
        try await scenario.run(10_000)
        scenario.simulation.selected = ["title"]
        try await scenario.save(0, "b0", "second")
        try await scenario.run(200)
        let row = try await scenario.clients[1].store.record("Blog", id: "b0")
        guard planted == nil else { return row?["rating"] }
        #expect(row?["title"] == "second")
        try await scenario.run(10_000)
        #expect(try await scenario.clients[1].store.record("Blog", id: "b0")?["rating"] == 50)
        try await scenario.finish()
        return row?["rating"]
    }

    @Test("a push without a field that its writer did not select does not erase the field on another device")
    func fewerFields() async throws { #expect(try await Self.ratingAfterPush() == 50) }

    @Test(
        "a record of which a push showed only the key is whole on another device without a new version",
        arguments: [false, true])
    func keyAlone(isNew: Bool) async throws {
        let scenario = try await Self.inexact()
        try await scenario.start(0, 1)
        if !isNew {
            try await scenario.save(0, "b0", "first")
            try await scenario.run(10_000)
        }
        scenario.simulation.selected = []
        try await scenario.save(0, "b0", "second")
        try await scenario.run(10_000)
        #expect(try await scenario.title(1, "b0") == "second")
        #expect(try await Self.version(scenario, 1) == (isNew ? 1 : 2))
        #expect(scenario.simulation.server.writeCount == (isNew ? 1 : 2))
        try await scenario.finish()
    }

    @Test("a field that a device set to null is null on another device after a push of a server that may hide fields")
    func realNull() async throws {
        let scenario = try await Self.inexact()
        try await scenario.start(0, 1)
        var row = Scenario.blog("b0", "first")
        row["tags"] = .list(["a"])
        try await scenario.save(0, row)
        try await scenario.run(10_000)
        row["tags"] = nil
        try await scenario.save(0, row)
        try await scenario.run(10_000)
        #expect(try await scenario.clients[1].store.record("Blog", id: "b0") == row)
        try await scenario.finish()
    }

    @Test("many pushes of one record lead to few requests for it, and whole pushes to none")
    func coalesced() async throws {
        let scenario = try await Self.inexact()
        try await scenario.start(0, 1)
        var row = Scenario.blog("b0", "0")
        row["tags"] = .list(["a"])
        try await scenario.save(0, row)
        try await scenario.run(10_000)
        let before = Self.getCount(scenario)
        row["title"] = "whole"
        try await scenario.save(0, row)
        try await scenario.run(10_000)
        #expect(Self.getCount(scenario) == before, "this push had a value in every field")
        scenario.simulation.selected = ["title"]
        for number in 1...10 {
            row["title"] = .string("\(number)")
            try await scenario.save(0, row)
            try await scenario.run(80)
        }
        try await scenario.run(10_000)
        #expect(try await scenario.title(1, "b0") == "10")
        #expect((1...2).contains(Self.getCount(scenario) - before))
        try await scenario.finish()
    }

    @Test("a push that lacks a field while a change is pending leaves the field as it is after the change is answered")
    func pendingChange() async throws {
        let scenario = try await Self.inexact()
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "first")
        try await scenario.run(10_000)
        // The other device's mutation does not arrive, so its change stays pending.
        scenario.simulation.admits = { event in
            if case .request(let origin, .mutations) = event { origin.client != 1 } else { true }
        }
        try await scenario.save(1, Record(model: "Blog", values: ["id": "b0", "title": "first", "rating": 60]))
        scenario.simulation.selected = ["title"]
        try await scenario.save(0, "b0", "second")
        try await scenario.run(10_000)
        let row = try await scenario.clients[1].store.record("Blog", id: "b0")
        #expect(row?["title"] == "first" && row?["rating"] == 60, "the row has the pending change")
        let shadow = try #require(scenario.clients[1].outbox?.pending.shadow(of: Self.blog))
        #expect(shadow.row?["title"] == "second" && shadow.row?["rating"] == 50)
        scenario.simulation.admits = nil
        try await scenario.run(60_000)
        try await scenario.finish()
    }

    @Test("discarding a set-aside change restores fields that a later push did not show")
    func setAside() async throws {
        let scenario = try await Self.inexact()
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "first")
        try await scenario.run(10_000)
        scenario.simulation.server.troubles.refused = [Self.blog]
        try await scenario.save(1, "b0", "mine")
        try await scenario.run(5_000)
        scenario.simulation.server.troubles.refused = []
        scenario.simulation.selected = ["title"]
        try await scenario.save(0, "b0", "second")
        try await scenario.run(10_000)
        #expect(try await scenario.title(1, "b0") == "mine")
        try await scenario.clients[1].decideSetAside(retries: false)
        let row = try await scenario.clients[1].store.record("Blog", id: "b0")
        #expect(row?["title"] == "second" && row?["rating"] == 50)
        try await scenario.finish()
    }

    @Test("a device that is killed before it asks for a record has the whole record after its next start")
    func killed() async throws {
        let scenario = try await Self.inexact()
        try await scenario.start(0, 1)
        scenario.simulation.selected = []
        try await scenario.save(0, "b0", "first")
        try await scenario.run(500)
        scenario.clients[1].end()
        try await scenario.start(1)
        try await scenario.run(5_000)
        #expect(try await scenario.title(1, "b0") == "first")
        try await scenario.finish()
    }

    @Test("if the server does not answer requests for single records, a query brings the values that pushes lacked")
    func unanswered() async throws {
        let scenario = try await Self.inexact()
        try await scenario.start(0, 1)
        scenario.simulation.admits = { if case .request(_, .records) = $0 { false } else { true } }
        scenario.simulation.selected = ["rating"]
        try await scenario.save(0, "b0", "first")
        try await scenario.run(200_000)
        #expect(try await scenario.title(1, "b0") == "first")
        try await scenario.finish()
    }

    // MARK: Responses

    @Test("a response that hides fields does not erase them, also if a later change is pending")
    func hiddenFields() async throws {
        let scenario = try await Self.inexact()
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "first")
        try await scenario.run(10_000)
        scenario.simulation.redacted = ["rating"]
        for title in ["second", "third"] {
            try await scenario.save(0, "b0", title)
            try await scenario.run(30)
        }
        try await scenario.run(200)
        #expect(try await scenario.clients[0].store.record("Blog", id: "b0") == Scenario.blog("b0", "third"))
        try await scenario.run(10_000)
        #expect(try await scenario.clients[0].store.record("Blog", id: "b0") == Scenario.blog("b0", "third"))
        #expect(scenario.counts["conflict"] == nil)
        try await scenario.finish()
    }

    // MARK: Scans

    /// A scenario in which the second device begins with a base query that does not see the given records, which it has. They
    /// were changed just before the query.
    static func unscanned(
        _ ids: [String], planted: PlantedFault? = nil, _ prepare: (Scenario) async throws -> Void = { _ in }
    ) async throws -> Scenario {
        let scenario = try await inexact(planted: planted)
        try await scenario.start(0, 1)
        for id in ids { try await scenario.save(0, id, "kept") }
        try await scenario.run(10_000)
        for id in ids { #expect(try await scenario.title(1, id) == "kept") }
        let client = scenario.clients[1]
        client.end()
        // Without the note of the last sync, the next query is a base query.
        try await client.store.write { try $0.append(noted: NoteName.lastSync("Blog"), value: nil) }
        try await prepare(scenario)
        scenario.simulation.unscanned = Set(ids.map { RecordReference(model: "Blog", id: RecordID($0)) })
        try await scenario.start(1)
        try await scenario.run(10_000)
        return scenario
    }

    @Test("a record that a base query did not see, and that changed just before it, stays if the server has it")
    func stays() async throws {
        let scenario = try await Self.unscanned(["b0", "b1"])
        #expect(try await scenario.title(1, "b0") == "kept")
        #expect(Self.getCount(scenario) >= 2)
        #expect(try await scenario.clients[1].syncStore.contents().notes[NoteName.lastSync("Blog")] != nil)
        #expect(try await scenario.clients[1].syncStore.contents().notes[NoteName.progress("Blog")] == nil)
        try await scenario.finish()
    }

    @Test("a record that a base query did not see leaves if the server has deleted it, also if the deletion is purged")
    func leaves() async throws {
        for isPurged in [false, true] {
            let scenario = try await Self.unscanned(["b0"]) { scenario in
                try await scenario.delete(0, "b0")
                try await scenario.run(2_000)
                if isPurged { try await scenario.simulation.server.purge(all: true) }
            }
            #expect(try await scenario.title(1, "b0") == nil)
            try await scenario.finish()
        }
    }

    @Test("a device that is killed while it asks for the records that a base query did not see asks for them again")
    func killedWhileAsking() async throws {
        let scenario = try await Self.unscanned(["b0"]) { scenario in
            scenario.simulation.admits = { if case .answer(_, .records) = $0 { false } else { true } }
        }
        let client = scenario.clients[1]
        #expect(try await scenario.title(1, "b0") == "kept")
        #expect(try await client.syncStore.contents().notes[NoteName.progress("Blog")] != nil)
        client.end()
        scenario.simulation.admits = nil
        let before = Self.getCount(scenario)
        try await scenario.start(1)
        try await scenario.run(10_000)
        #expect(Self.getCount(scenario) > before)
        #expect(try await scenario.title(1, "b0") == "kept")
        try await scenario.finish()
    }

    @Test("an exact server is not asked for single records")
    func exact() async throws {
        let scenario = try await Scenario()
        try await scenario.start(0, 1)
        for id in ["b0", "b1"] { try await scenario.save(0, id, "first") }
        try await scenario.run(5_000)
        try await scenario.save(1, Record(model: "Blog", values: ["id": "b0", "rating": 50]))
        try await scenario.run(5_000)
        try await scenario.clients[1].restartNow()
        try await scenario.run(5_000)
        #expect(Self.getCount(scenario) == 0)
        try await scenario.finish()
    }
}
