internal import TidelogPlatform

/// Searches for a run of bytes in other bytes.
package enum ByteSearch {
    /// The number of unsuccessful byte comparisons, for each byte of the text, after which another algorithm continues.
    private static let patience = 16

    /// Whether `text` contains `part`. For any contents, the time is proportional to the sum of the lengths.
    package static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
        guard part.count > 0 else { return true }
        let starts = text.count - part.count + 1
        guard starts > 0, let text = text.baseAddress, let partBase = part.baseAddress else { return false }
        var (start, allowance) = (0, starts * patience)
        let (first, last) = (Block(repeating: part[0]), Block(repeating: part[part.count - 1]))
        // Sixteen places at once: first those that have both the first and the last byte of the part.
        while starts >= Block.scalarCount {
            let firsts = (text + start).loadUnaligned(as: Block.self) .== first
            let lasts = (text + start + part.count - 1).loadUnaligned(as: Block.self) .== last
            let hits = firsts .& lasts
            if any(hits) {
                for place in 0..<Block.scalarCount where hits[place] {
                    if memcmp(text + start + place, partBase, part.count) == 0 { return true }
                    allowance -= part.count
                }
                if allowance < 0 {
                    let rest = UnsafeRawBufferPointer(start: text + start, count: starts - start + part.count - 1)
                    return containsRepetitive(rest, part)
                }
            }
            if start == starts - Block.scalarCount { return false }
            // The last sixteen places overlap with those before them.
            start = min(start + Block.scalarCount, starts - Block.scalarCount)
        }
        while start < starts {
            if memcmp(text + start, partBase, part.count) == 0 { return true }
            start += 1
        }
        return false
    }

    /// The bytes that are compared at once.
    private typealias Block = SIMD16<UInt8>

    /// The algorithm of Knuth, Morris and Pratt. It reads each byte of `text` only once.
    private static func containsRepetitive(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
        // For each prefix of the part, the length of its longest proper prefix that is also its suffix.
        var borders = [Int](repeating: 0, count: part.count)
        var length = 0
        for index in part.indices.dropFirst() {
            while length > 0, part[index] != part[length] { length = borders[length - 1] }
            if part[index] == part[length] { length += 1 }
            borders[index] = length
        }
        length = 0
        for byte in text {
            while length > 0, byte != part[length] { length = borders[length - 1] }
            if byte == part[length] { length += 1 }
            if length == part.count { return true }
        }
        return false
    }
}
