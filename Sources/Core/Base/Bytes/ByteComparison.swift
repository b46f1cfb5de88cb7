internal import TidelogPlatform

/// The order of texts and keys: by their bytes. A text comes before any longer text that begins with it.
enum ByteComparison {
    /// The result is less than 0 if `left` comes before `right`, and 0 if they are equal.
    @inline(__always)
    static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
        if let leftBase = left.baseAddress, let rightBase = right.baseAddress {
            let order = memcmp(leftBase, rightBase, min(left.count, right.count))
            if order != 0 { return Int32(order) }
        }
        return left.count < right.count ? -1 : (left.count == right.count ? 0 : 1)
    }
}

/// The order of numbers of different types.
enum NumberComparison {
    /// The exact order of an integer and a finite floating-point number. The result is less than 0 if `int` is less.
    static func order(_ int: Int64, _ double: Double) -> Int32 {
        if double >= 0x1p63 { return -1 }
        if double < -0x1p63 { return 1 }
        let floor = double.rounded(.down)
        let whole = Int64(floor)
        if int != whole { return int < whole ? -1 : 1 }
        return floor == double ? 0 : -1
    }
}
