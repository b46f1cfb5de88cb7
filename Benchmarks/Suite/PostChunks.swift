@_spi(Adapters) import Tidelog

/// The posts of a load or an update, made in chunks outside the timing: the same ones in the same order for every engine.
struct PostChunks {
    /// Enough for the making to come rarely, few enough to stay in the processor's caches.
    private static let minimumCount = 10_000

    private let generator: PostGenerator
    private let revision: Int
    private let count: Int
    private var numbers: Range<Int>
    private var pattern: AccessPattern
    private let encoder = PostEncoder()
    /// The bytes of the posts made so far as rows encode them.
    private(set) var logicalBytes = 0

    /// The posts with `numbers`; of another revision than 0, as many with random numbers among them.
    init(_ generator: PostGenerator, _ numbers: Range<Int>, batch: Int, revision: Int = 0) {
        self.generator = generator
        self.numbers = numbers
        self.revision = revision
        count = Self.count(batch: batch)
        pattern = AccessPattern(count: numbers.count)
    }

    /// How many posts a chunk has: whole batches.
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

/// Encodes posts as Tidelog stores them.
final class PostEncoder {
    static let model: ModelLayout = {
        guard let model = SchemaLayout(StoredSchema(first: .app)).model(named: "Post") else {
            preconditionFailure("the schema has the model")
        }
        return model
    }()

    private let arena = ByteArena()

    /// The row of `post`; valid until the next call.
    func encode(_ post: Post) -> UnsafeRawBufferPointer {
        arena.count = 0
        var encoder = RowEncoder(arena: arena, layout: Self.model.row)
        post.encode(into: &encoder)
        let reason = encoder.finish()
        precondition(reason == nil, "a post can be stored")
        return UnsafeRawBufferPointer(start: arena.base, count: arena.count)
    }
}
