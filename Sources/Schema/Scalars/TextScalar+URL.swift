extension TextScalar {
    /// A scheme, a colon and a further part (RFC 1738). If that part begins with `//`, it has a host, and a path without `//`.
    static func isURL(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for byte in bytes where byte <= 32 || byte == 127 { return false }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isScheme(bytes[..<colon]),
            colon + 1 < bytes.count
        else { return false }
        let slash = UInt8(ascii: "/")
        var path = colon + 1
        if bytes.count >= colon + 3, bytes[colon + 1] == slash, bytes[colon + 2] == slash {
            path = bytes[(colon + 3)...].firstIndex { $0 == slash || isQuery($0) } ?? bytes.count
            let authority = UnsafeRawBufferPointer(rebasing: bytes[(colon + 3)..<path])
            // File URLs have no host. All other URLs with an authority have one.
            guard authority.isEmpty ? isFile(bytes[..<colon]) && path < bytes.count : isAuthority(authority) else {
                return false
            }
        }
        var previous: UInt8 = 0
        for byte in bytes[path...] {
            if isQuery(byte) { break }
            if byte == slash, previous == slash { return false }
            previous = byte
        }
        return true
    }

    private static func isQuery(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }

    private static func isScheme(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let first = bytes.first, first.isASCIILetter else { return false }
        return bytes.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ".")
        }
    }

    private static func isFile(_ scheme: Slice<UnsafeRawBufferPointer>) -> Bool {
        "file".utf8.elementsEqual(scheme.lazy.map { $0 | 32 })
    }

    /// `user:password@host:port`. Only the host is required. An IPv6 address is written in square brackets.
    private static func isAuthority(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        if let at = bytes.lastIndex(of: UInt8(ascii: "@")) { start = at + 1 }
        var end = bytes.count
        var portStart = bytes.count
        if start < bytes.count, bytes[start] == UInt8(ascii: "[") {
            guard let close = bytes[start...].firstIndex(of: UInt8(ascii: "]")),
                isIPv6(UnsafeRawBufferPointer(rebasing: bytes[(start + 1)..<close]))
            else { return false }
            guard close + 1 == bytes.count || bytes[close + 1] == UInt8(ascii: ":") else { return false }
            (end, portStart) = (close, min(close + 2, bytes.count))
        } else if let colon = bytes[start...].firstIndex(of: UInt8(ascii: ":")) {
            (end, portStart) = (colon, colon + 1)
        }
        guard end > start else { return false }
        return isPort(bytes[portStart...])
    }

    /// The digits of a number up to 65535. No digits mean the scheme's default port.
    private static func isPort(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        var number = 0
        for byte in bytes {
            guard byte.isASCIIDigit, number < 65_536 else { return false }
            number = number * 10 + Int(byte - 48)
        }
        return number < 65_536
    }
}
