/// A place in a JSON text.
public struct JSONPosition: Hashable, Sendable {
    /// Bytes before this place, from 0.
    public var byteOffset: Int
    /// The line, from 1; a line ends with a line feed.
    public var line: Int
    /// The column, from 1, counted in bytes.
    public var column: Int

    /// A place made of its three counts.
    public init(byteOffset: Int, line: Int, column: Int) {
        self.byteOffset = byteOffset
        self.line = line
        self.column = column
    }

    /// The first byte of a text.
    public static let start = JSONPosition(byteOffset: 0, line: 1, column: 1)
}

/// Why a JSON text was refused, and where.
///
/// `description` names at most one byte of the text, so it may be logged where the data may not.
public struct JSONError: Error, Hashable, Sendable {
    /// What was wrong.
    public enum Code: Hashable, Sendable {
        /// The text ends inside a value.
        case unexpectedEnd
        /// A byte that the grammar does not allow here.
        case unexpectedByte(UInt8)
        /// Something other than whitespace follows the document.
        case trailingByte(UInt8)
        /// The value is valid JSON of another kind than the one asked for. Nothing was consumed.
        case wrongKind(expected: JSONKind, found: JSONKind)
        /// A word that starts like `true`, `false` or `null` and is none of them.
        case invalidLiteral
        /// A number that breaks the grammar of RFC 8259, section 6.
        case invalidNumber
        /// A number whose text is longer than the limit, in bytes.
        case numberTooLong(limit: Int)
        /// The number has a fraction and an integer was asked for. Nothing was consumed.
        case notAnInteger
        /// The integer does not fit in 64 signed bits. Nothing was consumed.
        case integerOutOfRange
        /// The number is beyond the largest finite double. Nothing was consumed.
        case doubleOutOfRange
        /// An unescaped control character (below U+0020) inside a string.
        case controlCharacter(UInt8)
        /// A backslash followed by something that RFC 8259, section 7, does not list.
        case invalidEscape
        /// A `\u` escape that is half of a surrogate pair, without the other half.
        case loneSurrogate
        /// Bytes that are not UTF-8 (overlong, a surrogate, beyond U+10FFFF, cut off); the first of them.
        case invalidUTF8(UInt8)
        /// More objects and arrays inside each other than the limit.
        case tooDeep(limit: Int)
        /// A document of more bytes than the limit.
        case documentTooLong(limit: Int)
        /// A line of more bytes than the limit.
        case lineTooLong(limit: Int)
    }

    /// What was wrong.
    public let code: Code
    /// Where: of the offending byte, or of the first byte of the value, escape or line that was refused.
    public let position: JSONPosition

    /// An error of `code` at `position`.
    public init(_ code: Code, at position: JSONPosition) {
        self.code = code
        self.position = position
    }

    /// What was wrong, as a clause for people.
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
    /// The place and the message.
    public var description: String {
        "line \(position.line), column \(position.column) (byte \(position.byteOffset)): \(message)"
    }
}

private func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.utf8.count == 1 ? "0x0\(digits)" : "0x\(digits)"
}
