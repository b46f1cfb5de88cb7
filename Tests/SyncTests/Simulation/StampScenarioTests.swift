import Testing
import TidelogCore
import TidelogSync

@testable import SyncSimulator

/// Scenarios of a server without versions: the errors that such a server makes possible, and the errors that tags remove.
@Suite("Scenarios of a server without versions")
struct StampScenarioTests {
    private let blog = RecordReference(model: "Blog", id: "b0")
    private let noon: FieldValue

    init() throws { noon = .dateTime(try Temporal.DateTime("2026-11-28T12:00:00.000Z")) }

    private func scenario(
        hasTags: Bool = false, marksDeletions: Bool = false, hasTimeIndex: Bool = false,
        planted: PlantedFault? = nil
    ) async throws -> (Scenario, StampServer) {
        let scenario = try await Scenario(
            planted: planted, protocol: .timestamps, hasTags: hasTags, marksDeletions: marksDeletions,
            hasTimeIndex: hasTimeIndex)
        return (scenario, try #require(scenario.simulation.stampServer))
    }

    /// Starts a device again, so that it compares its records with the server's.
    private func restart(_ number: Int, _ scenario: Scenario) async throws {
        scenario.clients[number].end()
        try await scenario.start(number)
        try await scenario.run(20_000)
    }

    @Test(
        "two changes of one millisecond look alike, so that the second is overwritten unseen, except with tags",
        arguments: [false, true])
    func equalTimes(hasTags: Bool) async throws {
        let (scenario, server) = try await scenario(hasTags: hasTags)
        scenario.clients[1].decision = .applyRemote
        try await scenario.start(0, 1)
        server.frozenTime = scenario.simulation.now
        try await scenario.save(0, "b0", "first")
        try await scenario.run(10_000)
        #expect(try await scenario.title(1, "b0") == "first")
        // Device 1 does not hear of the next change.
        scenario.simulation.admits = { if case .push = $0 { false } else { true } }
        try await scenario.save(0, "b0", "of device 0")
        scenario.clients[1].isSilent = true
        try await scenario.run(1_000)
        try await scenario.save(1, "b0", "of device 1")
        try await scenario.run(30_000)
        #expect(try await scenario.serverTitle("b0") == (hasTags ? "of device 0" : "of device 1"))
        #expect((scenario.counts["conflict", default: 0] > 0) == hasTags)
    }

    @Test("a change without a new time arrives with the next query for all records")
    func bypass() async throws {
        let (scenario, server) = try await scenario()
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "first")
        try await scenario.run(10_000)
        server.bypass(blog, ["title": "changed in the table"])
        try await restart(1, scenario)
        #expect(try await scenario.title(1, "b0") == "first")
        scenario.simulation.clock.now += 90_000_000
        for number in 0..<2 { try await restart(number, scenario) }
        #expect(try await scenario.title(1, "b0") == "changed in the table")
        try await scenario.finish()
    }

    @Test(
        "a record whose creation had no response comes back if another client deletes it, except if deletions mark records",
        arguments: [false, true])
    func creationAndDeletion(marksDeletions: Bool) async throws {
        let (scenario, server) = try await scenario(marksDeletions: marksDeletions)
        try await scenario.start(0, 1)
        scenario.simulation.admits = { !$0.isMutationResponse }
        try await scenario.save(0, "b0", "first")
        try await scenario.run(1_000)
        #expect(try server.change(blog, marksDeletions ? [RecordStamp.deletionField: noon] : nil) != nil)
        scenario.simulation.admits = nil
        try await scenario.run(60_000)
        #expect(try await scenario.serverTitle("b0") == (marksDeletions ? nil : "first"))
        // The change is kept, so that the app can decide.
        #expect(try await scenario.clients[0].syncStore.setAside().count == (marksDeletions ? 1 : 0))
        try await scenario.clients[0].decideSetAside(retries: false)
        // The other client's deletion has no message here.
        try await restart(1, scenario)
        try await scenario.finish()
    }

