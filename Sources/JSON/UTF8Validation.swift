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
