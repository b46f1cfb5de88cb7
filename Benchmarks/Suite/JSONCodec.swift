import Foundation
import Tidelog

/// Encodes the generated struct with Foundation's JSON. The encoder and the decoder are reused.
struct JSONCodec: Codec {
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()
    private let posts: [Post]
    private var encoded: [Data]
    private var decoded: [Post]

    init(_ posts: [Post]) {
        self.posts = posts
        encoded = posts.map { _ in Data() }
        decoded = posts
    }

    mutating func encode() throws {
        for index in posts.indices { encoded[index] = try encoder.encode(posts[index]) }
    }

    mutating func decode() throws {
        for index in encoded.indices { decoded[index] = try decoder.decode(Post.self, from: encoded[index]) }
    }

    var isRight: Bool { decoded == posts }
}
