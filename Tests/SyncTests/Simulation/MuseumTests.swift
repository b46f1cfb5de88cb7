import SeededNumbers
import Testing
import TidelogCore
import TidelogSync

@testable import SyncSimulator

/// Bugs of other products. Each is a scenario, which must end without the bug here.
@Suite("Known bugs of other products")
struct MuseumTests {
    @Test("an upload that failed offline is tried again as soon as the network returns")
    func networkChange() async throws {
        let scenario = try await Scenario()
        try await scenario.start(0, 1)
        scenario.clients[0].isConnected = false
        try await scenario.save(0, "b0", "offline")
        try await scenario.run(60_000)
        #expect(try await scenario.serverTitle("b0") == nil)
        try await scenario.clients[0].networkChanged(false)
        try await scenario.run(60_000)
        try await scenario.clients[0].networkChanged(true)
        try await scenario.run(1_000)
        #expect(try await scenario.serverTitle("b0") == "offline")
        try await scenario.finish()
    }

    @Test("a rejected record does not block other records, and a retry sends the record with its later changes")
    func rejectedRecord() async throws {
        let scenario = try await Scenario()
        try await scenario.start(0, 1)
        scenario.simulation.server.troubles.refused = [RecordReference(model: "Blog", id: "b0")]
        for id in 0..<100 { try await scenario.save(0, "b\(id)", "title \(id)") }
        try await scenario.run(30_000)
        for id in 1..<100 { #expect(try await scenario.serverTitle("b\(id)") == .string("title \(id)")) }
        #expect(try await scenario.title(0, "b0") == "title 0", "the row keeps the change")
        #expect(scenario.clients[0].outbox?.isEmpty == true)
        // A later change of the record is set aside with the first one. Both are sent when the app retries them.
        try await scenario.save(0, "b0", "corrected")
        try await scenario.run(5_000)
        let setAside = try await scenario.clients[0].syncStore.setAside()
        #expect(setAside.map { $0.fields["title"] } == ["corrected"])
        scenario.simulation.server.troubles.refused = []
        let client = scenario.clients[0]
        try await client.syncStore.retry(first: setAside[0].first, client.syncStore.contents().pending)
        try await client.pass(.logNoticed)
        try await scenario.run(5_000)
        #expect(try await scenario.serverTitle("b0") == "corrected")
        try await scenario.finish()
    }

    @Test("mutations that fail while queries work are sent with growing pauses", arguments: [true, false])
    func failingMutations(serverKnowsIDs: Bool) async throws {
        let scenario = try await Scenario(serverKnowsIDs: serverKnowsIDs)
        try await scenario.start(0, 1)
        scenario.simulation.server.troubles.failsMutations = true
        for id in 0..<4 { try await scenario.save(0, "b\(id)", "title \(id)") }
        let sent = { scenario.counts["mutation", default: 0] }
        try await scenario.run(60_000)
        let first = sent()
        // Queries after new subscriptions are answered during that time.
        for _ in 0..<10 {
            for client in scenario.clients { try await client.lostSocket(client.socket) }
            try await scenario.run(60_000)
        }
        #expect((4...120).contains(first))
        #expect(sent() - first < 10 * first, "pauses grow although queries are answered")
        #expect(try await scenario.clients[0].syncStore.setAside().isEmpty)
        scenario.simulation.server.troubles.failsMutations = false
        try await scenario.run(30_000)
        for id in 0..<4 { #expect(try await scenario.serverTitle("b\(id)") == .string("title \(id)")) }
        try await scenario.finish()
    }

    @Test("a record that the server cannot change holds up no other, and is sent when the server can change it")
    func failingRecord() async throws {
        let scenario = try await Scenario()
        try await scenario.start(0, 1)
        scenario.simulation.server.troubles.failing = [RecordReference(model: "Blog", id: "b0")]
        for id in 0..<100 { try await scenario.save(0, "b\(id)", "title \(id)") }
        try await scenario.run(30_000)
        for id in 1..<100 { #expect(try await scenario.serverTitle("b\(id)") == .string("title \(id)")) }
        // The engine is killed. It knows afterwards how often the change failed.
        let count = scenario.clients[0].outbox?.failingChanges.map(\.tries.count)
        scenario.clients[0].end()
        try await scenario.clients[0].restart()
        // The engine waits for the name of the person, and then reads the log.
        try await scenario.run(60)
        #expect(scenario.clients[0].outbox?.failingChanges.map(\.tries.count) == count)
        try await scenario.save(0, "b0", "corrected")
        scenario.simulation.server.troubles.failing = []
        try await scenario.run(30_000)
        #expect(try await scenario.serverTitle("b0") == "corrected")
        #expect(try await scenario.clients[0].syncStore.contents().tries.isEmpty)
        try await scenario.finish()
    }

    @Test("discarding a rejected change restores the server's record, or removes a record that the server lacks")
    func discarded() async throws {
        let scenario = try await Scenario()
        try await scenario.start(0, 1)
        try await scenario.save(1, "b0", "server")
        try await scenario.run(5_000)
        scenario.simulation.server.troubles.refused = [RecordReference(model: "Blog", id: "b0")]
        try await scenario.save(0, "b0", "mine")
        try await scenario.save(0, "b1", "new and refused")
        scenario.simulation.server.troubles.refused.insert(RecordReference(model: "Blog", id: "b1"))
        try await scenario.run(5_000)
        scenario.simulation.server.troubles.refused = []
        try await scenario.save(1, "b0", "later")
        try await scenario.run(5_000)
        #expect(try await scenario.title(0, "b0") == "mine", "a push does not change the row of a set-aside change")
        let client = scenario.clients[0]
        for change in try await client.syncStore.setAside() {
            try await client.syncStore.discard(first: change.first, client.syncStore.contents().pending)
        }
        try await client.pass(.logNoticed)
        #expect(try await scenario.title(0, "b0") == "later")
        #expect(try await scenario.title(0, "b1") == nil)
        try await scenario.finish()
    }

    @Test("a change that is made during an upload is not lost")
    func changeDuringUpload() async throws {
        let scenario = try await Scenario()
        try await scenario.start(0, 1)
        for title in ["first", "second", "third"] {
            try await scenario.save(0, "b0", title)
            try await scenario.run(21)
        }
        try await scenario.run(5_000)
        #expect(try await scenario.serverTitle("b0") == "third")
        #expect(try await scenario.title(1, "b0") == "third")
        try await scenario.finish()
    }

    @Test("a device's own mutation causes no conflict if the server pushes it back before the response")
    func echo() async throws {
        let scenario = try await Scenario()
        try await scenario.start(0, 1)
        // Each response is lost once, so the device first receives its own mutation as a push.
        var lost: Set<UInt64> = []
        scenario.simulation.admits = { event in
            guard case .answer(_, .mutations(_, let tickets, _)) = event else { return true }
            return !tickets.contains { lost.insert($0.mutation.sequence.value).inserted }
        }
        for title in ["first", "second"] {
            try await scenario.save(0, "b0", title)
            try await scenario.run(40_000)
        }
        #expect(try await scenario.serverTitle("b0") == "second")
        #expect(scenario.counts["conflict"] == nil && scenario.simulation.server.writeCount == 2)
        try await scenario.finish()
    }

    @Test("lost responses do not block the outbox, and the mutation is written once")
    func lostAcknowledgement() async throws {
        let scenario = try await Scenario()
        try await scenario.start(0, 1)
        var lostCount = 0
        scenario.simulation.admits = { event in
            guard event.isMutationResponse, lostCount < 3 else { return true }
            lostCount += 1
            return false
        }
        try await scenario.save(0, "b0", "once")
        try await scenario.run(120_000)
        #expect(lostCount == 3 && scenario.simulation.server.writeCount == 1)
        #expect(scenario.clients[0].outbox?.isEmpty == true)
        try await scenario.finish()
    }

    @Test("a record that is deleted and saved again exists on the server and on other devices")
    func reinsert() async throws {
        for waits in [true, false] {
            let scenario = try await Scenario()
            try await scenario.start(0, 1)
            try await scenario.save(0, "b0", "first")
            try await scenario.run(5_000)
            try await scenario.delete(0, "b0")
            if waits { try await scenario.run(5_000) }
            try await scenario.save(0, "b0", "again")
            try await scenario.run(5_000)
            #expect(try await scenario.serverTitle("b0") == "again")
            #expect(try await scenario.title(1, "b0") == "again")
            try await scenario.finish()
        }
    }

    /// A scenario with a restored server. Two devices have a version that the server has lost, and a third device has not
    /// started.
    private static func restored() async throws -> Scenario {
        let scenario = try await Scenario(clients: 3)
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "kept")
        try await scenario.run(5_000)
        try await scenario.simulation.server.takeBackup()
        try await scenario.save(0, "b0", "lost with the server")
        try await scenario.run(5_000)
        #expect(try await scenario.simulation.server.restoreBackup(key: 9))
        return scenario
    }

    @Test("a change after a server's restore reaches a device that has a lost change with the same version number")
    func equalVersion() async throws {
        let scenario = try await Self.restored()
        // The third device has only synced with the restored server. Its change gets the version number of the lost change.
        try await scenario.start(2)
        try await scenario.save(2, "b0", "after the restore")
        try await scenario.run(10_000)
        #expect(try await scenario.serverTitle("b0") == "after the restore")
        #expect(try await scenario.title(0, "b0") == "after the restore")
        try await scenario.finish()
    }

    @Test("an update from a version that a restored server lost is set aside if a deletion has the same version number")
    func deletionAfterRestore() async throws {
        let scenario = try await Self.restored()
        try await scenario.start(2)
        // This device receives no push of the deletion, so its next change starts from the lost version.
        scenario.clients[1].isSilent = true
        try await scenario.delete(2, "b0")
        try await scenario.run(5_000)
        try await scenario.save(1, "b0", "from a lost version")
        try await scenario.run(5_000)
        let setAside = try await scenario.clients[1].syncStore.setAside()
        #expect(setAside.map(\.errorType) == ["RecordDeleted"] && setAside.map(\.baseVersion) == [2])
        #expect(try await scenario.title(1, "b0") == nil)
        try await scenario.clients[1].decideSetAside(retries: false)
        try await scenario.run(100_000)
        try await scenario.finish()
    }

    @Test("a first sync continues after each restart instead of beginning again")
    func interruptedSync() async throws {
        let scenario = try await Scenario()
        #expect(try await Self.restartCount(scenario) < 30)
        #expect(try await scenario.title(1, "c29") == "t")
        try await scenario.finish()
    }

    /// Kills a device again and again during its first sync. Returns how often that happened before the sync was complete; 40
    /// if it never was.
    static func restartCount(_ scenario: Scenario) async throws -> Int {
        try await scenario.start(0)
        for id in 0..<30 { try await scenario.save(0, "c\(id)", "t") }
        try await scenario.run(10_000)
        #expect(scenario.simulation.server.writeCount == 30)
        let client = scenario.clients[1]
        for count in 0..<40 {
            try await client.restart()
            // At most two pages arrive before the device is killed.
            try await scenario.run(150)
            if client.inbox?.isIdle == true { return count }
            client.end()
        }
        return 40
    }

    @Test("a device notices a silent loss of its WebSocket, and gets the missed changes without a restart")
    func silentSocket() async throws {
        let scenario = try await Scenario()
        try await scenario.start(0, 1)
        scenario.clients[1].isSilent = true
        try await scenario.save(0, "b0", "unheard")
        try await scenario.run(5_000)
        #expect(try await scenario.title(1, "b0") == nil)
        try await scenario.run(70_000)
        #expect(try await scenario.title(1, "b0") == "unheard")
        try await scenario.finish()
    }

    @Test("a record that was deleted and purged while a device was away does not come back with the device")
    func deletedWhileAway() async throws {
        let scenario = try await Scenario()
        try await scenario.start(0, 1)
        try await scenario.save(0, "b0", "old")
        try await scenario.run(5_000)
        scenario.clients[1].end()
        try await scenario.delete(0, "b0")
        try await scenario.run(5_000)
        // The tombstone is purged before the device returns.
        scenario.simulation.clock.now += 40 * 86_400_000
        try await scenario.simulation.server.purge()
        try await scenario.clients[1].restart()
        try await scenario.run(5_000)
        #expect(try await scenario.title(1, "b0") == nil)
        #expect(try await scenario.serverTitle("b0") == nil)
        try await scenario.finish()
    }
}
