import FaultHarness
import Foundation
import ServerSupport
import TestWaiting
import Testing
import Tidelog
import TidelogServer

/// Runs the code of the guide to Amplify Gen 2 against a server without versions.
@Suite("The guide to Amplify Gen 2", .timeLimit(.minutes(5)))
struct GuideWithoutVersionsTests {
    private typealias Todo = Guide.Todo

    private static let key = "da2-0123456789"

    /// Starts a server, and runs `body` with a directory and the configuration file of an app of that server.
    ///
    /// - Parameter rule: The rule of the model.
    private static func serve(
        _ rule: String, _ authenticator: Authenticator, _ kind: APIKind = .timestamps,
        _ body: (TemporaryDirectory, URL) async throws -> Void
    ) async throws {
        let sdl = """
            type Todo @model @auth(rules: [\(rule)]) { id: ID! content: String! isDone: Boolean tidelog: String }
            """
        try await RunningServer.serve(sdl, authenticator, kind: kind) { port in
            let directory = try TemporaryDirectory("guide")
            let file = directory.file("amplify_outputs.json")
            let text = """
                {"version":"1.4","data":{"url":"http://127.0.0.1:\(port)/graphql","aws_region":"us-east-1",
                "api_key":"\(key)","default_authorization_type":"AMAZON_COGNITO_USER_POOLS",
                "authorization_types":["API_KEY"]}}
                """
            try Data(text.utf8).write(to: file)
            try await body(directory, file)
        }
    }

    private static func contents(_ store: DataStore) async throws -> [String] {
        try await store.query(Todo.self).map(\.content).sorted()
    }

    @Test(
        "two devices of one person exchange tasks with tags, and merge changes of different fields",
        .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
    func twoDevices() async throws {
        let issuer = try TokenIssuer()
        try await Self.serve("{allow: owner}", issuer.authenticator()) { directory, file in
            let anna = Account(UserSession("anna", from: issuer))
            let screen = Guide.Screen()
            let (first, engine) = try await Guide.signedIn(at: directory.file("a"), file, anna)
            let showing = Task { await Guide.showProtocol(of: engine, on: screen) }
            try await first.save(Todo(id: "1", content: "Tides"))
            try await engine.catchUp()
            await showing.value
            #expect(await screen.lines == ["The engine uses the protocol timestamps."])

            let (second, other) = try await Guide.signedIn(at: directory.file("b"), file, anna)
            try await eventually { try await Self.contents(second) == ["Tides"] }
            let received = try #require(try await second.query(Todo.self, id: "1"))
            #expect(received.tidelog != nil && received.updatedAt != nil)

            await other.stop()
            var task = received
            task.isDone = true
            try await second.save(task)
            try await first.save(Todo(id: "1", content: "Spring tides"))
            try await engine.catchUp()
            try await other.start()
            try await other.catchUp()
            try await eventually {
                let task = try await first.query(Todo.self, id: "1")
                return task?.content == "Spring tides" && task?.isDone == true
            }
            #expect(other.status.setAside == 0)

            let (others, third) = try await Guide.signedIn(
                at: directory.file("c"), file, Account(UserSession("ben", from: issuer)))
            try await third.catchUp()
            #expect(try await Self.contents(others) == [])
            for engine in [engine, other, third] { await engine.stop() }
            for store in [first, second, others] { try await store.close() }
        }
    }

    @Test("an engine with a key uses the protocol that the app chose, and a deleted task disappears elsewhere")
    func key() async throws {
        try await Self.serve("{allow: public}", Authenticator(apiKey: Self.key)) { directory, file in
            let schema = Schema(models: [Todo.schema])
            let (first, second) = (
                try await DataStore.inMemory(schema: schema), try await DataStore.inMemory(schema: schema)
            )
            let engine = try Guide.withKey(first, file)
            try await first.save(Todo(id: "1", content: "Tides"))
            try await engine.catchUp()
            let configuration = try Guide.chosenConfiguration(file)
            let other = try SyncEngine(store: second, configuration: configuration, startup: .manual)
            #expect(await other.runOnce().received == 1)
            #expect(other.status.protocol == .timestamps)
            try await first.delete(Todo.self, id: "1")
            try await engine.catchUp()
            // The server is asked twice for a record that is missing in the list.
            #expect(await other.runOnce().failure == nil)
            #expect(try await Self.contents(second) == [])
            await engine.stop()
        }
    }

    /// Runs `body` with the configurations of a server with versions and of a server without, and with a store that was synced
    /// with the first one. The second one has the same record.
    private static func move(
        _ body: (SyncConfiguration, SyncConfiguration, DataStore) async throws -> Void
    ) async throws {
        let schema = Schema(models: [Todo.schema])
        try await serve("{allow: public}", Authenticator(apiKey: key), .versioned) { _, oldFile in
            try await serve("{allow: public}", Authenticator(apiKey: key)) { _, newFile in
                let old = try SyncConfiguration(contentsOf: oldFile)
                let new = try SyncConfiguration(contentsOf: newFile)
                let (store, copy) = (
                    try await DataStore.inMemory(schema: schema), try await DataStore.inMemory(schema: schema)
                )
                for (store, configuration) in [(store, old), (copy, new)] {
                    try await store.save(Todo(id: "1", content: "Tides"))
                    let engine = try SyncEngine(store: store, configuration: configuration, startup: .manual)
                    #expect(await engine.runOnce().sent == 1)
                }
                try await body(old, new, store)
            }
        }
    }

    @Test("a store that has sent everything moves to the server without versions, and receives that server's records")
    func moving() async throws {
        try await Self.move { old, new, store in
            try await store.save(Todo(id: "2", content: "Ebb"))
            let engine = try await Guide.move(store, from: old, to: new)
            try await engine.catchUp()
            #expect(engine.status.protocol == .timestamps)
            // The migration of the tables would have brought the second task.
            #expect(try await Self.contents(store) == ["Tides"])
            await engine.stop()
        }
    }

    @Test("a store is not cleared by the move if the old server does not take its changes")
    func unsent() async throws {
        try await Self.move { old, new, store in
            try await store.save(Todo(id: "2", content: "Ebb"))
            var gone = old
            gone.apiKey = "da2-another-key"
            let error = await #expect(throws: SyncError.self) { try await Guide.move(store, from: gone, to: new) }
            #expect(error?.code == .unsentChanges)
            #expect(try await Self.contents(store) == ["Ebb", "Tides"])
        }
    }

    @Test("a store adopts the server without versions, and keeps and sends its unsent changes")
    func adoption() async throws {
        try await Self.move { _, new, store in
            var task = try #require(try await store.query(Todo.self, id: "1"))
            task.isDone = true
            try await store.save(task)
            let engine = try await Guide.adopt(store, new)
            try await engine.catchUp()
            #expect(engine.status.setAside == 0)
            let sent = try #require(try await store.query(Todo.self, id: "1"))
            #expect(sent.isDone == true && sent.content == "Tides" && sent.tidelog != nil)
            await engine.stop()
        }
    }
}
