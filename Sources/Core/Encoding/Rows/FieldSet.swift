import TidelogPlatform

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

    private static let allBits = ConstantMemory<UInt8>(Array(repeating: 0xFF, count: Limits.fieldCount / 8 + 1))

    /// Every slot.
    static var all: FieldSet { FieldSet(bits: allBits.bytes) }
}

extension RowView {
    /// Sets the bit of every slot whose value differs from the value in `other`.
    ///
    /// If `other` is `nil`, this method sets the bit of every slot that has a value.
    func markDifferences(from other: RowView?, in bitmap: UnsafeMutableRawBufferPointer) throws(RowDamage) {
        for slot in 0..<min(bitmap.count * 8, max(slotCount, other?.slotCount ?? 0)) {
            let mine = try value(slot)
            let theirs = try other?.value(slot)
            let isEqual =
                switch (mine, theirs) {
                case (nil, nil): true
                case (let mine?, let theirs?): mine.count == theirs.count && Self.areEqual(mine, theirs)
                default: false
                }
            if !isEqual { bitmap[slot >> 3] |= 1 << UInt8(slot & 7) }
        }
    }

    private static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard let left = left.baseAddress, let rightBase = right.baseAddress else { return true }
        return memcmp(left, rightBase, right.count) == 0
    }
}
