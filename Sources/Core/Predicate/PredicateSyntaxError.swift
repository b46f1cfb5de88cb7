/// An error for a text that is not a predicate. It has the place of the error and the expected syntax.
public struct PredicateSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line number, counted from 1.
    public let line: Int
    /// The place in the line, counted from 1 in Unicode scalars.
    public let column: Int
    /// A description of the syntax that was expected there.
    public let expected: String

    /// The place and the expected syntax, without the text: `1:12: expected a value`.
    public var description: String { "\(line):\(column): expected \(expected)" }
}

extension PredicateSyntaxError {
    /// An error at the byte `offset` of `bytes`.
    init(expected: String, offset: Int, in bytes: [UInt8]) {
        let before = bytes[..<offset]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        self.expected = expected
    }
}
