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
