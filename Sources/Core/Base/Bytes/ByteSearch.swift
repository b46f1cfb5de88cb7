internal import TidelogPlatform

/// Searches for a run of bytes in other bytes.
package enum ByteSearch {
    /// The number of unsuccessful byte comparisons, for each byte of the text, after which another algorithm continues.
    private static let patience = 16

    /// Whether `text` contains `part`. For any contents, the time is proportional to the sum of the lengths.
    package static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
        guard let partBase = part.baseAddress, part.count > 0 else { return true }
        guard var position = text.baseAddress else { return false }
        let first = Int32(part[0])
        let end = position + text.count
        var allowance = text.count * patience
        while end - position >= part.count {
            guard let hit = memchr(position, first, end - position - part.count + 1) else { return false }
            position = UnsafeRawPointer(hit)
            if memcmp(position, partBase, part.count) == 0 { return true }
            position += 1
            allowance -= part.count
            if allowance < 0 {
                return containsRepetitive(UnsafeRawBufferPointer(start: position, count: end - position), part)
            }
        }
        return false
    }

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
