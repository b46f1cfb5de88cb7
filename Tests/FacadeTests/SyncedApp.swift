import FaultHarness
import Foundation
import ServerSupport
import Testing
import TidelogAmplify
import TidelogServer
import TidelogSynchronization

/// An app that syncs with a server. It can also make another device of the same server.
struct SyncedApp {
    static let key = "da2-0123456789"

    let directory: TemporaryDirectory
    let port: Int
    /// The requests that the server answered.
    let requests: RequestLog

    /// Starts a server and runs `body` with an app that is not configured yet.
    static func serve(
        _ strategy: ConflictStrategy = .autoMerge, _ body: @escaping @Sendable (SyncedApp) async throws -> Void
    ) async throws {
        var options = ServiceOptions()
        options.strategy = strategy
        let requests = RequestLog()
        let sdl = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "schema.graphql"),
            encoding: .utf8)
        await Amplify.reset()
        let result: Result<Void, any Error> = await Result {
            try await RunningServer.serve(
                sdl, Authenticator(apiKey: key), options: options, adapter: .lmdb(), log: { requests.note($0) }
            ) { port in
                let app = SyncedApp(directory: try TemporaryDirectory("facade"), port: port, requests: requests)
                try await body(app)
            }
        }
        await Amplify.reset()
        try result.get()
    }

    /// Configures Amplify's calls with a configuration file for the server.
    func configure(_ configuration: DataStoreConfiguration = .default) throws {
        let file = directory.file("amplifyconfiguration.json")
        try Data(
            #"""
            {"UserAgent":"tests","Version":"1.0","api":{"plugins":{"awsAPIPlugin":{"app":{"endpointType":"GraphQL",
            "endpoint":"http://127.0.0.1:\#(port)/graphql","region":"local","authorizationType":"API_KEY",
            "apiKey":"\#(Self.key)"}}}}}
            """#.utf8
        ).write(to: file)
        try Amplify.add(
            plugin: AWSDataStorePlugin(
                modelRegistration: AmplifyModels(), configuration: configuration, directory: directory.file("store")))
        try Amplify.add(plugin: AWSAPIPlugin())
        try Amplify.configure(contentsOf: file)
    }

    /// Makes another device, which has its own store.
    func otherDevice() async throws -> (store: DataStore, engine: SyncEngine) {
        let store = try await DataStore.inMemory(schema: .app)
        let engine = try SyncEngine(
            store: store, endpoint: #require(URL(string: "http://127.0.0.1:\(port)/graphql")),
            authorization: .apiKey(Self.key), startup: .manual)
        return (store, engine)
    }

    /// Saves these stories on the server, from another device.
    func give(_ stories: [Story]) async throws {
        let other = try await otherDevice()
        try await other.store.save(stories)
        let report = await other.engine.runOnce()
        #expect(report.sent == stories.count && report.failure == nil)
    }

    /// The stories that the server has.
    func served() async throws -> [Story] {
        let other = try await otherDevice()
        #expect(await other.engine.runOnce().failure == nil)
        return try await other.store.query(Story.self)
    }

    /// Waits until the app has these stories.
    func waitForStories(_ ids: [String]) async throws {
        for try await snapshot in Amplify.DataStore.observeQuery(for: Story.self) {
            if snapshot.items.map(\.id) == ids { return }
        }
    }
}

/// The requests that a server answered.
final class RequestLog: Sendable {
    private let fields = Mutex<[RequestReport.FieldReport]>([])

    func note(_ request: ServedRequest) { fields.withLock { $0 += request.report?.fields ?? [] } }

    /// The reports of the fields called `name`.
    func reports(_ name: String) -> [RequestReport.FieldReport] { fields.withLock { $0.filter { $0.field == name } } }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

extension Story {
    /// A story in the state `out`, with a title that contains its id.
    static func titled(_ id: String, _ stars: Int) -> Story {
        Story(id: id, title: "Story \(id)", stars: stars, state: .out)
    }
}
