import FaultHarness
import Foundation
import Testing
import TidelogJSON

@Suite("tidelog sync with stores that were copied as files", .timeLimit(.minutes(5)))
struct SyncCopyTests {
    private static func copy(_ fleet: Fleet, _ device: String, to other: String) throws {
        let target = fleet.directory.file(other)
        if FileManager.default.fileExists(atPath: target.path) { try FileManager.default.removeItem(at: target) }
        try FileManager.default.copyItem(at: fleet.directory.file(device), to: target)
    }

    /// Syncs the devices until none has a change to send, and checks that all equal the server.
    private static func converge(_ fleet: Fleet, _ devices: [String]) throws {
        for device in devices + devices { _ = try fleet.sync(device) }
        for device in devices {
            #expect(try fleet.outbox(device).isEmpty)
            #expect(try fleet.synced(device, ["--verify"])["verification"]?["differences"]?.number == 0)
            #expect(try fleet.export(device, "Note") == fleet.export(devices[0], "Note"))
        }
    }

    @Test("changes that follow the restore of a copied store reach the server, although their numbers were used before")
    func restored() throws {
        let fleet = try Fleet.shop(["--conflict", "optimistic"])
        try fleet.save([#"{"id":"n1","title":"first"}"#], on: try Self.synced(fleet, "a"))
        _ = try fleet.synced("a")
        try Self.copy(fleet, "a", to: "saved")
        try fleet.save([#"{"id":"n1","title":"second"}"#, #"{"id":"n2","title":"second"}"#], on: "a")
        _ = try fleet.synced("a")
        try Self.copy(fleet, "saved", to: "a")
        try fleet.save([#"{"id":"n3","title":"third"}"#, #"{"id":"n2","rating":3,"title":"third"}"#], on: "a")
        let report = try fleet.synced("a")
        #expect(report["sent"]?.number == 1 && report["conflicts"]?.number == 1)
        try Self.converge(fleet, ["a", "b"])
        let notes = try fleet.export("a", "Note")
        #expect(notes.contains(#""id":"n3","title":"third""#), "\(notes)")
        #expect(try fleet.run("a", "get", "Note", "n1", "--json").object()["title"]?.text == "second")
        // The server has n2 already, so the creation of the copy is a conflict, which the server's record wins.
        #expect(try fleet.run("a", "get", "Note", "n2", "--json").object()["title"]?.text == "second")
    }

    @Test("two copies with pending and set-aside changes send them once, and the changes that each makes")
    func twins() throws {
        let fleet = try Fleet.shop(["--conflict", "optimistic"])
        try fleet.save([#"{"id":"n1","title":"first"}"#], on: try Self.synced(fleet, "a"))
        _ = try fleet.synced("a")
        let refused = #"{"id":"bad","title":"refused","status":"LOST"}"#
        try fleet.save([refused], on: "a")
        #expect(try fleet.sync("a").status == 5)
        try fleet.save([#"{"id":"n2","title":"pending"}"#], on: "a")
        try Self.copy(fleet, "a", to: "b")
        try fleet.save([#"{"id":"a1","title":"of a"}"#], on: "a")
        try fleet.save([#"{"id":"b1","title":"of b"}"#], on: "b")
        for device in ["a", "b"] {
            #expect(try fleet.sync(device).status == 5)
            #expect(try fleet.outbox(device).map { $0["id"]?.text } == ["bad"])
            _ = try fleet.run(device, "outbox", "discard", "--all")
        }
        try Self.converge(fleet, ["a", "b", "c"])
        let notes = try fleet.export("c", "Note")
        for id in ["n1", "n2", "a1", "b1"] { #expect(notes.contains("\"id\":\"\(id)\""), "\(notes)") }
        try fleet.stopServer()
        #expect(try fleet.servedVersions()["n2"]?.count == 1, "the shared change was written once")
    }

    @Test("a copy of a store that is synced with --follow and the store itself keep their changes apart")
    func followed() throws {
        let fleet = try Fleet.shop(["--conflict", "optimistic"])
        try fleet.save([#"{"id":"n1","title":"first"}"#], on: try Self.synced(fleet, "a"))
        let following = try Tool.start(fleet.syncArguments("a", ["--follow"]))
        while let line = try following.readLine(), !line.contains(#""event":"ready""#) {}
        while try fleet.synced("c")["received"]?.number == 0 {}
        // The process is stopped for the copy, because a copy of files that change in between can be damaged.
        following.signal(SIGSTOP)
        try Self.copy(fleet, "a", to: "b")
        following.signal(SIGCONT)
        following.signal(SIGTERM)
        _ = try following.wait()
        try fleet.save([#"{"id":"a1","title":"of a"}"#], on: "a")
        try fleet.save([#"{"id":"b1","title":"of b"}"#], on: "b")
        try Self.converge(fleet, ["a", "b", "c"])
        let notes = try fleet.export("c", "Note")
        for id in ["n1", "a1", "b1"] { #expect(notes.contains("\"id\":\"\(id)\""), "\(notes)") }
    }

    /// Syncs a new device, so that it has a store. Returns its name.
    private static func synced(_ fleet: Fleet, _ device: String) throws -> String {
        _ = try fleet.synced(device)
        return device
    }
}
