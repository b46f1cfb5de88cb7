extension Lexer {
    /// Scans an IntValue or a FloatValue (October 2021 §2.9.1, §2.9.2).
    ///
    /// A number has no leading zeros and has digits on both sides of a point. No digit, point or name may follow it directly.
    mutating func scanNumber() throws(GraphQLSyntaxError) -> TokenKind {
        var kind = TokenKind.int
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
