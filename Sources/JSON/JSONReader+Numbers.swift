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
