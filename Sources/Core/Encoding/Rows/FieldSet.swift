/// A set of slots of a row, read from a bitmap without a copy.
@_spi(Adapters) public struct FieldSet {
    private let bits: UnsafeRawBufferPointer

    /// The set whose member `slot` is bit `slot` % 8 of byte `slot` / 8 of `bits`.
    @inline(__always)
    public init(bits: UnsafeRawBufferPointer) { self.bits = bits }

    /// Whether no slot is in the set.
    public var isEmpty: Bool { bits.allSatisfy { $0 == 0 } }

    /// Whether `slot` is in the set. A slot after the end of the bitmap is not in the set.
    @inline(__always)
    public func contains(_ slot: Int) -> Bool { slot >> 3 < bits.count && bits[slot >> 3] & (1 << (slot & 7)) != 0 }
}
