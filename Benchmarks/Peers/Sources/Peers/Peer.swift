import Tidelog

/// A store of posts, used as its documentation recommends.
protocol Peer: Sendable {
    /// The name in the results.
    static var name: String { get }
    /// Whether several tasks may call it at once.
    static var takesTasks: Bool { get }

    /// Opens an empty store in an empty folder.
    ///
    /// - Parameter durability: With `full`, a save survives a power loss once its call has returned. With `relaxed`, it
    ///   survives the end of the process.
    init(folder: String, durability: Durability) async throws

    func save(_ post: Post) async throws
    /// Saves new posts in one transaction.
    func save(all posts: [Post]) async throws
    func post(id: String) async throws -> Post?
    /// The first posts with at least `rating`, in the order of their ratings.
    func posts(from rating: Int, limit: Int) async throws -> [Post]
    /// The posts whose content contains `text`. There is no index that helps.
    func posts(containing text: String) async throws -> [Post]
    func close() async throws
}

extension Peer {
    static var takesTasks: Bool { true }
}

/// A call of a peer that failed.
struct PeerError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
