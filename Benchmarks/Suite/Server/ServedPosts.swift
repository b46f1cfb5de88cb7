import Foundation
import Tidelog
internal import TidelogServer

/// The store of posts that a server uses.
struct ServedPosts {
    /// The key that clients send.
    static let apiKey = "da2-benchmark"
    /// The content of `schema.graphql`, from which the server's API is made.
    static let source = """
        "The record of all workloads: seven fields, about 230 bytes, one index."
        type Post @model(timestamps: null) {
          id: ID!
          title: String!
          content: String!
          rating: Int! @index(name: "byRating")
          status: String!
          createdAt: String!
          updatedAt: String!
        }
        """
    /// How many posts are saved in one call before the timed work begins.
    private static let batch = 10_000

    /// The same seven fields for an API without versions, which sets the times itself.
    static let stampedSource = source.replacing("@model(timestamps: null)", with: "@model").replacing(
        "  createdAt: String!\n  updatedAt: String!\n", with: "")

    let store: DataStore
    private let api: API

    private var source: String { api.kind == .versioned ? Self.source : Self.stampedSource }

    /// The API of the posts without versions.
    static func makeStampedAPI() throws -> API {
        try API(SchemaDocument(sdl: Array(stampedSource.utf8)), .timestamps)
    }

    /// The API of the posts.
    static func makeAPI() throws -> API {
        let api = try API(SchemaDocument(sdl: Array(source.utf8)))
        guard api.schema == Schema.app else {
            throw UsageError("the server does not serve what schema.graphql declares")
        }
        return api
    }

    /// A server without a request log, on a port that the system chooses.
    static var configuration: Server.Configuration {
        Server.Configuration(listener: Listener.Configuration(port: 0), authenticator: Authenticator(apiKey: apiKey))
    }

    /// Creates the store in `directory`.
    init(
        _ adapter: Adapter, _ durability: Durability, _ kind: APIKind = .versioned, in directory: String
    ) async throws {
        api = kind == .versioned ? try Self.makeAPI() : try Self.makeStampedAPI()
        store = try await DataStore.open(
            at: URL(fileURLWithPath: directory + "/store"), schema: ServerModels.adding(to: api.storedSchema),
            adapter: adapter == .lmdb ? .lmdb() : .sqlite(),
            configuration: DataStoreConfiguration(durability: durability))
    }

    /// Fills the store with the same posts that clients would have created.
    func load(_ count: Int) async throws {
        let generator = PostGenerator(.server)
        let time = FieldValue.int(Int64(Date().timeIntervalSince1970 * 1_000))
        for start in stride(from: 0, to: count, by: Self.batch) {
            try await store.write { transaction in
                for number in start..<min(start + Self.batch, count) {
                    try transaction.save(record(generator.post(number), time))
                }
            }
        }
        try await store.read { _ in }
    }

    private func record(_ post: Post, _ time: FieldValue) throws -> Record {
        let record = Self.record(post, time)
        return api.kind == .versioned ? record : try StampedPosts.withTimes(record, of: post)
    }

    /// The record that a server stores when a client creates `post`.
    static func record(_ post: Post, _ time: FieldValue) -> Record {
        Record(
            model: "Post",
            values: [
                "id": .string(post.id), "title": .string(post.title), "content": .string(post.content),
                "rating": .int(Int64(post.rating)), "status": .string(post.status),
                "createdAt": .string(post.createdAt), "updatedAt": .string(post.updatedAt),
                Metadata.version: .int(1), Metadata.lastChangedAt: time,
            ])
    }

    /// Starts a server of the store on a port that the system chooses.
    func start() async throws -> Server {
        let configuration = Self.configuration
        let versions = try await LogVersionedStore(
            store, schema: api.storedSchema, source: source, kind: api.kind,
            tombstoneAge: configuration.options.tombstoneAge, clock: configuration.environment.clock)
        return try await Server.start(api, over: versions, configuration)
    }
}
