/// A string or key in a JSON text. It is checked, but neither copied nor unescaped.
///
/// The slice points into the reader's bytes, and must not be used longer than they exist. All methods compare and copy UTF-8
/// bytes without normalizing them.
public struct JSONStringSlice {
    /// The bytes between the quotes, which are valid UTF-8. If ``hasEscapes`` is false, they are the string itself.
    ///
    /// Sound because the bytes are a slice of the reader's bytes, which the caller keeps alive.
    public let rawBytes: UnsafeRawBufferPointer
    /// Whether ``rawBytes`` contains escapes.
    public let hasEscapes: Bool

    /// The string.
    public var string: String {
        guard hasEscapes else { return String(decoding: rawBytes, as: UTF8.self) }
        // No escape is shorter than its character in UTF-8.
        return String(unsafeUninitializedCapacity: rawBytes.count) { buffer in
            let output = UnsafeMutableRawBufferPointer(buffer)
            var length = 0
            forEachPiece { piece in
                UnsafeMutableRawBufferPointer(rebasing: output[length...]).copyMemory(from: piece)
                length += piece.count
            }
            return length
        }
    }

    /// Appends the string's UTF-8 bytes to `buffer`.
    public func append(to buffer: inout [UInt8]) {
        guard hasEscapes else {
            buffer.append(contentsOf: rawBytes)
            return
        }
        forEachPiece { buffer.append(contentsOf: $0) }
    }

    /// Whether the string is exactly `name`.
    @inlinable
    public func matches(_ name: StaticString) -> Bool {
        if !hasEscapes && name.hasPointerRepresentation && name.utf8CodeUnitCount != rawBytes.count { return false }
        return name.withUTF8Buffer { matches(UnsafeRawBufferPointer($0)) }
    }

    /// Whether the string has exactly the UTF-8 bytes `name`.
    public func matches(_ name: [UInt8]) -> Bool {
        name.withUnsafeBytes { matches($0) }
    }

    /// Whether the string has exactly the UTF-8 bytes `name`.
    public func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        guard hasEscapes else { return rawBytes.hasSameBytes(as: name) }
        var matched = 0
        forEachPiece { piece in
            guard matched >= 0, piece.count <= name.count - matched,
                UnsafeRawBufferPointer(rebasing: name[matched..<matched + piece.count]).hasSameBytes(as: piece)
            else {
                matched = -1
                return
            }
            matched += piece.count
        }
        return matched == name.count
    }

    /// Allows a `switch` over a slice to have names as its cases.
    @inlinable
    public static func ~= (name: StaticString, slice: JSONStringSlice) -> Bool { slice.matches(name) }
}

extension JSONStringSlice {
    /// Calls `body`, in order, with the runs between escapes and with the character of each escape.
    ///
    /// The reader has already checked every escape, so none is invalid here.
    private func forEachPiece(_ body: (UnsafeRawBufferPointer) -> Void) {
        var index = 0
        while index < rawBytes.count {
            let start = index
            while index < rawBytes.count, rawBytes[index] != UInt8(ascii: "\\") { index += 1 }
            if index > start { body(UnsafeRawBufferPointer(rebasing: rawBytes[start..<index])) }
            guard index < rawBytes.count else { return }
            let scalar = scalarOfEscape(at: &index)
            withUnsafeBytes(of: scalar.utf8Word.littleEndian) {
                body(UnsafeRawBufferPointer(rebasing: $0[..<scalar.utf8Length]))
            }
        }
    }

    /// The scalar of the escape at `index`. Moves `index` after the escape.
    private func scalarOfEscape(at index: inout Int) -> UInt32 {
        let letter = rawBytes[index + 1]
        index += 2
        switch letter {
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"): break
        default: return UInt32(letter)
        }
        let unit = rawBytes.hexadecimalUnit(at: index) ?? 0
        index += 4
        guard unit & 0xF800 == 0xD800 else { return unit }
        let low = rawBytes.hexadecimalUnit(at: index + 2) ?? 0
        index += 6
        return 0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF)
    }
}

extension UnsafeRawBufferPointer {
    /// The 16-bit unit of the four hexadecimal digits at `index`; `nil` if there are no four digits.
    func hexadecimalUnit(at index: Int) -> UInt32? {
        guard count - index >= 4 else { return nil }
        var unit: UInt32 = 0
        for offset in 0..<4 {
            guard let digit = self[index + offset].hexadecimalValue else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }
}

extension UInt32 {
    /// The number of UTF-8 bytes of this scalar.
    fileprivate var utf8Length: Int {
        switch self {
        case 0..<0x80: 1
        case 0x80..<0x800: 2
        case 0x800..<0x10000: 3
        default: 4
        }
    }

    /// The UTF-8 bytes of this scalar, with the first byte in the lowest bits.
    fileprivate var utf8Word: UInt32 {
        switch self {
        case 0..<0x80: self
        case 0x80..<0x800: (0xC0 | self >> 6) | (0x80 | self & 0x3F) << 8
        case 0x800..<0x10000: (0xE0 | self >> 12) | (0x80 | self >> 6 & 0x3F) << 8 | (0x80 | self & 0x3F) << 16
        default:
            (0xF0 | self >> 18) | (0x80 | self >> 12 & 0x3F) << 8 | (0x80 | self >> 6 & 0x3F) << 16
                | (0x80 | self & 0x3F) << 24
        }
    }
}
