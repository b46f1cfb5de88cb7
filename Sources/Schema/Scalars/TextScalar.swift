internal import TidelogJSON

/// The scalars of AppSync that are stored as text and follow their own rules (docs/SCALARS.md).
///
/// The rules accept all values that AppSync is known to accept. In cases of doubt, they accept the value.
public enum TextScalar: String, Sendable, Hashable, CaseIterable {
    /// `local@domain` (RFC 822, without quoted parts and comments).
    case email = "AWSEmail"
    /// Any JSON value (RFC 8259).
    case json = "AWSJSON"
    /// A URL with its scheme (RFC 1738).
    case url = "AWSURL"
    /// A phone number: with a country code after `+`, or a North American number.
    case phone = "AWSPhone"
    /// An IPv4 or IPv6 address, with an optional prefix length (RFC 4632).
    case ipAddress = "AWSIPAddress"

    /// Whether `text` is a value of this scalar.
    public func admits(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { admits(UnsafeRawBufferPointer($0)) }
    }

    /// Whether the UTF-8 text in `bytes` is a value of this scalar. Allocates nothing.
    package func admits(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .email: Self.isEmail(bytes)
        case .json: Self.isJSON(bytes)
        case .url: Self.isURL(bytes)
        case .phone: Self.isPhone(bytes)
        case .ipAddress: Self.isIPAddress(bytes)
        }
    }

    /// A description of the rule for messages.
    package var rule: String {
        switch self {
        case .email: "an address is local@domain"
        case .json: "the text must be one JSON value"
        case .url: "a URL starts with its scheme and has no space and no empty part in its path"
        case .phone: "a phone number has + and 7 to 15 digits, or the 10 digits of a number of North America"
        case .ipAddress: "an address is IPv4 in four parts or IPv6, with an optional prefix length"
        }
    }
}

extension UInt8 {
    @inline(__always)
    var isASCIIDigit: Bool { self &- 48 < 10 }
    @inline(__always)
    var isASCIILetter: Bool { (self | 32) &- 97 < 26 }
    @inline(__always)
    var isASCIIHexDigit: Bool { isASCIIDigit || (self | 32) &- 97 < 6 }
}

// MARK: - Email addresses

extension TextScalar {
    /// `local@domain`. The local part consists of dots and the characters of RFC 822 atoms. The domain consists of labels.
    static func isEmail(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let at = bytes.firstIndex(of: UInt8(ascii: "@")), at > 0 else { return false }
        for byte in bytes[..<at] where !isAtomCharacter(byte) && byte != UInt8(ascii: ".") { return false }
        return isDomain(bytes, from: at + 1)
    }

    private static func isAtomCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "?"),
            UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "{")...UInt8(ascii: "~"):
            true
        default: byte.isASCIILetter || byte.isASCIIDigit
        }
    }

    /// Labels of 1 to 63 letters, digits and inner hyphens, separated by dots.
    private static func isDomain(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
        let hyphen = UInt8(ascii: "-")
        var labelStart = start
        for index in start...bytes.count {
            guard index < bytes.count, bytes[index] != UInt8(ascii: ".") else {
                let byteCount = index - labelStart
                guard (1...63).contains(byteCount), bytes[labelStart] != hyphen, bytes[index - 1] != hyphen else {
                    return false
                }
                labelStart = index + 1
                continue
            }
            guard bytes[index].isASCIILetter || bytes[index].isASCIIDigit || bytes[index] == hyphen else {
                return false
            }
        }
        return true
    }
}

// MARK: - Phone numbers

extension TextScalar {
    /// A phone number: `+`, a country code and a number, with 7 to 15 digits in total (ITU-T E.164).
    ///
    /// Without `+`, or after `+1`, it must be a number of the North American plan. Groups of digits may be separated by spaces,
    /// hyphens, dots and round brackets.
    static func isPhone(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let last = bytes.last, last.isASCIIDigit || last == UInt8(ascii: ")") else { return false }
        let hasPlus = bytes[0] == UInt8(ascii: "+")
        var (digitCount, separatorCount, isBracketed) = (0, 0, false)
        // The first 11 digits as one number. The North American plan needs no more than these.
        var (head, first) = (0, UInt8(0))
        for byte in bytes[(hasPlus ? 1 : 0)...] {
            if byte.isASCIIDigit {
                if digitCount == 0 { first = byte - 48 }
                if digitCount < 11 { head = head * 10 + Int(byte - 48) }
                digitCount += 1
                separatorCount = 0
                continue
            }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."):
                guard digitCount > 0 else { return false }
            case UInt8(ascii: "("):
                guard !isBracketed else { return false }
                isBracketed = true
            case UInt8(ascii: ")"):
                guard isBracketed, separatorCount == 0, digitCount > 0 else { return false }
                isBracketed = false
            default: return false
            }
            separatorCount += 1
            guard separatorCount <= 2 else { return false }
        }
        guard !isBracketed else { return false }
        if hasPlus, first != 1 { return first != 0 && (7...15).contains(digitCount) }
        return isNorthAmerican(head, digitCount: digitCount, needsCode: hasPlus)
    }

    /// Whether these digits are a North American number: an area code and an exchange that do not begin with 0 or 1, and a
    /// number.
    private static func isNorthAmerican(_ digits: Int, digitCount: Int, needsCode: Bool) -> Bool {
        var national = digits
        if digitCount == 11, digits / 10_000_000_000 == 1 {
            national -= 10_000_000_000
        } else if digitCount != 10 || needsCode {
            return false
        }
        return national / 1_000_000_000 >= 2 && national / 1_000_000 % 10 >= 2
    }
}

// MARK: - URLs

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

// MARK: - IP addresses

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

// MARK: - JSON

extension TextScalar {
    /// One JSON value, with only white space around it. It may nest as deep as the store's JSON reader allows.
    static func isJSON(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var reader = JSONReader(bytes)
        do throws(JSONError) {
            try reader.skipValue()
            try reader.expectEnd()
            return true
        } catch {
            return false
        }
    }
}
