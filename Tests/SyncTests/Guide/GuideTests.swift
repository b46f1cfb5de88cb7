import FaultHarness
import Foundation
import ServerSupport
import TestWaiting
import Testing
import Tidelog
import TidelogServer

/// Runs the code that the guide to syncing shows.
@Suite("The guide to syncing", .timeLimit(.minutes(5)))
struct GuideTests {
    private typealias Note = Guide.Note

    private static let key = "da2-0123456789"
    private static let sdl = """
        type Note @model @auth(rules: [{allow: public}, {allow: private, operations: [read, create, update, delete]}]) {
          id: ID! title: String! rating: Int
        }
        """

    /// Starts a server, and runs `body` with a directory and the configuration file of an app of that server.
    private static func serve(
        _ authenticator: Authenticator = Authenticator(apiKey: key), _ options: ServiceOptions = ServiceOptions(),
        _ body: (TemporaryDirectory, URL) async throws -> Void
    ) async throws {
        try await RunningServer.serve(sdl, authenticator, options: options) { port in
            let directory = try TemporaryDirectory("guide")
            let file = directory.file("amplify_outputs.json")
            let text = """
                {"version":"1.3","data":{"url":"http://127.0.0.1:\(port)/graphql","aws_region":"us-east-1",
                "api_key":"\(key)","default_authorization_type":"API_KEY"}}
                """
            try Data(text.utf8).write(to: file)
            try await body(directory, file)
        }
    }

    /// Waits until everything is synced.
    private static func settle(_ engine: SyncEngine) async throws {
        for await status in engine.statuses where status.state == .ready && status.pending == 0 { return }
    }

    private static func titles(_ store: DataStore) async throws -> [String] {
        try await store.query(Note.self).map(\.title).sorted()
    }

    @Test("two devices exchange their notes, and the screen shows the progress")
    func twoDevices() async throws {
        try await Self.serve { directory, file in
            let screen = Guide.Screen()
            let (first, engine) = try await Guide.start(at: directory.file("a"), file)
            let looking = Task { await Guide.follow(engine, on: screen) }
            let listening = Task { await Guide.listen(to: engine, on: screen) }
            try await Self.settle(engine)

            let (second, other) = try await Guide.start(at: directory.file("b"), file)
            try await Guide.closeForm(second, other)
            try await eventually { try await Self.titles(first) == ["Filled in"] }
            try await Guide.closeForm(first, engine)
            try await eventually { await screen.text == "Everything is synced." }
            #expect(await screen.fraction == 1)
            try await eventually { await screen.lines.contains("Changed elsewhere: form") }
            let lines = await screen.lines
            #expect(lines.first == "No server yet." && lines.contains("The server's records are here."))

            #expect(await Guide.runInBackground(engine))
            #expect(engine.status.state == .stopped)
            await other.stop()
            looking.cancel()
            listening.cancel()
            try await first.close()
            try await second.close()
        }
    }

    @Test("the README's engine sends a saved note, and the guide's client finds the note on the server")
    func firstScreen() async throws {
        try await Self.serve { directory, file in
            let configuration = try SyncConfiguration(contentsOf: file)
            let endpoint = try #require(configuration.endpoint)
            let store = try await DataStore.inMemory(schema: Schema(models: [Note.schema]))
            let engine = try await Guide.firstScreen(store, endpoint, Self.key)
            #expect(try await Guide.isTaken("Tides", endpoint, Self.key))
            #expect(try await !Guide.isTaken("Ebb", endpoint, Self.key))
            let screen = Guide.Screen()
            try await Guide.repair(engine, on: screen)
            #expect(await screen.lines == ["0 repaired"])
            await engine.stop()
        }
    }

    @Test("the sentence below the progress bar describes the state of syncing")
    func sentences() async throws {
        let store = try await DataStore.inMemory(schema: Schema(models: [Note.schema]))
        let local = try SyncEngine(store: store)
        #expect(Guide.text(for: local.status) == "Changes stay on this device.")
        let endpoint = try #require(URL(string: "http://127.0.0.1:1/graphql"))
        try await store.save(Note(id: "1", title: "Tides"))
        let engine = try SyncEngine(store: store, endpoint: endpoint, authorization: .apiKey(Self.key))
        try await eventually { Guide.text(for: engine.status) == "Offline. 1 changes wait." }
        await engine.stop()
    }

