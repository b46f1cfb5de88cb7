import FaultHarness
import Foundation
import Testing
import TidelogJSON

@Suite("tidelog sync with a server that was restored from a backup", .timeLimit(.minutes(5)))
struct SyncRestoreTests {
    private static func titles(_ fleet: Fleet, _ device: String) throws -> [String] {
        try ["n1", "n2"].map { try fleet.run(device, "get", "Note", $0, "--json").object()["title"]?.text ?? "" }
    }

    @Test("devices get the restored records after --verify --repair, or after the first change on the server")
    func restored() throws {
        let fleet = try Fleet.shop()
        _ = try fleet.synced("a")
        for id in ["n1", "n2"] { _ = try fleet.run("a", "save", "Note", #"{"id":"\#(id)","title":"old"}"#) }
        _ = try fleet.synced("a")
        let copy = fleet.directory.file("copy")
        _ = try fleet.run("served", "backup", copy.path)
        for id in ["n1", "n2"] {
            _ = try fleet.run("a", "save", "--patch", "Note", #"{"id":"\#(id)","title":"lost"}"#)
        }
        for device in ["a", "b"] { _ = try fleet.synced(device) }

        try fleet.stopServer()
        try FileManager.default.removeItem(at: fleet.directory.file("served"))
        try FileManager.default.moveItem(at: copy, to: fleet.directory.file("served"))
        try fleet.startServer()
        // No record was changed after the restore, so the delta query cannot show that the server was restored.
        #expect(try fleet.synced("a")["queries"]?["Note"]?.text == "delta")
        #expect(try Self.titles(fleet, "a") == ["lost", "lost"])
        let repairing = try fleet.sync("a", ["--verify", "--repair"])
        let repaired = try #require(try repairing.objects().last?["verification"])
        #expect(repairing.status == 0 && repaired["differences"]?.number == 2 && repaired["repaired"]?.number == 2)
        #expect(try Self.titles(fleet, "a") == ["old", "old"])

        _ = try fleet.run("a", "save", "--patch", "Note", #"{"id":"n1","title":"new"}"#)
        #expect(try fleet.synced("a")["sent"]?.number == 1)
        #expect(try fleet.synced("b")["queries"]?["Note"]?.text == "base")
        for device in ["a", "b"] {
            #expect(try Self.titles(fleet, device) == ["new", "old"])
            #expect(try fleet.synced(device, ["--verify"])["verification"]?["differences"]?.number == 0)
        }
    }
}
