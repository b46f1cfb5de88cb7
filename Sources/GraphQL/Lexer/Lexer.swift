/// Splits UTF-8 bytes into tokens, one at a time (October 2021 §2.1).
///
/// Bytes outside ASCII are only allowed in strings, in comments and as byte order marks. The lexer validates them where they
/// occur.
struct Lexer {
    let bytes: [UInt8]
    private let tokenLimit: Int
    private var tokens = 0
    var offset = 0

    init(_ bytes: [UInt8], tokenLimit: Int) {
        self.bytes = bytes
        self.tokenLimit = tokenLimit
    }

    /// The next token. At the end of the document, every further call returns `.endOfDocument`.
    mutating func next() throws(GraphQLSyntaxError) -> Token {
        try skipIgnored()
        let start = offset
        guard start < bytes.count else { return Token(kind: .endOfDocument, start: start, end: start) }
        let kind = try scan(bytes[start])
        assert(offset > start, "a token has at least one byte")
        tokens += 1
        if tokens > tokenLimit {
            throw error("the document has more than \(tokenLimit) tokens", start, offset)
        }
        return Token(kind: kind, start: start, end: offset)
    }

    /// The byte at an offset. After the end, 0, which is never a valid source byte.
    func byte(at position: Int) -> UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func scan(_ first: UInt8) throws(GraphQLSyntaxError) -> TokenKind {
        if Byte.isNameStart(first) {
            repeat { offset += 1 } while Byte.isNameContinue(byte(at: offset))
            return .name
        }
        if let punctuator = punctuator(first) {
            offset += 1
            return punctuator
        }
        switch first {
        case Byte.quote: return try scanString()
        case Byte.minus: return try scanNumber()
        case _ where Byte.isDigit(first): return try scanNumber()
        case Byte.dot where byte(at: offset + 1) == Byte.dot && byte(at: offset + 2) == Byte.dot:
            offset += 3
            return .spread
        default: throw try unexpectedCharacter()
        }
    }

    private func punctuator(_ byte: UInt8) -> TokenKind? {
        switch byte {
        case UInt8(ascii: "!"): .bang
        case UInt8(ascii: "$"): .dollar
        case UInt8(ascii: "&"): .ampersand
        case UInt8(ascii: "("): .leftParenthesis
        case UInt8(ascii: ")"): .rightParenthesis
        case UInt8(ascii: ":"): .colon
        case UInt8(ascii: "="): .equals
        case UInt8(ascii: "@"): .at
        case UInt8(ascii: "["): .leftBracket
        case UInt8(ascii: "]"): .rightBracket
        case UInt8(ascii: "{"): .leftBrace
        case UInt8(ascii: "|"): .pipe
        case UInt8(ascii: "}"): .rightBrace
        default: nil
        }
    }

    /// Skips byte order marks, white space, line terminators, comments and commas (§2.1.7).
    private mutating func skipIgnored() throws(GraphQLSyntaxError) {
        while offset < bytes.count {
            switch bytes[offset] {
            case Byte.space, Byte.tab, Byte.lineFeed, Byte.carriageReturn, Byte.comma: offset += 1
            case Byte.numberSign: try skipComment()
            case 0xEF where byte(at: offset + 1) == 0xBB && byte(at: offset + 2) == 0xBF: offset += 3
            default: return
            }
        }
    }

    private mutating func skipComment() throws(GraphQLSyntaxError) {
        offset += 1
        while offset < bytes.count, bytes[offset] != Byte.lineFeed, bytes[offset] != Byte.carriageReturn {
            try skipSourceCharacter()
        }
    }
}
