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

// MARK: - Strings

extension JSONReader {
    /// Reads a string.
    ///
    /// - Throws: ``JSONError``: `wrongKind` if the value is not a string, or the error of a malformed string.
    public mutating func readString() throws(JSONError) -> String { try readStringSlice().string }

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

// MARK: - Numbers

extension JSONReader {
    /// Reads an exact integer. `1.0` and `1e2` are integers, and `-0` is 0.
    ///
    /// - Throws: ``JSONError``: `wrongKind`, `notAnInteger` or `integerOutOfRange`, with nothing consumed, or the error of a
    ///   malformed number.
    public mutating func readInt64() throws(JSONError) -> Int64 {
        let (number, end) = try scanDueNumber()
        switch number.integer {
        case .exact(let value):
            index = end
            finishValue()
            return value
        case .fraction: throw failure(.notAnInteger, at: index)
        case .outOfRange: throw failure(.integerOutOfRange, at: index)
        }
    }

    /// Reads a number as the nearest double, with ties to even. `-0` keeps its sign. A number that is too small becomes zero.
    ///
    /// - Throws: ``JSONError``: `wrongKind` or `doubleOutOfRange`, with nothing consumed, or the error of a malformed number.
    public mutating func readDouble() throws(JSONError) -> Double {
        let (number, end) = try scanDueNumber()
        guard let value = number.double else { throw failure(.doubleOutOfRange, at: index) }
        index = end
        finishValue()
        return value
    }

    /// Reads a number without converting it.
    ///
    /// - Throws: ``JSONError``: `wrongKind`, with nothing consumed, or the error of a malformed number.
    public mutating func readNumber() throws(JSONError) -> JSONNumber {
        let (number, end) = try scanDueNumber()
        index = end
        finishValue()
        return number
    }

    @inline(__always)
    private mutating func scanDueNumber() throws(JSONError) -> (number: JSONNumber, end: Int) {
        let byte = try firstByteOfValue()
        guard byte.isDigit || byte == UInt8(ascii: "-") else { throw mismatch(expected: .number, found: byte) }
        return try scanNumber()
    }

    /// Checks the number that starts at `index`, without consuming it.
    private func scanNumber() throws(JSONError) -> (number: JSONNumber, end: Int) {
        let start = index
        var digits = Digits()
        var end = start
        let isNegative = bytes[end] == UInt8(ascii: "-")
        if isNegative { end &+= 1 }

        let integerStart = end
        end = digits.take(from: bytes, at: end)
        guard end > integerStart else { throw malformedNumber(at: end) }
        guard end == integerStart + 1 || bytes[integerStart] != UInt8(ascii: "0") else {
            throw failure(.invalidNumber, at: integerStart)
        }
        var exponent = 0
        let integerEnd = end
        if end < bytes.count, bytes[end] == UInt8(ascii: ".") {
            let fractionStart = end &+ 1
            end = digits.take(from: bytes, at: fractionStart)
            guard end > fractionStart else { throw malformedNumber(at: end) }
            exponent = fractionStart &- end
        }
        if end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "e") {
            exponent &+= try scanExponent(from: &end)
        }
        if end < bytes.count, !bytes[end].endsNumber { throw failure(.invalidNumber, at: end) }
        guard end &- start <= limits.maximumNumberBytes else {
            throw failure(.numberTooLong(limit: limits.maximumNumberBytes), at: start)
        }
        let number = JSONNumber(
            rawBytes: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), isInteger: end == integerEnd,
            isNegative: isNegative, significand: digits.value, digitCount: digits.count, exponent: exponent)
        return (number, end)
    }

    /// The exponent whose `e` is at `end`, limited to a million in either direction. Moves `end` after the exponent.
    private func scanExponent(from end: inout Int) throws(JSONError) -> Int {
        end &+= 1
        var isNegative = false
        if end < bytes.count, bytes[end] == UInt8(ascii: "+") || bytes[end] == UInt8(ascii: "-") {
            isNegative = bytes[end] == UInt8(ascii: "-")
            end &+= 1
        }
        let start = end
        var value = 0
        while end < bytes.count, bytes[end].isDigit {
            value = min(value &* 10 &+ Int(bytes[end] &- UInt8(ascii: "0")), 1_000_000)
            end &+= 1
        }
        guard end > start else { throw malformedNumber(at: end) }
        return isNegative ? -value : value
    }

    private func malformedNumber(at end: Int) -> JSONError {
        failure(end < bytes.count ? .invalidNumber : .unexpectedEnd, at: end)
    }
}

/// Collects the digits of a number, without leading zeros.
private struct Digits {
    /// The value of the digits. It is correct if `count` is at most 19, and has overflowed otherwise.
    var value: UInt64 = 0
    var count = 0

    /// Adds the digits at `start`. Returns the index after them.
    @inline(__always)
    mutating func take(from bytes: UnsafeRawBufferPointer, at start: Int) -> Int {
        var index = start
        while index < bytes.count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value &* 10 &+ UInt64(digit)
            if digit != 0 || count > 0 { count &+= 1 }
            index &+= 1
        }
        return index
    }
}

extension UInt8 {
    /// Whether a number may end before this byte.
    @inline(__always)
    fileprivate var endsNumber: Bool {
        self == UInt8(ascii: ",") || self == UInt8(ascii: "}") || self == UInt8(ascii: "]") || isJSONWhitespace
    }
}
