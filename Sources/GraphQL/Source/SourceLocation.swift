/// A place in a source text as people count it: line and column, both from 1, the column in Unicode scalars.
///
/// LF, CR and CRLF each end one line (October 2021 §2.1.3).
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1.
    public var line: Int
    /// The column in Unicode scalars, from 1.
    public var column: Int

    /// Makes a location from a line and a column that are already known.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Looks up the location of a byte offset by reading `source` up to it: linear, so meant for single look-ups.
    ///
    /// An offset past the end counts as the end. For many look-ups in one text use ``SourceLines``.
    public init(offset: Int, in source: [UInt8]) {
        let end = min(max(offset, 0) + 1, source.count)
        self = SourceLines(source[..<end]).location(at: offset, in: source)
    }

    /// `line:column`.
    public var description: String { "\(line):\(column)" }
}