    @Test("the guide's conflict handler keeps the device's rating, and its sync expression leaves notes out")
    func conflict() async throws {
        var options = ServiceOptions()
        options.strategy = .optimistic
        try await Self.serve(Authenticator(apiKey: Self.key), options) { directory, file in
            var configuration = try Guide.configuration(file)
            let schema = Schema(models: [Note.schema])
            let (first, second) = (
                try await DataStore.inMemory(schema: schema), try await DataStore.inMemory(schema: schema)
            )
            let engine = try SyncEngine(store: first, configuration: configuration, startup: .manual)
            let other = try SyncEngine(store: second, configuration: configuration, startup: .manual)
            try await first.save(Note(id: "1", title: "Tides", rating: 4))
            _ = await engine.runOnce()
            _ = await other.runOnce()
            try await first.save(Note(id: "1", title: "Spring tides", rating: 4))
            try await second.save(Note(id: "1", title: "Tides", rating: 5))
            try await second.save(Note(id: "2", title: "Ebb", rating: 1))
            _ = await engine.runOnce()
            _ = await other.runOnce()
            #expect(try await second.query(Note.self, id: "1") == Note(id: "1", title: "Spring tides", rating: 5))

            Guide.select(&configuration)
            let part = try SyncEngine(store: first, configuration: configuration, startup: .manual)
            _ = await part.runOnce()
            #expect(try await Self.titles(first) == ["Spring tides"])
        }
    }

    @Test("a refused change is listed until it is retried, which sends it again, or discarded")
    func refusedChange() async throws {
        try await Self.serve { directory, file in
            let (store, engine) = try await Guide.start(at: directory.file("a"), file)
            try await Self.settle(engine)
            let notes = [Note(id: "1", title: "Tides"), Note(id: "2", title: "Ebb")]
            for note in notes { try await store.save(note) }
            try await engine.catchUp()
            await engine.stop()
            // Another device deletes the notes that this device changes.
            let (second, other) = try await Guide.start(at: directory.file("b"), file)
            try await Self.settle(other)
            for note in notes { try await second.delete(note) }
            try await other.catchUp()
            for note in notes { try await store.save(Note(id: note.id, title: "New \(note.title)")) }
            try await engine.start()
            try await eventually { engine.status.setAside == 2 }
            #expect(Guide.text(for: engine.status) == "The server refused 2 changes. Show them?")
            let screen = Guide.Screen()
            try await Guide.list(store, on: screen)
            let lines = notes.map { "update Note \($0.id): The record is deleted on the server." }
            #expect(await screen.lines == lines)
            let outbox = try SyncOutbox(store)
            let entries = try await outbox.entries()
            try #require(entries.count == 2)
            try await Guide.decide(entries[0], triesAgain: true, outbox)
            try await Guide.decide(entries[1], triesAgain: false, outbox)
            try await engine.catchUp()
            #expect(try await outbox.entries().isEmpty)
            #expect(try await Self.titles(store) == ["New Tides"])
            try await other.catchUp()
            #expect(try await Self.titles(second) == ["New Tides"])
            await engine.stop()
            await other.stop()
            try await store.close()
            try await second.close()
        }
    }

    @Test(
        "two persons use one device in turn, and no change of one person is sent as the other",
        .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
    func persons() async throws {
        let issuer = try TokenIssuer()
        try await Self.serve(try issuer.authenticator(apiKey: Self.key)) { directory, file in
            let store = try await DataStore.inMemory(schema: Schema(models: [Note.schema]))
            let account = Account(UserSession("anna", from: issuer))
            let engine = try Guide.authorized(store, file, account, key: Self.key)
            try await Guide.signIn(engine, on: Guide.Screen())
            try await store.save(Note(id: "1", title: "Anna's"))
            try await engine.catchUp()
            await engine.stop()
            try await store.save(Note(id: "2", title: "Unsent"))

            await account.signIn(UserSession("ben", from: issuer))
            let careful = Guide.Screen(answer: false)
            try await Guide.signIn(engine, on: careful)
            #expect(await careful.lines == ["Lose 1 changes?"])
            #expect(try await Self.titles(store) == ["Anna's", "Unsent"])
            try await Guide.signIn(engine, on: Guide.Screen())
            try await Self.settle(engine)
            #expect(try await Self.titles(store) == ["Anna's"])
            await engine.stop()
        }
    }
}
