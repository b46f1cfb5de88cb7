extension UnsafeRawBufferPointer {
    /// The text whose UTF-8 these bytes are.
    @usableFromInline
    @inline(never)
    func rowText() throws(RowDamage) -> String {
        // Decoding repairs what is not UTF-8: the bytes are kept only where the text has the same. `String(validating:)`
        // says so too, but looks up generic metadata in every call.
        let text = String(decoding: self, as: UTF8.self)
        if isASCII { return text }
        let isSame = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.count == count && RowPredicate.compare(UnsafeRawBufferPointer(bytes), self) == 0
        }
        guard isSame ?? text.utf8.elementsEqual(self) else { throw RowDamage("a text is not UTF-8") }
        return text
    }

    /// Whether no byte is above 127, so that they are UTF-8 for certain.
    @inline(__always)
    private var isASCII: Bool {
        guard let base = baseAddress else { return true }
        guard count >= 8 else { return allSatisfy { $0 < 0x80 } }
        var high: UInt64 = 0
        var position = 0
        while position <= count - 16 {
            high |= base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            high |= base.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self)
            position += 16
        }
        if position <= count - 8 { high |= base.loadUnaligned(fromByteOffset: position, as: UInt64.self) }
        // The last eight once more, or some of them for the first time.
        high |= base.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        return high & 0x8080_8080_8080_8080 == 0
    }
}
