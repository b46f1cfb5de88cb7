import Foundation
import Tidelog

/// The adapter of a Tidelog store that is measured.
protocol MeasuredAdapter: Sendable {
    static var name: String { get }
    static var factory: AdapterFactory { get }
}

struct LMDBRows: MeasuredAdapter {
    static let name = "Tidelog"
    static var factory: AdapterFactory { .lmdb() }
}

struct SQLiteRows: MeasuredAdapter {
    static let name = "Tidelog, SQLite adapter"
    static var factory: AdapterFactory { .sqlite() }
}

/// A Tidelog store in its default configuration.
struct TidelogPeer<Rows: MeasuredAdapter>: Peer {
    static var name: String { Rows.name }

    private let store: DataStore

    init(folder: String, durability: Durability) async throws {
        store = try await DataStore.open(
            at: URL(fileURLWithPath: folder).appending(path: "store"), schema: .app, adapter: Rows.factory,
            configuration: DataStoreConfiguration(durability: durability))
    }

    func save(_ post: Post) async throws { try await store.save(post) }

    func save(all posts: [Post]) async throws { try await store.write { try $0.save(posts) } }

    func post(id: String) async throws -> Post? { try await store.query(Post.self, id: id) }

    func posts(from rating: Int, limit: Int) async throws -> [Post] {
        try await store.fetch(
            Post.where(Post.keys.rating >= rating).sorted(by: .ascending(Post.keys.rating)).limit(limit))
    }

    func posts(containing text: String) async throws -> [Post] {
        try await store.fetch(Post.where(Post.keys.content.contains(text)))
    }

    func close() async throws { try await store.close() }
}
