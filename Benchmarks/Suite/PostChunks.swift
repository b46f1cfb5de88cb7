@_spi(Adapters) import Tidelog

/// The posts of a load or an update, made in chunks outside of the timing. Every engine gets the same posts in the same order.
struct PostChunks {
    /// The number is large enough to make chunks rarely, and small enough for a chunk to stay in the processor's caches.
    private static let minimumCount = 10_000

    private let generator: PostGenerator
    private let revision: Int
    private let count: Int
    private var numbers: Range<Int>
    private var pattern: AccessPattern
    private let encoder = PostEncoder()
    /// The size of the posts made so far as encoded rows, in bytes.
    private(set) var logicalBytes = 0

    /// Makes posts with `numbers`. For a revision other than 0, the same number of posts with random numbers from that range.
    init(_ generator: PostGenerator, _ numbers: Range<Int>, batch: Int, revision: Int = 0) {
        self.generator = generator
        self.numbers = numbers
        self.revision = revision
        count = Self.count(batch: batch)
        pattern = AccessPattern(count: numbers.count)
    }

    /// The number of posts in a chunk, which is a multiple of the batch.
    static func count(batch: Int) -> Int { max(minimumCount / batch * batch, batch) }

    mutating func next() -> [Post]? {
        guard !numbers.isEmpty else { return nil }
        var posts: [Post] = []
        posts.reserveCapacity(min(count, numbers.count))
        for number in numbers.prefix(count) {
            let post = generator.post(revision == 0 ? number : pattern.uniform(), revision: revision)
            logicalBytes += encoder.encode(post).count
            posts.append(post)
        }
        numbers = numbers.dropFirst(count)
        return posts
    }
}

/// Encodes posts in the form in which Tidelog stores them.
final class PostEncoder {
    static let model: ModelLayout = {
        guard let model = SchemaLayout(StoredSchema(first: .app)).model(named: "Post") else {
            preconditionFailure("the schema has the model")
        }
        return model
    }()

    private let arena = ByteArena()

    /// The row of `post`. It is valid until the next call.
    func encode(_ post: Post) -> UnsafeRawBufferPointer {
        arena.count = 0
        var encoder = RowEncoder(arena: arena, layout: Self.model.row)
        post.encode(into: &encoder)
        let reason = encoder.finish()
        precondition(reason == nil, "a post can be stored")
        return UnsafeRawBufferPointer(start: arena.base, count: arena.count)
    }
}