    @Test("with a mark, a deletion is a change of the record, and a record with the same id can be created again")
    func markedDeletion() async throws {
        let (scenario, server) = try await scenario(marksDeletions: true)
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "first")
        try await scenario.run(10_000)
        let hintCount = scenario.counts["hints"]
        try await scenario.delete(1, "b0")
        try await scenario.run(1_000)
        // No request for the record was needed.
        #expect(try await scenario.title(0, "b0") == nil && scenario.counts["hints"] == hintCount)
        #expect(server.isKept(blog))
        for number in 0..<2 { try await restart(number, scenario) }
        try await scenario.save(0, "b0", "again")
        try await scenario.run(10_000)
        #expect(try await scenario.title(1, "b0") == "again")
        try await scenario.finish()
    }

    @Test("the app may set the mark itself, which deletes the record everywhere and sets nothing aside")
    func ownMark() async throws {
        let (scenario, server) = try await scenario(marksDeletions: true)
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "first")
        try await scenario.run(10_000)
        var row = try #require(try await scenario.clients[1].store.record("Blog", id: "b0"))
        row[RecordStamp.deletionField] = noon
        try await scenario.save(1, row)
        try await scenario.run(10_000)
        #expect(try await scenario.title(0, "b0") == nil && server.isKept(blog))
        #expect(try await scenario.title(1, "b0") == nil)
        try await scenario.finish()
    }

    @Test("an update of a record that is marked as deleted is set aside, and can create the record again")
    func updateOfMarked() async throws {
        let (scenario, server) = try await scenario(marksDeletions: true)
        scenario.clients[1].decision = .applyRemote
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "first")
        try await scenario.run(10_000)
        #expect(try server.change(blog, [RecordStamp.deletionField: noon]) != nil)
        try await scenario.save(1, "b0", "of device 1")
        try await scenario.run(10_000)
        #expect(try await scenario.title(1, "b0") == nil)
        let change = try #require(try await scenario.clients[1].syncStore.setAside().first)
        #expect(change.reference == blog)
        let pending = try await scenario.clients[1].syncStore.contents().pending
        try await scenario.clients[1].syncStore.retry(first: change.first, pending)
        for number in 0..<2 { try await restart(number, scenario) }
        #expect(try await scenario.title(0, "b0") == "of device 1")
        try await scenario.finish()
    }

    @Test(
        "with an index by time, a device that was away asks for changes, and for all keys, which show deletions",
        arguments: [nil, .keysIgnored] as [PlantedFault?])
    func timeIndex(planted: PlantedFault?) async throws {
        let (scenario, server) = try await scenario(hasTimeIndex: true, planted: planted)
        try await scenario.start(1)
        try await scenario.save(1, "b0", "the blog")
        for number in 0..<4 { try await scenario.save(1, Self.post("p\(number)", "first")) }
        try await scenario.run(10_000)
        try await scenario.start(0)
        scenario.clients[0].end()
        scenario.simulation.clock.now += 3_600_000
        try await scenario.save(1, Self.post("p1", "second"))
        try await scenario.delete(1, "p2", model: "Post")
        try await scenario.save(1, Self.post("p4", "new"))
        try await scenario.run(10_000)
        #expect(server.hasOrphans == false)
        let pages = scenario.counts
        try await scenario.start(0)
        try await scenario.run(20_000)
        #expect((scenario.counts["changes page"] ?? 0) > pages["changes page"] ?? 0)
        #expect((scenario.counts["keys page"] ?? 0) > pages["keys page"] ?? 0)
        let posts = try await scenario.clients[0].store.fetch(Record.all(of: "Post")).compactMap { $0["title"] }
        #expect(posts == ["first", "second"] + (planted == nil ? [] : ["first"]) + ["first", "new"])
        if planted == nil { try await scenario.finish() }
    }

    private static func post(_ id: String, _ title: String) -> Record {
        Record(
            model: "Post",
            values: ["id": .string(id), "title": .string(title), "rating": 50, "blogID": "b0"])
    }

    @Test(
        "a change whose response was lost is not made over a later one, except by a handler that insists and without tags",
        arguments: [false, true], [false, true])
    func lostResponse(insists: Bool, hasTags: Bool) async throws {
        let (scenario, server) = try await scenario(hasTags: hasTags)
        scenario.clients[0].decision = insists ? .retryLocal : .applyRemote
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "first")
        try await scenario.run(10_000)
        scenario.simulation.admits = { !$0.isMutationResponse }
        try await scenario.save(0, "b0", "of the device")
        try await scenario.run(1_000)
        #expect(try await scenario.serverTitle("b0") == "of the device")
        #expect(try server.change(blog, ["title": "of another client"]) != nil)
        scenario.simulation.admits = nil
        try await scenario.run(60_000)
        let isRepeated = insists && !hasTags
        #expect(try await scenario.serverTitle("b0") == (isRepeated ? "of the device" : "of another client"))
        try await restart(1, scenario)
        try await scenario.finish()
    }

    @Test("a record that was deleted while a device was away leaves the device after two requests for it")
    func deletedMeanwhile() async throws {
        let (scenario, server) = try await scenario()
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "first")
        try await scenario.run(10_000)
        scenario.clients[1].end()
        #expect(try server.change(blog, nil) != nil)
        let count = scenario.counts["got", default: 0]
        try await scenario.start(1)
        try await scenario.run(20_000)
        #expect(try await scenario.title(1, "b0") == nil)
        #expect(scenario.counts["got", default: 0] == count + 2)
        try await restart(0, scenario)
        try await scenario.finish()
    }

    @Test("an update of a record that was changed and then deleted gives way to the deletion")
    func changedAndDeleted() async throws {
        let (scenario, server) = try await scenario()
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "first")
        try await scenario.run(10_000)
        // Device 1 receives the change next to a change of its own, about which the server answers nothing.
        scenario.simulation.admits = { event in
            switch event {
            case .answer(_, .mutations), .answer(_, .fetch): false
            default: true
            }
        }
        #expect(try server.change(blog, ["title": "second"]) != nil)
        try await scenario.save(1, "b0", "of device 1")
        try await restart(1, scenario)
        #expect(try server.change(blog, nil) != nil)
        scenario.simulation.admits = nil
        try await scenario.run(60_000)
        #expect(try await scenario.title(1, "b0") == nil)
        #expect(try await scenario.clients[1].syncStore.setAside().count == 1)
        try await scenario.clients[1].decideSetAside(retries: false)
        try await restart(0, scenario)
        try await scenario.finish()
    }

    @Test("a record that a device may not read any more leaves the device, and comes back with the permission")
    func lostAccess() async throws {
        let (scenario, server) = try await scenario()
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "first")
        try await scenario.run(10_000)
        server.hidden = [blog]
        try await restart(1, scenario)
        #expect(try await scenario.title(1, "b0") == nil)
        server.hidden = []
        try await restart(1, scenario)
        #expect(try await scenario.title(1, "b0") == "first")
        try await scenario.finish()
    }

    @Test(
        "if most records are missing, a second query decides; lists that were empty for a moment remove nothing",
        arguments: [false, true])
    func missing(isReal: Bool) async throws {
        let (scenario, server) = try await scenario()
        try await scenario.start(0, 1)
        for number in 0..<30 { try await scenario.save(0, "b\(number)", "title") }
        try await scenario.run(20_000)
        if isReal {
            for number in 0..<30 {
                _ = try server.change(RecordReference(model: "Blog", id: RecordID("b\(number)")), nil)
            }
        } else {
            server.hasEmptyLists = true
        }
        scenario.clients[1].end()
        try await scenario.start(1)
        #expect(try await scenario.clients[1].store.fetch(Record.all(of: "Blog")).count == 30)
        // The engine reports that it asks again.
        #expect(scenario.counts["reported"] == 1)
        server.hasEmptyLists = false
        try await scenario.run(30_000)
        #expect(try await scenario.clients[1].store.fetch(Record.all(of: "Blog")).count == (isReal ? 0 : 30))
        try await restart(0, scenario)
        try await scenario.finish()
    }

    @Test(
        "an engine that does not know the protocol, or whose server had versions, finds out that the server has none",
        arguments: [nil, .versioned] as [SyncProtocol?])
    func automatic(noted: SyncProtocol?) async throws {
        var plan = SimulationPlan(seed: 1, protocol: .timestamps, faults: [])
        (plan.isProtocolKnown, plan.clientCount, plan.changeCount) = (false, 1, 0)
        let simulation = try await Simulation(plan)
        let client = simulation.clients[0]
        if let noted { try await client.syncStore.note(noted) }
        try await client.restart()
        try await simulation.settle("at the beginning", within: 60_000)
        #expect(client.protocol == .timestamps)
        let note = try await client.syncStore.contents().notes[NoteName.syncProtocol]
        #expect(note.flatMap { SyncProtocol(encoded: $0) } == .timestamps)
        let count = client.queryCount
        try await client.restartNow()
        try await simulation.settle("after a restart", within: 60_000)
        #expect(client.queryCount == count + 2)
    }
}
