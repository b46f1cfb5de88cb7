import TidelogPlatform

/// Compares keys byte by byte: negative if `left` comes first, 0 if both are equal, otherwise positive.
func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    if let leftBase = left.baseAddress, let rightBase = right.baseAddress {
        let order = memcmp(leftBase, rightBase, min(left.count, right.count))
        if order != 0 { return Int(order) }
    }
    return left.count - right.count
}

func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBytes { left in right.withUnsafeBytes { right in order(left, right) } }
}
