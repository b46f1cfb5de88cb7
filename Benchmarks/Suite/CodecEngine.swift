import Tidelog

/// A way of encoding posts as bytes and decoding them again, without a store. The workload `codec` compares such ways.
protocol Codec {
    /// Makes a codec for `posts`.
    init(_ posts: [Post]) throws

    /// Encodes every post. The bytes stay valid until the next call.
    mutating func encode() throws

    /// Decodes posts from those bytes. The posts stay valid until the next call.
    mutating func decode() throws

    /// Whether the bytes and the posts are correct.
    var isRight: Bool { get throws }
}

/// A side of `codec`: a codec, and the part of its work that is timed.
struct CodecEngine: BenchmarkEngine {
    enum Part: String, CaseIterable, Sendable {
        case both = ""
        case encode = "-encode"
        case decode = "-decode"
    }

    /// The posts are few enough to stay in the processor's caches, so that the time is the codec's and not the memory's.
    private static let postCount = 256
    /// A slow side gets fewer posts, so that one pass takes no longer than on other sides and is interrupted as rarely.
    private static let slowPostCount = 16
    /// The number of passes at the start that are not counted.
    private static let warmUpCount = 3

    private let base: String
    private let part: Part
    private let isSlow: Bool
    private let codec: any Codec.Type

    var name: String { base + part.rawValue }

    /// - Parameter isSlow: Whether fewer records are used, because each takes long.
    init(_ base: String, _ part: Part, _ codec: any Codec.Type, isSlow: Bool = false) {
        self.base = base
        self.part = part
        self.codec = codec
        self.isSlow = isSlow
    }

    /// All sides of the workload, except Tidelog's encoding and decoding together.
    static var all: [CodecEngine] {
        let parts: [Part] = [.encode, .decode]
        return parts.map { CodecEngine("tidelog", $0, RowCodec.self) }
            + Part.allCases.map { CodecEngine("c-struct", $0, StructCodec.self) }
            + Part.allCases.map { CodecEngine("codable-json", $0, JSONCodec.self, isSlow: true) }
            + [CodecEngine("string-creation", .both, StringCodec.self)]
    }

    func takesPart(in workload: Workload) -> Bool { workload == .codec }

    func run(_ workload: Workload, _ size: WorkloadSize, in directory: String, _ meter: Meter) throws -> Measurement? {
        takesPart(in: workload) ? try measure(codec, isSlow ? min(size.operations, 20_000) : size.operations) : nil
    }

    /// Runs passes over the same posts until `operations` posts are done. The time of the median pass counts.
    private func measure<Side: Codec>(_ type: Side.Type, _ operations: Int) throws -> Measurement {
        let posts = (0..<(isSlow ? Self.slowPostCount : Self.postCount)).map { PostGenerator(.codec).post($0) }
        var side = try Side(posts)
        try side.encode()
        var passes: [Double] = []
        for pass in -Self.warmUpCount..<max(1, operations / posts.count) {
            let began = Clock.now()
            if part != .decode { try side.encode() }
            if part != .encode { try side.decode() }
            if pass >= 0 { passes.append(Double(Clock.now() - began) / 1e9) }
        }
        if part == .encode { try side.decode() }
        guard try side.isRight else { throw UsageError("\(name) made other bytes or other posts") }
        var measurement = Measurement()
        measurement.operations = passes.count * posts.count
        measurement.seconds = passes.median * Double(passes.count)
        measurement.recordCount = posts.count
        let encoder = PostEncoder()
        measurement.logicalBytes = posts.reduce(0) { $0 + encoder.encode($1).count }
        return measurement
    }
}
