import FaultHarness
import Foundation
import Testing
import TidelogJSON

@Suite("tidelog sync with a server at another address", .timeLimit(.minutes(5)))
struct SyncAdoptTests {
    /// The arguments of a sync of device `a` with the server at `address`.
    private static func arguments(
        _ fleet: Fleet, _ address: String, key: String = ServerProcess.key, _ more: [String] = []
    ) -> [String] {
        var arguments = fleet.syncArguments("a", more)
        (arguments[6], arguments[8]) = (address, key)
        return arguments
    }

    @Test("an address without a server and a refused key leave no trace, and another address may be used next")
    func mistyped() throws {
        let fleet = try Fleet.shop()
        let nobody = "http://127.0.0.1:1/graphql"
        #expect(try Tool.run(Self.arguments(fleet, nobody, ["--timeout", "1"])).status == 1)
        try fleet.save([#"{"id":"n1","title":"unsent"}"#], on: "a")
        let log = try fleet.run("a", "log", "--json").output
        #expect(try Tool.run(Self.arguments(fleet, nobody, ["--timeout", "1"])).status == 5)
        let address = fleet.server.endpoint.absoluteString
        let refused = try Tool.run(Self.arguments(fleet, address, key: "da2-another-key"))
        #expect(refused.status == 5)
        #expect(try refused.error()["code"]?.text == "unauthorized")
        #expect(try fleet.run("a", "log", "--json").output == log)
        #expect(try fleet.synced("a")["sent"]?.number == 1)
        // The server has answered, so the store belongs to it.
        let wrong = try Tool.run(Self.arguments(fleet, nobody))
        #expect(wrong.status == 2)
        #expect(try wrong.error()["code"]?.text == "identityChanged")
    }

    @Test("a server that moved is adopted with --adopt, and unsent and set-aside changes are kept")
    func moved() throws {
        let fleet = try Fleet.shop()
        _ = try fleet.synced("a")
        try fleet.save(["n1", "n2", "n3"].map { #"{"id":"\#($0)","title":"first"}"# }, on: "a")
        _ = try fleet.synced("a")
        try fleet.save([#"{"id":"bad","title":"refused","status":"LOST"}"#], on: "a")
        #expect(try fleet.sync("a").status == 5)
        _ = try fleet.synced("b")
        try fleet.save([#"{"id":"n2","title":"of b"}"#], on: "b")
        _ = try fleet.synced("b")
        try fleet.save([#"{"id":"n1","title":"unsent"}"#, #"{"id":"n4","title":"unsent"}"#], on: "a")
        try fleet.stopServer()
        let server = try ServerProcess(fleet.syncArguments("a")[4], store: fleet.store("served"))
        let address = server.endpoint.absoluteString
        let before = try fleet.outbox("a")
        #expect(before.count == 3)
        #expect(try Tool.run(Self.arguments(fleet, address)).status == 2)

        let adopted = try Tool.run(Self.arguments(fleet, address, ["--adopt"]))
        #expect(adopted.status == 5, "\(adopted.errors)")
        #expect(try adopted.object()["sent"]?.number == 2)
        #expect(try adopted.object()["queries"]?["Note"]?.text == "base")
        #expect(try fleet.outbox("a").map { $0["state"]?.text } == ["setAside"])
        #expect(try fleet.run("a", "get", "Note", "n2", "--json").object()["title"]?.text == "of b")
        #expect(try Tool.run(Self.arguments(fleet, address)).status == 5)
        _ = try fleet.run("a", "outbox", "discard", "--all")
        let verified = try Tool.run(Self.arguments(fleet, address, ["--verify"]))
        #expect(verified.status == 0, "\(verified.errors)")
        #expect(try server.stop() == 0)
    }

    @Test("a server with other records is not adopted, and receives nothing")
    func unrelated() throws {
        let (fleet, other) = (try Fleet.shop(), try Fleet.shop())
        for (fleet, title) in [(fleet, "ours"), (other, "theirs")] {
            _ = try fleet.synced("a")
            // Both servers have the ids of two records, and one record each alone.
            let ids = ["n1", "n2", title]
            try fleet.save(ids.map { #"{"id":"\#($0)","title":"\#(title)"}"# }, on: "a")
            _ = try fleet.synced("a")
        }
        try fleet.save([#"{"id":"n4","title":"unsent"}"#], on: "a")
        let log = try fleet.run("a", "log", "--json").output
        let refused = try Tool.run(Self.arguments(fleet, other.server.endpoint.absoluteString, ["--adopt"]))
        #expect(refused.status == 2)
        let error = try refused.error()
        #expect(error["code"]?.text == "unrelatedServer")
        #expect(error["message"]?.text?.contains("Of 3 records") == true, "\(error)")
        #expect(error["message"]?.text?.contains("2 in another version, and it lacks 1") == true, "\(error)")
        #expect(try fleet.run("a", "log", "--json").output == log)
        #expect(try other.synced("b")["received"]?.number == 3)
        #expect(try fleet.synced("a")["sent"]?.number == 1)
    }

    @Test("a store that has no record of its former server adopts any server")
    func empty() throws {
        let (fleet, other) = (try Fleet.shop(), try Fleet.shop())
        _ = try fleet.synced("a")
        try fleet.save([#"{"id":"n1","title":"unsent"}"#], on: "a")
        let address = other.server.endpoint.absoluteString
        #expect(try Tool.run(Self.arguments(fleet, address)).status == 2)
        let adopted = try Tool.run(Self.arguments(fleet, address, ["--adopt"]))
        #expect(adopted.status == 0, "\(adopted.errors)")
        #expect(try adopted.object()["sent"]?.number == 1)
        #expect(try fleet.sync("a").status == 2, "the store belongs to the adopted server")
    }
}
