/// The size limits of a document. The parser refuses larger documents, so that hostile text costs little.
public struct GraphQLLimits: Sendable, Hashable {
    /// The largest depth limit that may be set.
    ///
    /// Parsing, comparing and printing recurse once for each level. Each level takes up to 2 KiB of stack, and 6 KiB in debug
    /// builds. In an optimized build, this depth fits a thread with 512 KiB of stack. The depth of ``standard`` fits such a
    /// thread in any build.
    public static let greatestDepth = 200

    /// The largest number of UTF-8 bytes in a document.
    public var documentBytes: Int
    /// The largest number of tokens in a document. Comments, commas and white space are not tokens.
    public var tokens: Int
    /// The largest number of selection sets, list values, object values and list types that may be open at one place; 1 …
    /// ``greatestDepth``.
    public var depth: Int {
        didSet { Self.check(depth: depth) }
    }

    /// The limits for schemas and tools: 4 MiB, 1,000,000 tokens, 64 levels.
    public static let standard = GraphQLLimits()
    /// The limits for requests from clients: 64 KiB, 15,000 tokens, 32 levels.
    public static let request = GraphQLLimits(documentBytes: 64 << 10, tokens: 15_000, depth: 32)

    /// Makes limits. `depth` must be in 1 … ``greatestDepth``.
    public init(documentBytes: Int = 4 << 20, tokens: Int = 1_000_000, depth: Int = 64) {
        Self.check(depth: depth)
        self.documentBytes = documentBytes
        self.tokens = tokens
        self.depth = depth
    }

    private static func check(depth: Int) {
        precondition((1...greatestDepth).contains(depth), "the depth limit lies between 1 and \(greatestDepth)")
    }
}
