@_spi(Adapters) internal import TidelogCore

/// Changes of one model's rows, with the memory to which they refer.
///
/// `existed` and `changedFields` are correct, because they are computed from the rows that the kit itself remembers.
final class ChangeBuffer {
    private var changes: [RowChange] = []
    private var memory: [UnsafeMutableRawBufferPointer] = []

    deinit { memory.forEach { $0.deallocate() } }

    /// Adds the change of the row under `key` from `before` to `after`.
    func append(key: [UInt8], before: [UInt8]?, after: [UInt8]?, sequence: SequenceNumber) throws {
        let old = try before.map { try RowView(keep($0)) }
        let new = try after.map { try RowView(keep($0)) }
        changes.append(
            RowChange(
                key: keep(key), sequence: sequence, row: new, existed: before != nil,
                changedFields: FieldSet(bits: keep(try Self.difference(old, new)))))
    }

    /// Calls `body` with the changes, sorted by key.
    func withChanges(_ body: (UnsafeBufferPointer<RowChange>) throws -> Void) rethrows {
        changes.sort { $0.key.lexicographicallyPrecedes($1.key) }
        try changes.withUnsafeBufferPointer(body)
    }

    private func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        copy.copyBytes(from: bytes)
        memory.append(copy)
        return UnsafeRawBufferPointer(copy)
    }

    /// A bitmap of the slots whose values differ. If one of the rows does not exist, all slots are set.
    private static func difference(_ old: RowView?, _ new: RowView?) throws -> [UInt8] {
        let slotCount = max(old?.slotCount ?? 0, new?.slotCount ?? 0)
        var bits = [UInt8](repeating: 0, count: (slotCount + 7) / 8)
        for slot in 0..<slotCount where try old == nil || new == nil || !isEqual(old, new, slot) {
            bits[slot >> 3] |= 1 << UInt8(slot & 7)
        }
        return bits
    }

    private static func isEqual(_ old: RowView?, _ new: RowView?, _ slot: Int) throws -> Bool {
        switch (try old?.value(slot), try new?.value(slot)) {
        case (nil, nil): true
        case (let old?, let new?): old.elementsEqual(new)
        default: false
        }
    }
}
