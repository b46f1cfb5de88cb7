/// A request target: RFC 9112, section 3.2, and RFC 3986.
struct HTTPTarget {
    let path: String
    let query: [HTTPRequest.QueryItem]

    /// Parses a target; `nil` if it is not valid. The scheme and host of an absolute target are ignored.
    init?(_ text: Substring) {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            return nil
        }
        var rest = text
        for scheme in ["http://", "https://"] where rest.prefix(scheme.utf8.count).isEqualIgnoringCase(scheme) {
            let host = rest.dropFirst(scheme.utf8.count)
            rest = host.drop { $0 != "/" && $0 != "?" }
            if rest.first != "/" { rest = "/" + rest }
        }
        guard rest.first == "/" || rest == "*" else { return nil }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = Self.decoded(parts[0], plusIsBlank: false) else { return nil }
        self.path = path
        var items: [HTTPRequest.QueryItem] = []
        for item in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(sides[0], plusIsBlank: true),
                let value = Self.decoded(sides.count > 1 ? sides[1] : "", plusIsBlank: true)
            else { return nil }
            items.append(HTTPRequest.QueryItem(name, value))
        }
        query = items
    }

    /// `text`, percent-decoded; `nil` if an escape is malformed or the bytes are not UTF-8.
    private static func decoded(_ text: Substring, plusIsBlank: Bool) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexadecimalDigit, let low = rest.popFirst()?.hexadecimalDigit else {
                    return nil
                }
                let decoded = high << 4 | low
                guard decoded != 0 else { return nil }
                bytes.append(decoded)
            case UInt8(ascii: "+") where plusIsBlank: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// The value of the byte as a hexadecimal digit; `nil` if it is none.
    var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
