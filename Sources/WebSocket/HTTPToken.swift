/// Tokens of HTTP, such as the names of header fields and of subprotocols: RFC 9110, section 5.6.2.
package enum HTTPToken {
    /// Whether `text` is a token.
    package static func isValid(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
