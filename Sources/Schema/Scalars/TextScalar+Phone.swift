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
