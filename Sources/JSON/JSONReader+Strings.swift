extension JSONReader {
    /// Reads a string.
    ///
    /// - Throws: ``JSONError``: `wrongKind` if the value is not a string, or the error of a malformed string.
    public mutating func readString() throws(JSONError) -> String {
        try readStringSlice().string
    }

    /// Reads a string without copying it.
    ///
    /// - Throws: The errors of ``readString()``.
    public mutating func readStringSlice() throws(JSONError) -> JSONStringSlice {
        let byte = try firstByteOfValue()
        guard byte == UInt8(ascii: "\"") else { throw mismatch(expected: .string, found: byte) }
        let slice = try scanString()
        finishValue()
        return slice
    }

    /// Checks and consumes the string whose opening quote is at `index`.
    mutating func scanString() throws(JSONError) -> JSONStringSlice {
        let start = index &+ 1
        var end = start
        var hasEscapes = false
        while true {
            end = bytes.indexOfStringBreak(from: end)
            guard end < bytes.count else { throw failure(.unexpectedEnd, at: bytes.count) }
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") { break }
            if byte >= 0x80 {
                end = try endOfNonASCII(from: end)
            } else if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                end = try endOfEscape(at: end)
            } else {
                throw failure(.controlCharacter(byte), at: end)
            }
        }
        index = end &+ 1
        return JSONStringSlice(rawBytes: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), hasEscapes: hasEscapes)
    }

    /// The end of the run of scalars above U+007F that starts at `start`.
    private func endOfNonASCII(from start: Int) throws(JSONError) -> Int {
        var end = start
        repeat {
            let length = bytes.lengthOfUTF8Sequence(at: end)
            guard length > 0 else { throw failure(.invalidUTF8(bytes[end]), at: end) }
            end &+= length
        } while end < bytes.count && bytes[end] >= 0x80
        return end
    }

    /// The end of the escape, or of the pair of surrogate escapes, whose backslash is at `start`.
    private func endOfEscape(at start: Int) throws(JSONError) -> Int {
        guard start + 1 < bytes.count else { throw failure(.unexpectedEnd, at: bytes.count) }
        switch bytes[start + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        case UInt8(ascii: "u"):
            break
        default:
            throw failure(.invalidEscape, at: start)
        }
        guard let unit = bytes.hexadecimalUnit(at: start + 2) else {
            throw failure(bytes.count - start < 6 ? .unexpectedEnd : .invalidEscape, at: start)
        }
        guard unit & 0xF800 == 0xD800 else { return start + 6 }
        guard unit < 0xDC00, bytes.count - start >= 12, bytes[start + 6] == UInt8(ascii: "\\"),
            bytes[start + 7] == UInt8(ascii: "u"), let low = bytes.hexadecimalUnit(at: start + 8),
            low & 0xFC00 == 0xDC00
        else { throw failure(.loneSurrogate, at: start) }
        return start + 12
    }
}
