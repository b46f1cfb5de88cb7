/// A hash table with open addressing that finds the entry of a record by the record's key.
///
/// Entries are indexes of a list that the owner keeps, together with the keys. The owner therefore tells whether an entry
/// belongs to a record. The memory is used again after ``removeAll()``.
///
/// Sound as `@unchecked Sendable`, because one thread at a time uses a table: the writer, or the holder of its owner's lock.
final class KeyTable: @unchecked Sendable {
    private let slots = StagedMemory<Slot>(capacity: minimumSlotCount)
    private let hash = KeyHash()
    private var count = 0

    private static let minimumSlotCount = 64
    private static let keptSlotCount = 1 << 18

    private struct Slot {
        var hash: UInt32 = 0
        /// The entry plus one, 0 if the slot is free.
        var entry: UInt32 = 0
    }

    init() { slots.fill(with: Slot(), count: Self.minimumSlotCount) }

    deinit { slots.deallocate() }

    func removeAll() {
        guard count > 0 else { return }
        if slots.count > Self.keptSlotCount {
            slots.fill(with: Slot(), count: Self.minimumSlotCount)
            slots.shrink(to: Self.minimumSlotCount)
        } else {
            // The table shrinks step by step, so that a large table is not cleared again and again for few entries.
            let isOversized = count * 16 < slots.count && slots.count > Self.minimumSlotCount
            slots.fill(with: Slot(), count: isOversized ? slots.count / 2 : slots.count)
        }
        count = 0
    }

    /// The entry of the record of `model` with `key`, `nil` if there is none.
    @inline(__always)
    func find(_ key: UnsafeRawBufferPointer, model: UInt32, where isOfRecord: (Int) -> Bool) -> Int? {
        guard count > 0 else { return nil }
        return position(hash(of: key, model), where: isOfRecord).found
    }

    /// Makes `entry` the entry of the record. Returns the entry that the record had before, `nil` if it had none.
    ///
    /// - Parameter keepsFound: Whether a record that has an entry keeps it.
    @inline(__always)
    func insert(
        _ entry: Int, _ key: UnsafeRawBufferPointer, model: UInt32, keepsFound: Bool = false,
        where isOfRecord: (Int) -> Bool
    ) -> Int? {
        if (count + 1) * 2 > slots.count { grow() }
        assert((count + 1) * 2 <= slots.count, "half of the slots are free")
        let hash = hash(of: key, model)
        let (slot, found) = position(hash, where: isOfRecord)
        if found == nil { count += 1 } else if keepsFound { return found }
        slots[slot] = Slot(hash: hash, entry: UInt32(entry + 1))
        return found
    }

    /// Makes `earlier` the entry of the record again, if `entry` is its entry. If `earlier` is `nil`, the record is removed.
    func replace(
        _ entry: Int, with earlier: Int?, _ key: UnsafeRawBufferPointer, model: UInt32, where isOfRecord: (Int) -> Bool
    ) {
        let (slot, found) = position(hash(of: key, model), where: isOfRecord)
        guard found == entry else { return }
        assert(earlier.map { $0 < entry } ?? true, "an entry comes after its predecessor")
        if let earlier {
            slots[slot].entry = UInt32(earlier + 1)
        } else {
            remove(slot)
        }
    }

    @inline(__always)
    private func hash(of key: UnsafeRawBufferPointer, _ model: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: hash(key, model))
    }

    @inline(__always)
    private func position(_ hash: UInt32, where isOfRecord: (Int) -> Bool) -> (slot: Int, found: Int?) {
        let mask = slots.count - 1
        var slot = Int(hash) & mask
        while slots[slot].entry != 0 {
            if slots[slot].hash == hash {
                let entry = Int(slots[slot].entry) - 1
                if isOfRecord(entry) { return (slot, entry) }
            }
            slot = (slot + 1) & mask
        }
        return (slot, nil)
    }

    /// Frees a slot. Moves the following entries that a search would no longer find.
    private func remove(_ freed: Int) {
        assert(slots[freed].entry != 0 && count > 0, "a slot that is freed was taken")
        let mask = slots.count - 1
        var hole = freed
        var slot = (hole + 1) & mask
        while slots[slot].entry != 0 {
            let home = Int(slots[slot].hash) & mask
            if (slot - home) & mask >= (slot - hole) & mask {
                slots[hole] = slots[slot]
                hole = slot
            }
            slot = (slot + 1) & mask
        }
        slots[hole] = Slot()
        count -= 1
    }

    private func grow() {
        let old = (0..<slots.count).map { slots[$0] }
        slots.fill(with: Slot(), count: old.count * 2)
        let mask = slots.count - 1
        assert(slots.count & mask == 0, "the number of slots is a power of two")
        for entry in old where entry.entry != 0 {
            var slot = Int(entry.hash) & mask
            while slots[slot].entry != 0 { slot = (slot + 1) & mask }
            slots[slot] = entry
        }
    }
}
