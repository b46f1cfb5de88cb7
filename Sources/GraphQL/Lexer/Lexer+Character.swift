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
        return error("unexpected character \(name(of: scalar))", offset, offset + length, suggestion)
    }

    /// The text of a character in messages: printable ASCII in quotes, and any other character as its code point.
    func name(of scalar: Unicode.Scalar) -> String {
        if (0x20..<0x7F).contains(scalar.value) { return scalar == "\"" ? "'\"'" : "\"\(scalar)\"" }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }

    /// Makes an error for the bytes `start ..< end`, with its position.
    func error(_ message: String, _ start: Int, _ end: Int, _ suggestion: String? = nil) -> GraphQLSyntaxError {
        GraphQLSyntaxError(
            message: message, location: SourceLocation(offset: start, in: bytes),
            span: SourceSpan(start: start, end: min(end, bytes.count)), suggestion: suggestion)
    }

    private func invalidUTF8(_ start: Int, _ end: Int) -> GraphQLSyntaxError {
        error("these bytes are not UTF-8", start, end)
    }
}
