/// The reason why a JSON text was refused, with the position of the error.
///
/// `description` contains at most one byte of the text, so it can be logged where the data must not be.
public struct JSONError: Error, Hashable, Sendable {
    /// The kind of error.
    public enum Code: Hashable, Sendable {
        /// The text ends inside a value.
        case unexpectedEnd
        /// A byte that the grammar does not allow here.
        case unexpectedByte(UInt8)
        /// Something other than whitespace follows the document.
        case trailingByte(UInt8)
        /// The value is valid JSON, but of another kind than the requested one. Nothing was consumed.
        case wrongKind(expected: JSONKind, found: JSONKind)
        /// A word that starts like `true`, `false` or `null`, but is none of them.
        case invalidLiteral
        /// A number that violates the grammar of RFC 8259, section 6.
        case invalidNumber
        /// A number whose text is longer than the limit, in bytes.
        case numberTooLong(limit: Int)
        /// The number has a fraction, but an integer was requested. Nothing was consumed.
        case notAnInteger
        /// The integer does not fit in 64 signed bits. Nothing was consumed.
        case integerOutOfRange
        /// The number is beyond the largest finite double. Nothing was consumed.
        case doubleOutOfRange
        /// An unescaped control character (below U+0020) inside a string.
        case controlCharacter(UInt8)
        /// A backslash with a character after it that RFC 8259, section 7, does not list.
        case invalidEscape
        /// A `\u` escape that is half of a surrogate pair, without the other half.
        case loneSurrogate
        /// Bytes that are not UTF-8 (overlong, a surrogate, beyond U+10FFFF, or cut off). The value is the first of them.
        case invalidUTF8(UInt8)
        /// Objects and arrays nest more deeply than the limit.
        case tooDeep(limit: Int)
        /// The document has more bytes than the limit.
        case documentTooLong(limit: Int)
        /// A line has more bytes than the limit.
        case lineTooLong(limit: Int)
    }

    /// The kind of error.
    public let code: Code
    /// The position of the wrong byte, or of the first byte of the refused value, escape or line.
    public let position: JSONPosition

    /// Makes an error of the kind `code` at `position`.
    public init(_ code: Code, at position: JSONPosition) {
        self.code = code
        self.position = position
    }

    /// The problem, as a clause for people.
    public var message: String {
        switch code {
        case .unexpectedEnd: "the text ends inside a value"
        case .unexpectedByte(let byte): "unexpected byte \(hexadecimal(byte))"
        case .trailingByte(let byte): "byte \(hexadecimal(byte)) follows the end of the document"
        case .wrongKind(let expected, let found): "expected \(expected), found \(found)"
        case .invalidLiteral: "expected true, false or null"
        case .invalidNumber: "malformed number"
        case .numberTooLong(let limit): "number longer than \(limit) bytes"
        case .notAnInteger: "expected an integer, found a number with a fraction"
        case .integerOutOfRange: "integer outside the range of 64 signed bits"
        case .doubleOutOfRange: "number beyond the range of a double"
        case .controlCharacter(let byte): "unescaped control character \(hexadecimal(byte)) in a string"
        case .invalidEscape: "invalid escape in a string"
        case .loneSurrogate: "escape of a lone surrogate in a string"
        case .invalidUTF8(let byte): "invalid UTF-8 at byte \(hexadecimal(byte))"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .documentTooLong(let limit): "document longer than \(limit) bytes"
        case .lineTooLong(let limit): "line longer than \(limit) bytes"
        }
    }
}

extension JSONError: CustomStringConvertible {
    /// The position and the message.
    public var description: String {
        "line \(position.line), column \(position.column) (byte \(position.byteOffset)): \(message)"
    }
}

private func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.utf8.count == 1 ? "0x0\(digits)" : "0x\(digits)"
}

/// A position in a JSON text.
public struct JSONPosition: Hashable, Sendable {
    /// The number of bytes before this position.
    public var byteOffset: Int
    /// The line, from 1. A line ends with a line feed.
    public var line: Int
    /// The column, from 1, counted in bytes.
    public var column: Int

    /// Makes a position from its three counts.
    public init(byteOffset: Int, line: Int, column: Int) {
        self.byteOffset = byteOffset
        self.line = line
        self.column = column
    }

    /// The position of the first byte of a text.
    public static let start = JSONPosition(byteOffset: 0, line: 1, column: 1)
}
