/// How much a reader accepts before it refuses a document.
public struct JSONLimits: Hashable, Sendable {
    /// The deepest nesting that any reader or writer of this module takes.
    public static let deepest = JSONNesting.deepest

    /// Bytes of one document, whitespace included.
    public let maximumBytes: Int
    /// Objects and arrays inside each other; a scalar document has depth 0.
    public let maximumDepth: Int
    /// Bytes of the text of one number. The longest exact decimal form of a double has 1,077.
    public let maximumNumberBytes: Int

    /// Limits; the defaults are 64 MiB, 128 levels and 2,048 bytes.
    ///
    /// - Precondition: every limit is at least 1, and the depth at most ``deepest``.
    public init(
        maximumBytes: Int = 64 << 20, maximumDepth: Int = JSONLimits.deepest, maximumNumberBytes: Int = 2_048
    ) {
        precondition(maximumBytes >= 1, "a document has at least one byte")
        precondition((1...JSONLimits.deepest).contains(maximumDepth), "the depth limit must be in 1...128")
        precondition(maximumNumberBytes >= 1, "a number has at least one byte")
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumNumberBytes = maximumNumberBytes
    }
}
