@_spi(Adapters) import Tidelog

/// Encodes and decodes Tidelog's rows by generated code, in the way in which the store does it for each record of a batch.
struct RowCodec: Codec {
    private let layout = PostEncoder.model
    private let arena = ByteArena()
    private let posts: [Post]
    private var ends: [Int] = []
    private var decoded: [Post]

    init(_ posts: [Post]) {
        self.posts = posts
        decoded = posts
    }

    mutating func encode() throws {
        arena.count = 0
        ends.removeAll(keepingCapacity: true)
        try layout.encode(posts, into: arena, ends: &ends)
    }

    mutating func decode() throws {
        var start = 0
        for index in ends.indices {
            decoded[index] = try Post.decoded(RowView(arena[start..<ends[index]]), layout)
            start = ends[index]
        }
    }

    var isRight: Bool { decoded == posts }
}

/// Makes a post's six strings from their bytes in the ordinary way, and frees the strings that they replace.
struct StringCodec: Codec {
    private struct Texts: Equatable {
        var id, title, content, status, createdAt, updatedAt: String
    }

    private let arena = ByteArena()
    /// The places of the texts in the arena, six for each post.
    private var ranges: [Range<Int>] = []
    private let expected: [Texts]
    private var made: [Texts]

    init(_ posts: [Post]) throws {
        expected = posts.map {
            Texts(
                id: $0.id, title: $0.title, content: $0.content, status: $0.status, createdAt: $0.createdAt,
                updatedAt: $0.updatedAt)
        }
        made = expected
        let encoder = PostEncoder()
        for post in posts {
            let start = arena.count
            let bytes = encoder.encode(post)
            arena.append(bytes)
            let row = try RowView(bytes)
            var end = bytes.count - (try (0..<row.slotCount).reduce(0) { $0 + (try row.value($1)?.count ?? 0) })
            for field in PostEncoder.model.row.fields {
                let length = try row.value(field.slot)?.count ?? 0
                if field.kind != .int { ranges.append(start + end..<start + end + length) }
                end += length
            }
        }
    }

    mutating func encode() {}

    mutating func decode() {
        for index in made.indices {
            made[index] = Texts(
                id: text(index * 6), title: text(index * 6 + 1), content: text(index * 6 + 2),
                status: text(index * 6 + 3), createdAt: text(index * 6 + 4), updatedAt: text(index * 6 + 5))
        }
    }

    @inline(__always)
    private func text(_ number: Int) -> String { String(decoding: arena[ranges[number]], as: UTF8.self) }

    var isRight: Bool { made == expected }
}
