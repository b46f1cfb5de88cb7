extension JSONWriter {
    /// Writes a string.
    public mutating func string(_ value: String) {
        writeValue { $0.appendQuoted(value) }
    }

    /// Writes a string that is given as UTF-8 bytes.
    ///
    /// - Precondition: `value` is valid UTF-8. The writer does not check this.
    public mutating func string(utf8 value: UnsafeRawBufferPointer) {
        writeValue { $0.appendQuoted(value) }
    }

    /// Writes an integer.
    public mutating func int(_ value: Int64) {
        writeValue { $0.appendDecimal(value) }
    }

    /// Writes a double as the shortest text that reads back as the same double.
    ///
    /// - Precondition: `value` is finite, because JSON has no text for other doubles.
    public mutating func double(_ value: Double) {
        precondition(value.isFinite, "JSON has no text for NaN and infinity")
        writeValue { buffer in
            var text = value.description
            text.withUTF8 { buffer.append(contentsOf: $0) }
        }
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        writeValue { $0.append(contentsOf: (value ? "true" : "false").utf8) }
    }

    /// Writes `null`.
    public mutating func null() {
        writeValue { $0.append(contentsOf: "null".utf8) }
    }

    /// Writes a value that is already JSON text, unchanged.
    ///
    /// - Precondition: `value` is one valid JSON value. Only debug builds check this.
    public mutating func rawValue(_ value: UnsafeRawBufferPointer) {
        assert(isOneValue(value), "a raw value must be one valid JSON value")
        writeValue { $0.append(contentsOf: value) }
    }

    private func isOneValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var reader = JSONReader(bytes, limits: JSONLimits(maximumBytes: .max, maximumNumberBytes: .max))
        do {
            try reader.skipValue()
            try reader.expectEnd()
            return true
        } catch {
            return false
        }
    }
}

extension [UInt8] {
    /// Appends `string` in quotes, with escapes.
    @inline(__always)
    mutating func appendQuoted(_ string: String) {
        var string = string
        string.withUTF8 { appendQuoted(UnsafeRawBufferPointer($0)) }
    }

    /// Appends the UTF-8 bytes `string` in quotes, with escapes.
    mutating func appendQuoted(_ string: UnsafeRawBufferPointer) {
        append(UInt8(ascii: "\""))
        var start = 0
        while true {
            let end = string.indexOfEscaped(from: start)
            append(contentsOf: UnsafeRawBufferPointer(rebasing: string[start..<end]))
            guard end < string.count else { break }
            appendEscape(of: string[end])
            start = end + 1
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(of byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        default:
            append(contentsOf: byte < 0x10 ? "u000".utf8 : "u001".utf8)
            let digit = byte & 0x0F
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Appends the decimal digits of `value`.
    mutating func appendDecimal(_ value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = 20
            repeat {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            } while rest > 0
            append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }
}
