/// Base64url without padding: RFC 4648, section 5. Decoding is strict, so each value has exactly one text.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The text of `bytes`.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var (gathered, bitCount) = (UInt32(0), 0)
        for byte in bytes {
            gathered = gathered << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(alphabet[Int(gathered >> UInt32(bitCount) & 63)])
            }
        }
        if bitCount > 0 { text.append(alphabet[Int(gathered << UInt32(6 - bitCount) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of `text`; `nil` if the text has invalid characters, padding, an impossible length, or unused bits that are
    /// not zero.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var (gathered, bitCount) = (UInt32(0), 0)
        for character in text {
            guard let value = value(of: character) else { return nil }
            gathered = gathered << 6 | value
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: gathered >> UInt32(bitCount)))
            }
        }
        return gathered & (1 << UInt32(bitCount) - 1) == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
