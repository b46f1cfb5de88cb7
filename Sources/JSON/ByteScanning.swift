/// Operations on eight bytes at a time, in one 64-bit word. In all masks below, the lowest set bit is exact. Bits above it may
/// come from borrows of the subtraction, so only the lowest bit may be used.
private enum Word {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highs: UInt64 = 0x8080_8080_8080_8080

    @inline(__always)
    static func repeating(_ byte: UInt8) -> UInt64 { ones &* UInt64(byte) }

    /// The high bits of the bytes of `word` that are zero.
    @inline(__always)
    static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & highs }

    /// The high bits of the bytes of `word` that a JSON string must escape.
    @inline(__always)
    static func escaped(_ word: UInt64) -> UInt64 {
        let controls = (word &- repeating(0x20)) & ~word & highs
        return controls | zeros(word ^ repeating(UInt8(ascii: "\""))) | zeros(word ^ repeating(UInt8(ascii: "\\")))
    }
}

/// Scans over bytes. Sound because each load is inside the bounds that its loop has just checked.
extension UnsafeRawBufferPointer {
    @inline(__always)
    private func word(at index: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// The first index from `start` of a quote, a backslash, a control character or a byte above 0x7f; `count` if there is
    /// none.
    @inline(__always)
    func indexOfStringBreak(from start: Int) -> Int {
        var index = start
        while index &+ 8 <= count {
            let word = word(at: index)
            let mask = Word.escaped(word) | (word & Word.highs)
            if mask != 0 { return index &+ mask.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < count {
            let byte = self[index]
            if byte >= 0x80 || byte.mustBeEscaped { return index }
            index &+= 1
        }
        return index
    }

    /// The first index from `start` of a byte that a JSON string must escape; `count` if there is none.
    @inline(__always)
    func indexOfEscaped(from start: Int) -> Int {
        var index = start
        while index &+ 8 <= count {
            let mask = Word.escaped(word(at: index))
            if mask != 0 { return index &+ mask.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < count, !self[index].mustBeEscaped { index &+= 1 }
        return index
    }

    /// The first index from `start` of a line feed; `count` if there is none.
    func indexOfLineFeed(from start: Int) -> Int {
        var index = start
        while index &+ 8 <= count {
            let mask = Word.zeros(word(at: index) ^ Word.repeating(UInt8(ascii: "\n")))
            if mask != 0 { return index &+ mask.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < count, self[index] != UInt8(ascii: "\n") { index &+= 1 }
        return index
    }

    /// Whether both buffers have the same bytes.
    @usableFromInline
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index &+ 8 <= count {
            if word(at: index) != other.word(at: index) { return false }
            index &+= 8
        }
        while index < count {
            if self[index] != other[index] { return false }
            index &+= 1
        }
        return true
    }
}

extension UInt8 {
    /// Whether a JSON string must escape this byte (RFC 8259, section 7).
    @inline(__always)
    var mustBeEscaped: Bool { self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\") }

    /// Whether this byte is insignificant whitespace (RFC 8259, section 2).
    @inline(__always)
    var isJSONWhitespace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

    /// Whether this byte is one of `0` … `9`.
    @inline(__always)
    var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// The value of this byte as a hexadecimal digit; `nil` if it is none.
    var hexadecimalValue: UInt32? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(self - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(self - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The length (2, 3 or 4) of the well-formed UTF-8 sequence of a scalar above U+007F that starts at `index`; 0 if there is
    /// none (The Unicode Standard, table 3-7: no overlong form, no surrogate, nothing beyond U+10FFFF).
    ///
    /// Sound because a byte is only read below `count`.
    func lengthOfUTF8Sequence(at index: Int) -> Int {
        let first = self[index]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard length <= count - index, second.contains(self[index + 1]) else { return 0 }
        for offset in 2..<4 where offset < length && self[index + offset] & 0xC0 != 0x80 { return 0 }
        return length
    }
}
