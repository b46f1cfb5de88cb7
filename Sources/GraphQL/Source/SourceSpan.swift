/// A half-open range of UTF-8 byte offsets in the text a node was parsed from.
///
/// Nodes made by hand carry `.none`, which is empty and sits at offset 0.
public struct SourceSpan: Sendable, Hashable {
    /// Offset of the first byte, from 0.
    public var start: Int
    /// Offset just past the last byte.
    public var end: Int

    /// The span of a node that was not parsed from text.
    public static let none = SourceSpan(start: 0, end: 0)

    /// Makes the span `start ..< end`; `end` is not before `start` and neither is negative.
    public init(start: Int, end: Int) {
        precondition(0 <= start && start <= end, "a source span ends before it starts")
        self.start = start
        self.end = end
    }
}
