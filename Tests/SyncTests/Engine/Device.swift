import Foundation
import ServerSupport
import Testing
import Tidelog
import TidelogSDL
import TidelogServer
import TidelogSync

/// A store with the schema of the posts, and the port of the server that it syncs with.
struct Device: Sendable {
    static let sdl = """
        type Post @model {
          id: ID! title: String rating: Int tags: [String]
        }
        """
    static let key = "da2-0123456789"

    let store: DataStore
    let port: Int

    init(_ port: Int, sdl: String = Self.sdl) async throws {
        store = try await DataStore.inMemory(schema: SchemaDocument(sdl: Array(sdl.utf8)).schema)
        self.port = port
    }

    /// A device with an existing store.
    init(_ store: DataStore, _ port: Int) { (self.store, self.port) = (store, port) }

    /// Starts a server with the schema of the posts, and runs `body` with its port.
    static func serve(
        _ options: ServiceOptions = ServiceOptions(), sdl: String = Self.sdl, _ body: (Int) async throws -> Void
    ) async throws {
        try await RunningServer.serve(sdl, Authenticator(apiKey: key), options: options) { try await body($0) }
    }

    func engine(
        _ configuration: SyncConfiguration = SyncConfiguration(), startup: SyncEngine.Startup = .manual,
        as authorization: GraphQLAuthorization = .apiKey(Self.key), transport: any Transport = CurlTransport()
    ) throws -> SyncEngine {
        try SyncEngine(
            store: store, endpoint: #require(URL(string: "http://127.0.0.1:\(port)/graphql")),
            authorization: authorization, configuration: configuration, startup: startup, transport: transport)
    }

    /// Syncs once, and expects that no change is left to send. `setAside` changes must be set aside.
    @discardableResult
    func sync(_ handler: TidelogSync.ConflictHandler = .applyRemote, setAside: Int = 0) async throws -> SyncReport {
        let report = try await engine(SyncConfiguration(conflictHandler: handler)).runOnce()
        #expect(report.failure == nil)
        #expect(report.pending == 0 && report.setAside == setAside && report.problems.isEmpty)
        return report
    }

    func save(_ id: String, _ values: [String: FieldValue]) async throws {
        let old = try await store.record("Post", id: RecordID(id))
        var post = old ?? Record(model: "Post", values: ["id": .string(id)])
        post.values.merge(values) { $1 }
        try await store.save(post)
    }

    func delete(_ id: String) async throws { try await store.delete("Post", id: RecordID(id)) }

    /// The fields of the record in a short form; `nil` if the record does not exist.
    func post(_ id: String) async throws -> String? {
        guard let post = try await store.record("Post", id: RecordID(id)) else { return nil }
        var tags: [String] = []
        if case .list(let elements)? = post["tags"] {
            for case .string(let tag)? in elements { tags.append(tag) }
        }
        let rating = if case .int(let number)? = post["rating"] { "\(number)" } else { "-" }
        let title = if case .string(let text)? = post["title"] { text } else { "-" }
        return "\(title) \(rating) \(tags.joined(separator: ","))"
    }
}
