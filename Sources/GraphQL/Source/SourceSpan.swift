/// A half-open range of UTF-8 byte offsets in the source text of a node.
///
/// Nodes that were made in code have the span `.none`, which is empty and at offset 0.
public struct SourceSpan: Sendable, Hashable {
    /// The offset of the first byte, from 0.
    public var start: Int
    /// The offset after the last byte.
    public var end: Int

    /// The span of a node that was not parsed from text.
    public static let none = SourceSpan(start: 0, end: 0)

    /// Makes the span `start ..< end`. `end` must not be before `start`, and neither may be negative.
    public init(start: Int, end: Int) {
        precondition(0 <= start && start <= end, "a source span ends before it starts")
        self.start = start
        self.end = end
    }
}
