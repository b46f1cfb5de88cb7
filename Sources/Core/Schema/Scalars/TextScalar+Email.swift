extension TextScalar {
    /// `local@domain`: the local part of the characters that RFC 822 atoms and dots have, the domain of labels.
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

    /// Labels of 1 to 63 letters, digits and inner hyphens, between dots.
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
