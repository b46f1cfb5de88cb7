extension JSONReader {
    /// Reads `true` or `false`.
    ///
    /// - Throws: ``JSONError``: `wrongKind`, with nothing consumed, or `invalidLiteral`.
    public mutating func readBool() throws(JSONError) -> Bool {
        let byte = try firstByteOfValue()
        switch byte {
        case UInt8(ascii: "t"): try consume("true")
        case UInt8(ascii: "f"): try consume("false")
        default: throw mismatch(expected: .bool, found: byte)
        }
        return byte == UInt8(ascii: "t")
    }

    /// Reads `null`.
    ///
    /// - Throws: ``JSONError``: `wrongKind`, with nothing consumed, or `invalidLiteral`.
    public mutating func readNull() throws(JSONError) {
        let byte = try firstByteOfValue()
        guard byte == UInt8(ascii: "n") else { throw mismatch(expected: .null, found: byte) }
        try consume("null")
    }

    /// Reads `null` if it is the next value. Returns whether it was.
    ///
    /// - Throws: ``JSONError`` if there is no value here, or `invalidLiteral`.
    public mutating func readNullIfPresent() throws(JSONError) -> Bool {
        guard try peekKind() == .null else { return false }
        try consume("null")
        return true
    }

    /// The kind of the next value. Only whitespace is consumed.
    ///
    /// - Throws: ``JSONError`` if there is no value here.
    public mutating func peekKind() throws(JSONError) -> JSONKind {
        let byte = try firstByteOfValue()
        guard let kind = JSONKind(startingWith: byte) else { throw failure(.unexpectedByte(byte), at: index) }
        return kind
    }

    private mutating func consume(_ literal: StaticString) throws(JSONError) {
        for offset in 0..<literal.utf8CodeUnitCount {
            guard index + offset < bytes.count else { throw failure(.unexpectedEnd, at: bytes.count) }
            guard bytes[index + offset] == literal.utf8Start[offset] else { throw failure(.invalidLiteral, at: index) }
        }
        index += literal.utf8CodeUnitCount
        finishValue()
    }
}
