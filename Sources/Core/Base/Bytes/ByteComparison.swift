internal import TidelogPlatform

/// The order of texts and keys: by their bytes. A text comes before any longer text that begins with it.
package enum ByteComparison {
    /// The result is less than 0 if `left` comes before `right`, and 0 if they are equal.
    @inline(__always)
    package static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
        if let leftBase = left.baseAddress, let rightBase = right.baseAddress {
            let order = memcmp(leftBase, rightBase, min(left.count, right.count))
            if order != 0 { return Int32(order) }
        }
        return left.count < right.count ? -1 : (left.count == right.count ? 0 : 1)
    }
}
