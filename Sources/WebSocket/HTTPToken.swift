/// Tokens of HTTP, such as the names of header fields and of subprotocols: RFC 9110, section 5.6.2.
package enum HTTPToken {
    /// Whether `text` is a token.
    package static func isValid(_ text: String) -> Bool { isValid(text[...]) }

    /// Whether `text` is a token.
    ///
    /// This is not generic: each header field of each request is asked for, and a generic function of another module would
    /// read the bytes through witness tables.
    package static func isValid(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: isMark(byte)
                }
            }
    }

    /// Whether `byte` is one of the characters of tokens that are neither letters nor digits.
    private static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
