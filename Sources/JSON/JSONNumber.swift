/// A number in a JSON text, with its digits already parsed.
///
/// The number points into the reader's bytes, and must not be used longer than they exist.
public struct JSONNumber {
    /// The number's text, which is valid by RFC 8259, section 6.
    ///
    /// Sound because the bytes are a slice of the reader's bytes, which the caller keeps alive.
    public let rawBytes: UnsafeRawBufferPointer
    /// Whether the text has neither a fraction nor an exponent.
    public let isInteger: Bool

    let isNegative: Bool
    /// All digits as one integer, without leading zeros. Only valid if ``digitCount`` is at most 19.
    let significand: UInt64
    /// The number of digits without leading zeros.
    let digitCount: Int
    /// The power of ten by which the digits, as one integer, are multiplied.
    let exponent: Int

    /// The number's text.
    public var text: String { String(decoding: rawBytes, as: UTF8.self) }

    /// The number as an integer, if it is an integer and fits. `1.0` and `1e2` are integers, and `-0` is 0.
    public var int64: Int64? {
        guard case .exact(let value) = integer else { return nil }
        return value
    }

    /// The nearest double, with ties to even; `nil` beyond the largest finite double. `-0` keeps its sign.
    public var double: Double? {
        if digitCount <= 19, significand <= 1 << 53, -22...22 ~= exponent {
            // Both operands are exact, so the single operation rounds correctly.
            let power = JSONNumber.powersOfTen[abs(exponent)]
            let magnitude = exponent < 0 ? Double(significand) / power : Double(significand) * power
            return isNegative ? -magnitude : magnitude
        }
        // The standard library rounds correctly and does not depend on the locale. On overflow, it may return infinity or
        // `nil`.
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// 10⁰ … 10²²: the powers of ten that a double represents exactly.
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    enum Integer {
        case exact(Int64)
        case fraction
        case outOfRange
    }

    /// The number as an exact integer, or the reason why it is none.
    var integer: Integer {
        guard isInteger && digitCount <= 19 else { return integerFromText }
        return integer(ofMagnitude: significand)
    }

    private func integer(ofMagnitude magnitude: UInt64) -> Integer {
        if isNegative {
            // Int64.min has no positive counterpart, so its magnitude is one more than Int64.max.
            guard magnitude <= 1 << 63 else { return .outOfRange }
            return .exact(Int64(truncatingIfNeeded: 0 &- magnitude))
        }
        guard magnitude < 1 << 63 else { return .outOfRange }
        return .exact(Int64(truncatingIfNeeded: magnitude))
    }

    /// Does the same as `integer`, for texts with a fraction, an exponent, or more digits than a word can hold.
    private var integerFromText: Integer {
        // Zeros at the end do not change the value. The remaining digits may end to the left or to the right of the decimal
        // point.
        var trailingZeros = 0
        for byte in rawBytes {
            if byte | 0x20 == UInt8(ascii: "e") { break }
            guard byte.isDigit else { continue }
            trailingZeros = byte == UInt8(ascii: "0") ? trailingZeros + 1 : 0
        }
        let kept = digitCount - trailingZeros
        guard kept > 0 else { return .exact(0) }
        let zerosToAdd = exponent + trailingZeros
        guard zerosToAdd >= 0 else { return .fraction }
        guard kept + zerosToAdd <= 19 else { return .outOfRange }
        var magnitude: UInt64 = 0
        var seen = 0
        for byte in rawBytes where byte.isDigit {
            if magnitude == 0 && byte == UInt8(ascii: "0") { continue }
            guard seen < kept else { break }
            magnitude = magnitude * 10 + UInt64(byte - UInt8(ascii: "0"))
            seen += 1
        }
        for _ in 0..<zerosToAdd { magnitude *= 10 }
        return integer(ofMagnitude: magnitude)
    }
}
