extension UnsafeRawBufferPointer {
    /// The text that these UTF-8 bytes encode.
    @usableFromInline
    @inline(never)
    func rowText() throws(RowDamage) -> String {
        guard isASCII else { return try repairedText() }
        guard #available(macOS 26, iOS 26, *) else { return String(decoding: self, as: UTF8.self) }
        // Sound: all bytes are ASCII, as was just checked, so the text needs no second check.
        return String(copying: UTF8Span(unchecked: assumingMemoryBound(to: UInt8.self).span, isKnownASCII: true))
    }

    /// The text that these UTF-8 bytes encode, if some of them are not ASCII.
    @inline(never)
    private func repairedText() throws(RowDamage) -> String {
        // Decoding repairs bytes that are not UTF-8. If the text then has other bytes, the row is damaged.
        // `String(validating:)` would also detect that, but it looks up generic metadata in every call.
        let text = String(decoding: self, as: UTF8.self)
        let isSame = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.count == count && ByteComparison.order(UnsafeRawBufferPointer(bytes), self) == 0
        }
        guard isSame ?? text.utf8.elementsEqual(self) else { throw RowDamage("a text is not UTF-8") }
        return text
    }

    /// Whether all bytes are below 128. Such bytes are always UTF-8.
    @inline(__always)
    private var isASCII: Bool {
        guard let base = baseAddress else { return true }
        guard count >= 16 else { return isShortASCII }
        // The last 16 bytes are read first. Some of them may be read a second time in the loop.
        let last = count &- 16
        var high = base.loadUnaligned(fromByteOffset: last, as: SIMD2<UInt64>.self)
        var position = 0
        while position < last {
            high |= base.loadUnaligned(fromByteOffset: position, as: SIMD2<UInt64>.self)
            position &+= 16
        }
        return (high[0] | high[1]) & 0x8080_8080_8080_8080 == 0
    }

    /// Like ``isASCII``, for fewer than 16 bytes.
    @inline(__always)
    private var isShortASCII: Bool {
        guard let base = baseAddress, count >= 4 else { return allSatisfy { $0 < 0x80 } }
        if count < 8 {
            let high = base.load(0, as: UInt32.self) | base.load(count &- 4, as: UInt32.self)
            return high & 0x8080_8080 == 0
        }
        let high = base.load(0, as: UInt64.self) | base.load(count &- 8, as: UInt64.self)
        return high & 0x8080_8080_8080_8080 == 0
    }
}
