extension Lexer {
    /// Scans a StringValue, quoted or block (October 2021 §2.9.4), to its end. Escapes are checked when the value is decoded.
    mutating func scanString() throws(GraphQLSyntaxError) -> Token.Kind {
        let start = offset
        if isTripleQuote(at: start) {
            offset += 3
            try scanBlockString(from: start)
            return .blockString
        }
        offset += 1
        while offset < bytes.count {
            switch bytes[offset] {
            case Byte.quote:
                offset += 1
                return .string
            case Byte.lineFeed, Byte.carriageReturn:
                throw error(
                    "the string does not end on its line", start, offset,
                    suggestion: "text over several lines goes between \"\"\"")
            case Byte.backslash where byte(at: offset + 1) == Byte.quote || byte(at: offset + 1) == Byte.backslash:
                offset += 2
            default: try skipSourceCharacter()
            }
        }
        throw error("the string does not end", start, offset)
    }

    private mutating func scanBlockString(from start: Int) throws(GraphQLSyntaxError) {
        while offset < bytes.count {
            if isTripleQuote(at: offset) {
                offset += 3
                return
            }
            if bytes[offset] == Byte.backslash, isTripleQuote(at: offset + 1) {
                offset += 4
            } else {
                try skipSourceCharacter()
            }
        }
        throw error("the block string does not end", start, offset)
    }

    private func isTripleQuote(at position: Int) -> Bool {
        byte(at: position) == Byte.quote && byte(at: position + 1) == Byte.quote && byte(at: position + 2) == Byte.quote
    }

    /// The text of a name token or a number token.
    func text(of token: Token) -> String { String(decoding: bytes[token.start..<token.end], as: UTF8.self) }

    /// The value of a string token or a block string token. Throws for an invalid escape.
    func stringValue(of token: Token) throws(GraphQLSyntaxError) -> String {
        if token.kind == .blockString {
            return BlockString.value(ofRaw: bytes[(token.start + 3)..<(token.end - 3)])
        }
        let content = bytes[(token.start + 1)..<(token.end - 1)]
        guard let firstEscape = content.firstIndex(of: Byte.backslash) else {
            return String(decoding: content, as: UTF8.self)
        }
        var decoded = Array(content[..<firstEscape])
        decoded.reserveCapacity(content.count)
        var position = firstEscape
        while position < content.endIndex {
            if bytes[position] == Byte.backslash {
                let (scalar, length) = try escape(at: position)
                decoded.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                position += length
            } else {
                decoded.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Decodes the escape sequence at `position`. Returns its scalar and its length in bytes.
    private func escape(at position: Int) throws(GraphQLSyntaxError) -> (scalar: Unicode.Scalar, length: Int) {
        switch byte(at: position + 1) {
        case UInt8(ascii: "\""): return ("\"", 2)
        case UInt8(ascii: "\\"): return ("\\", 2)
        case UInt8(ascii: "/"): return ("/", 2)
        case UInt8(ascii: "b"): return ("\u{8}", 2)
        case UInt8(ascii: "f"): return ("\u{C}", 2)
        case UInt8(ascii: "n"): return ("\n", 2)
        case UInt8(ascii: "r"): return ("\r", 2)
        case UInt8(ascii: "t"): return ("\t", 2)
        case Byte.lowercaseU: return try unicodeEscape(at: position)
        default:
            let length = try scalar(at: position + 1).length
            throw error("unknown escape sequence in a string", position, position + 1 + length)
        }
    }

    /// Decodes `\uXXXX`, a surrogate pair of two of them, or `\u{X…}` (which the September 2025 edition adds).
    ///
    /// October 2021 describes UTF-16 code units. A surrogate without the other half of its pair is not text, so it is refused.
    private func unicodeEscape(at position: Int) throws(GraphQLSyntaxError) -> (scalar: Unicode.Scalar, length: Int) {
        if byte(at: position + 2) == Byte.leftBrace { return try bracedEscape(at: position) }
        guard let unit = codeUnit(at: position) else {
            throw error("expected four hexadecimal digits after \\u", position, position + 2)
        }
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        if unit < 0xDC00, let low = codeUnit(at: position + 6), (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        {
            return (scalar, 12)
        }
        throw error("a surrogate escape stands without its partner", position, position + 6)
    }

    private func bracedEscape(at position: Int) throws(GraphQLSyntaxError) -> (scalar: Unicode.Scalar, length: Int) {
        var value: UInt32 = 0
        var end = position + 3
        while let digit = Byte.hexadecimalValue(byte(at: end)), value <= 0x10FFFF {
            value = value << 4 | digit
            end += 1
        }
        guard end > position + 3, byte(at: end) == Byte.rightBrace, let scalar = Unicode.Scalar(value) else {
            throw error("expected the digits of a Unicode scalar between \\u{ and }", position, end)
        }
        return (scalar, end + 1 - position)
    }

    /// The code unit of `\uXXXX` at `position`; `nil` if there is no such escape.
    private func codeUnit(at position: Int) -> UInt32? {
        guard byte(at: position) == Byte.backslash, byte(at: position + 1) == Byte.lowercaseU else { return nil }
        var value: UInt32 = 0
        for index in 2..<6 {
            guard let digit = Byte.hexadecimalValue(byte(at: position + index)) else { return nil }
            value = value << 4 | digit
        }
        return value
    }
}
