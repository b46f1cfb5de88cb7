internal import CBaselines
@_spi(Adapters) import Tidelog

/// Encodes and decodes the same rows in C. The structs point to their texts, and decoding copies the texts.
struct StructCodec: Codec {
    private let posts: [Post]
    private let source: RawRecords
    private let structs: [baseline_codec_post]
    private let memory: CodecMemory
    private var ends: [Int]
    private var decoded: [baseline_codec_post]

    init(_ posts: [Post]) throws {
        self.posts = posts
        source = RawRecords(capacity: posts.count)
        try source.fill(posts)
        structs = source.records.map { record in
            let texts = record.texts
            return baseline_codec_post(
                rating: record.rating,
                texts: (record.identifier, texts.0, texts.1, texts.2, texts.3, texts.4))
        }
        memory = CodecMemory(capacity: posts.count * BASELINE_POST_CAPACITY)
        ends = posts.map { _ in 0 }
        decoded = structs
    }

    mutating func encode() throws {
        try Self.check(baseline_codec_encode(structs, structs.count, &memory.rows, &ends))
    }

    mutating func decode() throws {
        try Self.check(baseline_codec_decode(memory.rows.bytes, ends, ends.count, &decoded, &memory.texts))
    }

    private static func check(_ status: baseline_status) throws {
        guard status == BASELINE_OK else { throw UsageError("the codec in C failed") }
    }

    /// Whether the rows are equal to Tidelog's rows byte for byte, and the decoded posts are equal to the encoded ones.
    var isRight: Bool {
        let rows = UnsafeBufferPointer(start: memory.rows.bytes, count: memory.rows.count)
        let expected = source.records.map { UnsafeBufferPointer(start: $0.row, count: Int($0.row_length)) }.joined()
        return rows.elementsEqual(expected) && decoded.map(Self.post) == posts
    }

    private static func post(_ post: baseline_codec_post) -> Post {
        func text(_ text: baseline_text) -> String {
            String(decoding: UnsafeBufferPointer(start: text.bytes, count: Int(text.length)), as: UTF8.self)
        }
        return Post(
            id: text(post.texts.0), title: text(post.texts.1), content: text(post.texts.2), rating: Int(post.rating),
            status: text(post.texts.3), createdAt: text(post.texts.4), updatedAt: text(post.texts.5))
    }
}

/// The memory in which the C side puts rows and texts.
private final class CodecMemory {
    var rows: baseline_codec_buffer
    var texts: baseline_codec_buffer

    init(capacity: Int) {
        rows = baseline_codec_buffer(bytes: .allocate(capacity: capacity), capacity: capacity, count: 0)
        texts = baseline_codec_buffer(bytes: .allocate(capacity: capacity), capacity: capacity, count: 0)
    }

    deinit {
        rows.bytes.deallocate()
        texts.bytes.deallocate()
    }
}
