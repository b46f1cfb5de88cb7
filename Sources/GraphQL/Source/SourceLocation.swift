/// A location in a source text: line and column, both counted from 1. The column counts Unicode scalars.
///
/// LF, CR and CRLF each end one line (October 2021 §2.1.3).
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1.
    public var line: Int
    /// The column in Unicode scalars, from 1.
    public var column: Int

    /// Makes a location from a known line and column.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Finds the location of a byte offset. This reads `source` up to the offset, so it is meant for single look-ups.
    ///
    /// An offset after the end counts as the end. For many look-ups in the same text, use ``SourceLines``.
    public init(offset: Int, in source: [UInt8]) {
        let end = min(max(offset, 0) + 1, source.count)
        self = SourceLines(source[..<end]).location(at: offset, in: source)
    }

    /// `line:column`.
    public var description: String { "\(line):\(column)" }
}
