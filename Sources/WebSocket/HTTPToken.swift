/// The tokens of HTTP, for example the names of header fields and subprotocols: RFC 9110, section 5.6.2.
package enum HTTPToken {
    /// Whether `text` is a token.
    package static func isValid(_ text: String) -> Bool { isValid(text[...]) }

    /// Whether `text` is a token.
    ///
    /// This method is not generic. It is called for each header field of each request, and a generic method of another module
    /// would read the bytes through witness tables.
    package static func isValid(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: isMark(byte)
                }
            }
    }

    /// Whether `byte` is a character of tokens that is neither a letter nor a digit.
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
