/// The bytes of a source text that have a meaning, and the character classes of October 2021 §2.1.
enum Byte {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let numberSign: UInt8 = 0x23
    static let plus: UInt8 = 0x2B
    static let comma: UInt8 = 0x2C
    static let minus: UInt8 = 0x2D
    static let dot: UInt8 = 0x2E
    static let zero: UInt8 = 0x30
    static let backslash: UInt8 = 0x5C
    static let underscore: UInt8 = 0x5F
    static let lowercaseE: UInt8 = 0x65
    static let lowercaseU: UInt8 = 0x75
    static let leftBrace: UInt8 = 0x7B
    static let rightBrace: UInt8 = 0x7D

    /// Digit.
    static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

    /// NameStart: a letter or an underscore.
    static func isNameStart(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 || byte == underscore }

    /// NameContinue: a letter, a digit or an underscore.
    static func isNameContinue(_ byte: UInt8) -> Bool { isNameStart(byte) || isDigit(byte) }

    /// A control character that is not a SourceCharacter. Line terminators and the tab are source characters.
    static func isForbiddenControl(_ byte: UInt8) -> Bool {
        byte < space && byte != tab && byte != lineFeed && byte != carriageReturn
    }

    /// The value of a hexadecimal digit.
    static func hexadecimalValue(_ byte: UInt8) -> UInt32? {
        if isDigit(byte) { return UInt32(byte - zero) }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? UInt32(letter) + 10 : nil
    }
}
