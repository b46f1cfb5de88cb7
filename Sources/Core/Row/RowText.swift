extension UnsafeRawBufferPointer {
    /// The text whose UTF-8 these bytes are.
    @usableFromInline
    @inline(never)
    func rowText() throws(RowDamage) -> String {
        guard isASCII else { return try repairedText() }
        guard #available(macOS 26, iOS 26, *) else { return String(decoding: self, as: UTF8.self) }
        // Sound: every byte was just seen to be ASCII, and so the text need not be looked through once more.
        return String(copying: UTF8Span(unchecked: assumingMemoryBound(to: UInt8.self).span, isKnownASCII: true))
    }

    /// The text whose UTF-8 these bytes are, where not all of them are ASCII.
    @inline(never)
    private func repairedText() throws(RowDamage) -> String {
        // Decoding repairs what is not UTF-8: the bytes are kept only if the text has the same. `String(validating:)`
        // says so too, but looks up generic metadata in every call.
        let text = String(decoding: self, as: UTF8.self)
        let isSame = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.count == count && ByteComparison.order(UnsafeRawBufferPointer(bytes), self) == 0
        }
        guard isSame ?? text.utf8.elementsEqual(self) else { throw RowDamage("a text is not UTF-8") }
        return text
    }

    /// Whether no byte is above 127, so that they are UTF-8 for certain.
    @inline(__always)
    private var isASCII: Bool {
        guard let base = baseAddress else { return true }
        guard count >= 16 else { return isShortASCII }
        // The last sixteen first, some of which may come once more.
        let last = count &- 16
        var high = base.loadUnaligned(fromByteOffset: last, as: SIMD2<UInt64>.self)
        var position = 0
        while position < last {
            high |= base.loadUnaligned(fromByteOffset: position, as: SIMD2<UInt64>.self)
            position &+= 16
        }
        return (high[0] | high[1]) & 0x8080_8080_8080_8080 == 0
    }

    /// As ``isASCII``, of fewer than sixteen bytes.
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
