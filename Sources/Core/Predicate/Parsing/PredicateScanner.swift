/// Scans the words, texts and numbers in the text form of a predicate, byte by byte.
struct PredicateScanner {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The byte at the position, or `nil` at the end.
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    func failure(
        _ expected: String, at offset: Int? = nil, _ place: PredicateSyntaxError.Place = .other
    ) -> PredicateSyntaxError {
        PredicateSyntaxError(expected: expected, place, offset: offset ?? position, in: bytes)
    }

    mutating func skipSpace() {
        while let byte = current, byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D { position += 1 }
    }

    /// Consumes white space and `symbol` if `symbol` is next. Returns whether it is.
    mutating func accept(_ symbol: StaticString) -> Bool {
        skipSpace()
        guard comes(symbol) else { return false }
        position += symbol.utf8CodeUnitCount
        return true
    }

    mutating func expect(_ symbol: StaticString) throws(PredicateSyntaxError) {
        guard accept(symbol) else { throw failure("\(symbol)") }
    }

    private func comes(_ symbol: StaticString) -> Bool {
        symbol.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    /// Scans a name: letters, digits and underscores, or any characters between backquotes, with escapes like in texts.
    mutating func name() throws(PredicateSyntaxError) -> (text: String, isQuoted: Bool)? {
        skipSpace()
        if current == UInt8(ascii: "`") { return (try quoted("`"), true) }
        guard let first = current, Self.isLetter(first) else { return nil }
        let start = position
        while let byte = current, Self.isLetter(byte) || Self.isDigit(byte) { position += 1 }
        return (String(decoding: bytes[start..<position], as: UTF8.self), false)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 32) || byte == 95 }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    /// Scans a whole number of 64 bits, or a finite floating-point number if there is a fraction or an exponent, or if the
    /// whole number has more than 64 bits.
    mutating func number() throws(PredicateSyntaxError) -> FieldValue {
        let start = position
        var isWhole = true
        if current == UInt8(ascii: "-") { position += 1 }
        try digits()
        if current == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            try digits()
        }
        if let byte = current, byte | 32 == UInt8(ascii: "e") {
            isWhole = false
            position += 1
            if let sign = current, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let number = Int64(text) { return .int(number) }
        guard let number = Double(text), number.isFinite else { throw failure("a finite number", at: start) }
        return .double(number)
    }

    private mutating func digits() throws(PredicateSyntaxError) {
        guard let byte = current, Self.isDigit(byte) else { throw failure("a digit") }
        while let byte = current, Self.isDigit(byte) { position += 1 }
    }

    /// Scans a text between two `quote`s, with the escapes of JSON (RFC 8259, section 7).
    mutating func quoted(_ quote: Unicode.Scalar) throws(PredicateSyntaxError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = current {
            if UInt32(byte) == quote.value {
                position += 1
                return String(decoding: text, as: UTF8.self)
            }
            guard byte >= 0x20 else { throw failure("an escape in place of a control character") }
            position += 1
            if byte == UInt8(ascii: "\\") { text += String(try escape()).utf8 } else { text.append(byte) }
        }
        throw failure("\(quote)")
    }

    /// Scans the rest of an escape after its backslash.
    private mutating func escape() throws(PredicateSyntaxError) -> Unicode.Scalar {
        let scalar: Unicode.Scalar
        switch current {
        case UInt8(ascii: "\""): scalar = "\""
        case UInt8(ascii: "\\"): scalar = "\\"
        case UInt8(ascii: "/"): scalar = "/"
        case UInt8(ascii: "b"): scalar = "\u{8}"
        case UInt8(ascii: "f"): scalar = "\u{C}"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "t"): scalar = "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw failure(#"one of " \ / b f n r t u"#)
        }
        position += 1
        return scalar
    }

    /// Scans `uXXXX`. If it is the first half of a surrogate pair, scans the escape of the second half as well.
    private mutating func unicodeEscape() throws(PredicateSyntaxError) -> Unicode.Scalar {
        let start = position
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), comes(#"\u"#) else { throw failure("a pair of surrogates", at: start) }
        position += 1
        let second = try codeUnit()
        guard UTF16.isTrailSurrogate(second) else { throw failure("a pair of surrogates", at: start) }
        let value = 0x1_0000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw failure("a pair of surrogates", at: start) }
        return scalar
    }

    private mutating func codeUnit() throws(PredicateSyntaxError) -> UInt16 {
        position += 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch current {
            case let byte? where Self.isDigit(byte): digit = byte - 48
            case let byte? where (97...102).contains(byte | 32): digit = (byte | 32) - 87
            default: throw failure("4 hexadecimal digits")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
