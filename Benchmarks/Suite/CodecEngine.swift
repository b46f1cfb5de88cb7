import Tidelog

/// One way of bringing posts into bytes and back, without a store: what `codec` compares.
protocol Codec {
    /// A codec of `posts`.
    init(_ posts: [Post]) throws

    /// Brings every post into bytes, which stay until the next call.
    mutating func encode() throws

    /// Makes posts of those bytes, which stay until the next call.
    mutating func decode() throws

    /// Whether bytes and posts are what they have to be.
    var isRight: Bool { get throws }
}

/// A side of `codec`: what it makes of a post and how much of it is timed.
struct CodecEngine: BenchmarkEngine {
    enum Part: String, CaseIterable, Sendable {
        case both = ""
        case encode = "-encode"
        case decode = "-decode"
    }

    /// Few enough posts to stay in the processor's caches: the codec is timed, not the memory.
    private static let postCount = 256
    /// Fewer for a slow side, so that its passes take no longer than those of others and are as seldom interrupted.
    private static let slowPostCount = 16
    /// Passes that are not counted.
    private static let warmUpCount = 3

    private let base: String
    private let part: Part
    private let isSlow: Bool
    private let codec: any Codec.Type

    var name: String { base + part.rawValue }

    /// - Parameter isSlow: Whether fewer records do, since each takes long.
    init(_ base: String, _ part: Part, _ codec: any Codec.Type, isSlow: Bool = false) {
        self.base = base
        self.part = part
        self.codec = codec
        self.isSlow = isSlow
    }

    /// All sides besides Tidelog's own encoding and decoding in one.
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

    /// Passes over the same posts until `operations` of them are done. The median pass counts.
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
