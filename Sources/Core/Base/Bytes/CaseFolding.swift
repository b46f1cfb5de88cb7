/// Simple case folding of UTF-8 texts, as Unicode defines it. Each character folds to one character, so that texts are
/// read in place and nothing is allocated.
enum CaseFolding {
    /// The folded form of `scalar`. Most characters fold to themselves.
    static func folded(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 { return scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
        var (lower, upper) = (0, runs.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if runs[middle].last < scalar { lower = middle + 1 } else { upper = middle }
        }
        guard lower < runs.count, runs[lower].first <= scalar, (scalar - runs[lower].first) % runs[lower].step == 0
        else { return scalar }
        return UInt32(truncatingIfNeeded: Int64(scalar) + Int64(runs[lower].distance))
    }

    /// The text with every character folded, as UTF-8.
    static func folded(_ text: String) -> [UInt8] {
        var folded = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { folded.append(Unicode.Scalar(Self.folded(scalar.value)) ?? scalar) }
        return Array(String(folded).utf8)
    }

    /// Whether the folded form of `text` equals `other`, which is already folded.
    static func isEqual(_ text: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        end(of: other, in: text, from: 0) == text.count
    }

    /// Whether the folded form of `text` begins with `prefix`, which is already folded.
    static func begins(_ text: UnsafeRawBufferPointer, with prefix: UnsafeRawBufferPointer) -> Bool {
        end(of: prefix, in: text, from: 0) != nil
    }

    /// Whether the folded form of `text` ends with `suffix`, which is already folded.
    static func ends(_ text: UnsafeRawBufferPointer, with suffix: UnsafeRawBufferPointer) -> Bool {
        // The comparison begins as many characters before the end as the suffix has.
        var start = text.count
        for byte in suffix where !isContinuation(byte) {
            guard start > 0 else { return false }
            start -= 1
            while start > 0, isContinuation(text[start]) { start -= 1 }
        }
        return end(of: suffix, in: text, from: start) == text.count
    }

    /// Whether the folded form of `text` contains `part`, which is already folded.
    static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        while true {
            if end(of: part, in: text, from: start) != nil { return true }
            guard start < text.count else { return false }
            start += 1
            while start < text.count, isContinuation(text[start]) { start += 1 }
        }
    }

    /// The end of `other` in `text` if the folded text from `start` on begins with `other`, which is already folded.
    /// Otherwise `nil`.
    private static func end(
        of other: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from start: Int
    ) -> Int? {
        var (position, place) = (start, 0)
        while place < other.count {
            guard position < text.count, folded(scalar(text, &position)) == scalar(other, &place) else { return nil }
        }
        return position
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// Reads the character at `position`, and moves `position` after it. A damaged byte counts as a character that
    /// occurs in no text.
    @inline(__always)
    private static func scalar(_ text: UnsafeRawBufferPointer, _ position: inout Int) -> UInt32 {
        let first = text[position]
        position += 1
        if first < 0x80 { return UInt32(first) }
        let count = (~first).leadingZeroBitCount - 1
        guard (1...3).contains(count), position + count <= text.count else { return 0xFF00_0000 | UInt32(first) }
        var scalar = UInt32(first & (0x3F >> UInt8(count)))
        for byte in text[position..<position + count] {
            guard isContinuation(byte) else { return 0xFF00_0000 | UInt32(first) }
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        position += count
        return scalar
    }
}
