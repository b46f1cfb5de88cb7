/// Unaligned little-endian access to raw memory. The callers check the bounds.
extension UnsafeRawPointer {
    @inline(__always)
    @inlinable package func load<Number: FixedWidthInteger>(_ offset: Int, as type: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}

extension UnsafeMutableRawPointer {
    @inline(__always)
    func store<Number: FixedWidthInteger>(_ value: Number, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: Number.self)
    }
}
