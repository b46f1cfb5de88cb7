/// How large a document may be before the parser refuses it, so that hostile text costs little.
public struct GraphQLLimits: Sendable, Hashable {
    /// The deepest nesting that may be asked for.
    ///
    /// Parsing, comparing and printing recurse once a level and take up to 2 KiB of stack for it, 6 KiB in debug builds:
    /// the greatest depth fits a thread with 512 KiB in an optimized build, the depth of ``standard`` in any build.
    public static let greatestDepth = 200

    /// Most UTF-8 bytes in a document.
    public var documentBytes: Int
    /// Most tokens in a document; comments, commas and white space are not tokens.
    public var tokens: Int
    /// Most selection sets, list and object values and list types open at one place; 1 … ``greatestDepth``.
    public var depth: Int {
        didSet { Self.check(depth: depth) }
    }

    /// For schemas and tools: 4 MiB, 1,000,000 tokens, 64 levels.
    public static let standard = GraphQLLimits()
    /// For requests from outside: 64 KiB, 15,000 tokens, 32 levels.
    public static let request = GraphQLLimits(documentBytes: 64 << 10, tokens: 15_000, depth: 32)

    /// Makes limits; `depth` lies in 1 … ``greatestDepth``.
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
