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

    private mutating func scan(_ first: UInt8) throws(GraphQLSyntaxError) -> Token.Kind {
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

    private func punctuator(_ byte: UInt8) -> Token.Kind? {
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

// MARK: - Characters

extension Lexer {
    /// Skips one source character. Throws for a control character and for bytes that are not UTF-8.
    mutating func skipSourceCharacter() throws(GraphQLSyntaxError) {
        let first = bytes[offset]
        if first < 0x80 {
            guard !Byte.isForbiddenControl(first) else {
                throw error(
                    "the control character \(name(of: Unicode.Scalar(first))) is not allowed", offset, offset + 1)
            }
            offset += 1
        } else {
            offset += try scalar(at: offset).length
        }
    }

    /// Decodes the scalar that starts at `position`. Refuses bytes that are not well-formed UTF-8 (Unicode 15, table 3-7).
    func scalar(at position: Int) throws(GraphQLSyntaxError) -> (scalar: Unicode.Scalar, length: Int) {
        let first = bytes[position]
        if first < 0x80 { return (Unicode.Scalar(first), 1) }
        let length =
            switch first {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard length > 0 else { throw invalidUTF8(position, position + 1) }
        var value = UInt32(first) & (0x7F >> UInt32(length))
        for index in 1..<length {
            let next = byte(at: position + index)
            guard next & 0xC0 == 0x80 else { throw invalidUTF8(position, position + index) }
            value = value << 6 | UInt32(next & 0x3F)
        }
        let smallest: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000
        // The failable initializer refuses surrogates and values beyond U+10FFFF.
        guard value >= smallest, let scalar = Unicode.Scalar(value) else {
            throw invalidUTF8(position, position + length)
        }
        return (scalar, length)
    }

    /// The error for a character with which no token can start.
    func unexpectedCharacter() throws(GraphQLSyntaxError) -> GraphQLSyntaxError {
        let (scalar, length) = try scalar(at: offset)
        let suggestion: String? =
            switch scalar {
            case "'", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}": "strings are written between \" and \""
            case "." where Byte.isDigit(byte(at: offset + 1)): "write a digit before the point, as in 0.5"
            case ".": "did you mean \"...\"?"
            case ";": "GraphQL needs no semicolons"
            default: nil
            }
        return error("unexpected character \(name(of: scalar))", offset, offset + length, suggestion: suggestion)
    }

    /// The text of a character in messages: printable ASCII in quotes, and any other character as its code point.
    func name(of scalar: Unicode.Scalar) -> String {
        if (0x20..<0x7F).contains(scalar.value) { return scalar == "\"" ? "'\"'" : "\"\(scalar)\"" }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }

    /// Makes an error for the bytes `start ..< end`, with its position.
    func error(_ message: String, _ start: Int, _ end: Int, suggestion: String? = nil) -> GraphQLSyntaxError {
        GraphQLSyntaxError(
            message: message, location: SourceLocation(offset: start, in: bytes),
            span: SourceSpan(start: start, end: min(end, bytes.count)), suggestion: suggestion)
    }

    private func invalidUTF8(_ start: Int, _ end: Int) -> GraphQLSyntaxError {
        error("these bytes are not UTF-8", start, end)
    }
}

// MARK: - Numbers

extension Lexer {
    /// Scans an IntValue or a FloatValue (October 2021 §2.9.1, §2.9.2).
    ///
    /// A number has no leading zeros and has digits on both sides of a point. No digit, point or name may follow it directly.
    mutating func scanNumber() throws(GraphQLSyntaxError) -> Token.Kind {
        var kind = Token.Kind.int
        if bytes[offset] == Byte.minus { offset += 1 }
        if byte(at: offset) == Byte.zero {
            offset += 1
            if Byte.isDigit(byte(at: offset)) {
                throw error("a number has no leading zeros", offset - 1, offset)
            }
        } else {
            try scanDigits("a digit")
        }
        if byte(at: offset) == Byte.dot {
            kind = .float
            offset += 1
            try scanDigits("a digit after the point")
        }
        if byte(at: offset) | 0x20 == Byte.lowercaseE {
            kind = .float
            offset += 1
            if byte(at: offset) == Byte.plus || byte(at: offset) == Byte.minus { offset += 1 }
            try scanDigits("a digit in the exponent")
        }
        let following = byte(at: offset)
        if following == Byte.dot || Byte.isNameStart(following) {
            throw error("a number ends before \(name(of: Unicode.Scalar(following)))", offset, offset + 1)
        }
        return kind
    }

    private mutating func scanDigits(_ expected: String) throws(GraphQLSyntaxError) {
        guard Byte.isDigit(byte(at: offset)) else {
            guard offset < bytes.count else {
                throw error("expected \(expected), found the end of the document", offset, offset)
            }
            let (scalar, length) = try scalar(at: offset)
            throw error("expected \(expected), found \(name(of: scalar))", offset, offset + length)
        }
        while Byte.isDigit(byte(at: offset)) { offset += 1 }
    }
}
