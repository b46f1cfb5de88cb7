extension TextScalar {
    /// An IPv4 or IPv6 address with an optional prefix length: `192.0.2.1`, `2001:db8::/32`.
    static func isIPAddress(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
        let address = UnsafeRawBufferPointer(rebasing: bytes[..<slash])
        let isLong = address.contains(UInt8(ascii: ":"))
        guard isLong ? isIPv6(address) : isIPv4(address) else { return false }
        guard slash < bytes.count else { return true }
        return decimal(UnsafeRawBufferPointer(rebasing: bytes[(slash + 1)...]), below: isLong ? 129 : 33)
    }

    /// Four decimal numbers 0 … 255 without leading zeros, separated by dots.
    static func isIPv4(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        for part in 0..<4 {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: ".")) ?? bytes.count
            guard decimal(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), below: 256) else { return false }
            if part == 3 { return end == bytes.count }
            guard end < bytes.count else { return false }
            start = end + 1
        }
        return false
    }

    /// Eight groups of 1 to 4 hexadecimal digits.
    ///
    /// `::` may appear once for one or more groups of zeros, and an IPv4 address may replace the last two groups (RFC 4291,
    /// section 2.2).
    static func isIPv6(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let colon = UInt8(ascii: ":")
        var (index, groupCount, isShortened) = (0, 0, false)
        if bytes.count >= 2, bytes[0] == colon, bytes[1] == colon {
            (index, isShortened) = (2, true)
        }
        while index < bytes.count {
            let start = index
            while index < bytes.count, bytes[index].isASCIIHexDigit { index += 1 }
            if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
                guard isIPv4(UnsafeRawBufferPointer(rebasing: bytes[start...])) else { return false }
                groupCount += 2
                break
            }
            guard (1...4).contains(index - start) else { return false }
            groupCount += 1
            guard index < bytes.count else { break }
            guard bytes[index] == colon, index + 1 < bytes.count else { return false }
            index += 1
            guard bytes[index] == colon else { continue }
            guard !isShortened else { return false }
            isShortened = true
            index += 1
        }
        return isShortened ? groupCount <= 7 : groupCount == 8
    }

    /// A decimal number below `limit`, which is at most 256, without leading zeros.
    private static func decimal(_ bytes: UnsafeRawBufferPointer, below limit: Int) -> Bool {
        guard (1...3).contains(bytes.count), bytes.count == 1 || bytes[0] != UInt8(ascii: "0") else { return false }
        var number = 0
        for byte in bytes {
            guard byte.isASCIIDigit else { return false }
            number = number * 10 + Int(byte - 48)
        }
        return number < limit
    }
}
