#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Finds bytes in bytes.
package enum ByteSearch {
    /// For each byte of a text so many may be compared in vain before another way is taken.
    private static let patience = 16

    /// Whether `text` has `part` in it. It takes time in proportion to their lengths, whatever they hold.
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

    /// The search of Knuth, Morris and Pratt: it never looks at a byte of `text` again.
    private static func containsRepetitive(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
        // How much of the part's beginning stands again at the end of so much of it.
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
