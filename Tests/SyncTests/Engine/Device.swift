import Foundation
import ServerSupport
import Testing
import Tidelog
import TidelogSDL
import TidelogServer
import TidelogSync

/// A store of the posts' schema, and the server that it is synced with.
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

    /// The device of a store, with the server at `port`.
    init(_ store: DataStore, _ port: Int) { (self.store, self.port) = (store, port) }

    /// Runs `body` with a server of the posts' schema.
    static func serve(_ options: ServiceOptions = ServiceOptions(), _ body: (Int) async throws -> Void) async throws {
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

    /// Syncs once; nothing may be left to do but changes that were set aside.
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

    /// The record's fields in a short form; `nil` if there is none.
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
