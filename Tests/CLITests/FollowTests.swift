import FaultHarness
import Foundation
import Testing
import TidelogJSON

@Suite("tidelog sync --follow", .timeLimit(.minutes(5)))
struct FollowTests {
    /// The next event that `sync --follow` prints.
    private static func event(_ child: ChildProcess) throws -> JSONValue {
        let line = try #require(try child.readLine(), "\(child.errorText)")
        return try JSONValue(parsing: Array(line.utf8))
    }

    /// The names of the next events, up to and including the first event with this name.
    private static func names(_ child: ChildProcess, through name: String) throws -> [String] {
        var names: [String] = []
        while names.last != name { names.append(try #require(try event(child)["event"]?.text)) }
        return names
    }

    private static let startNames = [
        "networkStatus", "outboxStatus", "networkStatus", "subscriptionsEstablished", "syncQueriesStarted",
        "modelSynced", "modelSynced", "syncQueriesReady", "syncStarted", "ready",
    ]

    @Test("sync --follow prints its start, received changes, and the loss and the return of the server")
    func follow() async throws {
        let fleet = try Fleet.shop()
        let notes = fleet.directory.file("notes")
        let schema = fleet.syncArguments("a")[4]
        try Data(Shop.notes(0..<120).utf8).write(to: notes)
        _ = try fleet.run("a", "import", "--schema", schema, "Note", notes.path)
        _ = try fleet.synced("a")

        let child = try Tool.start(fleet.syncArguments("b", ["--follow", "--page-size", "50"]))
        let first = try Self.event(child)
        #expect(first["event"]?.text == "networkStatus" && first["active"] == .bool(false))
        #expect(try Self.event(child)["isEmpty"] == .bool(true))
        #expect(try Self.event(child)["active"] == .bool(true))
        #expect(try Self.event(child)["event"]?.text == "subscriptionsEstablished")
        let models = try Self.event(child)["models"]?.elements.map(\.text) ?? []
        #expect(models.count == 2 && models.contains("Note"))
        let both = [try Self.event(child), try Self.event(child)]
        let synced = try #require(both.first { $0["model"]?.text == "Note" })
        #expect(synced["isFullSync"] == .bool(true))
        #expect(synced["added"]?.number == 120 && synced["updated"]?.number == 0)
        #expect(try Self.names(child, through: "ready") == ["syncQueriesReady", "syncStarted", "ready"])

        _ = try fleet.run("a", "save", "--patch", "Note", #"{"id":"n7","rating":9}"#)
        _ = try fleet.synced("a")
        let received = try Self.event(child)
        #expect(received["event"]?.text == "syncReceived" && received["id"]?.text == "n7")
        #expect(received["record"]?["rating"]?.number == 9 && received["_version"]?.number == 2)

        try fleet.stopServer()
        #expect(try Self.names(child, through: "networkStatus") == ["failed", "networkStatus"])
        try fleet.startServer()
        #expect(try Self.event(child)["active"] == .bool(true))
        for _ in models {
            let again = try Self.event(child)
            #expect(again["event"]?.text == "modelSynced" && again["isDeltaSync"] == .bool(true))
        }

        // The store has one writer, so a second sync of the store is refused. After the first sync is killed, a later
        // one continues from its state.
        let second = try fleet.sync("b")
        #expect(second.status == 6, "\(second.errors)")
        child.signal(SIGKILL)
        #expect(try Tool.finish(child).status == -SIGKILL)
        let third = try Tool.start(fleet.syncArguments("b", ["--follow"]))
        #expect(try Self.names(third, through: "ready") == Self.startNames)
        third.signal(SIGINT)
        let end = try Tool.finish(third)
        #expect(end.status == 130)
        #expect(try end.objects().last?["event"]?.text == "stopped")
        let fourth = try Tool.start(fleet.syncArguments("b", ["--follow"]))
        #expect(try Self.names(fourth, through: "ready") == Self.startNames)
        fourth.signal(SIGTERM)
        #expect(try Tool.finish(fourth).status == 0)
        #expect(try fleet.export("a", "Note") == fleet.export("b", "Note"))
    }

    @Test("sync --follow reports an unreachable server, and waits until the server can be reached")
    func late() throws {
        let fleet = try Fleet.shop()
        try fleet.stopServer()
        let child = try Tool.start(fleet.syncArguments("a", ["--follow"]))
        #expect(try Self.names(child, through: "failed") == ["networkStatus", "outboxStatus", "failed"])
        try fleet.startServer()
        // The queries do not wait for subscriptions for longer than some seconds, so either of them may come first.
        let rest = try Self.names(child, through: "ready").filter { $0 != "subscriptionsEstablished" }
        #expect(rest == Self.startNames.dropFirst(2).filter { $0 != "subscriptionsEstablished" })
        child.signal(SIGTERM)
        #expect(try Tool.finish(child).status == 0)
    }

    @Test("sync --follow refuses another server than before, and cannot be combined with --verify")
    func refused() throws {
        let (fleet, other) = (try Fleet.shop(), try Fleet.shop())
        _ = try fleet.synced("a")
        var arguments = fleet.syncArguments("a", ["--follow"])
        arguments[6] = other.server.endpoint.absoluteString
        let refused = try Tool.run(arguments)
        #expect(refused.status == 2)
        #expect(try refused.error()["code"]?.text == "identityChanged")
        #expect(try fleet.sync("a", ["--follow", "--verify"]).status == 2)
    }

    @Test("two signals within milliseconds, as `timeout` sends them, count as one request to stop")
    func repeatedSignal() throws {
        let fleet = try Fleet.shop()
        _ = try fleet.synced("a")
        for (signal, status) in [(SIGINT, 130), (SIGTERM, 0)] as [(Int32, Int32)] {
            let child = try Tool.start(fleet.syncArguments("a", ["--follow"]))
            _ = try Self.names(child, through: "ready")
            child.signal(signal)
            // The pause lets the tool see the first signal. Without the pause, the system can merge both signals into one.
            usleep(3_000)
            child.signal(signal)
            let end = try Tool.finish(child)
            #expect(end.status == status)
            #expect(try end.objects().last?["event"]?.text == "stopped")
        }
    }

    @Test("on a terminal, sync shows a progress bar, and sync --follow prints a line for each event")
    func terminal() throws {
        let fleet = try Fleet.shop()
        let notes = fleet.directory.file("notes")
        let schema = fleet.syncArguments("a")[4]
        try Data(Shop.notes(0..<3_000).utf8).write(to: notes)
        _ = try fleet.run("a", "import", "--schema", schema, "Note", notes.path)
        _ = try fleet.synced("a")
        let shop = try Shop(notes: 0)
        let arguments = fleet.syncArguments("b", ["--page-size", "20"]).filter { $0 != "--json" }
        let once = try shop.onTerminal("tidelog \(arguments.joined(separator: " "))", columns: 120, withErrors: true)
        #expect(once.text.contains("Syncing ") && once.text.contains("─") && once.text.contains("% "), "\(once.text)")
        #expect(once.text.contains("✓ Synced: 3,000 records received"), "\(once.text)")

        let line = "timeout -s INT 8 tidelog \(arguments.joined(separator: " ")) --follow"
        let follow = try shop.onTerminal(line, columns: 120)
        #expect(!follow.text.contains("cannot be reached"), "\(follow.text)")
        for text in ["connecting to the server", "the server answers", "Note is synced: 0 added", "✓ ready", "stopped"]
        {
            #expect(follow.text.contains(text), "\(follow.text)")
        }
    }
}
