/// The limits of a reader. The reader refuses documents that exceed them.
public struct JSONLimits: Hashable, Sendable {
    /// The deepest nesting that any reader or writer of this module accepts.
    public static let deepest = JSONNesting.deepest

    /// The largest size of a document in bytes, including whitespace.
    public let maximumBytes: Int
    /// The largest depth of nested objects and arrays. A scalar document has depth 0.
    public let maximumDepth: Int
    /// The largest size of the text of a number in bytes. The longest exact decimal form of a double has 1,077.
    public let maximumNumberBytes: Int

    /// Makes limits. The defaults are 64 MiB, 128 levels and 2,048 bytes.
    ///
    /// - Precondition: Every limit is at least 1, and the depth is at most ``deepest``.
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
