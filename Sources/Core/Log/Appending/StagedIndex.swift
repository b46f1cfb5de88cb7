/// Finds the latest staged event of a record. The index is a hash table with open addressing. The keys are in the
/// arena.
///
/// The memory is used again by the next group.
final class StagedIndex {
    private let slots = StagedMemory<Slot>(capacity: minimumSlotCount)
    private let hash = KeyHash()
    private var count = 0

    private static let minimumSlotCount = 64
    private static let keptSlotCount = 1 << 18

    private struct Slot {
        var hash: UInt32 = 0
        /// The index of the event plus one, 0 if the slot is free.
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
            // After a large group the table shrinks step by step, so that each of the following small groups does not
            // have to clear a large table.
            let isOversized = count * 16 < slots.count && slots.count > Self.minimumSlotCount
            slots.fill(with: Slot(), count: isOversized ? slots.count / 2 : slots.count)
        }
        count = 0
    }

    func find(_ key: UnsafeRawBufferPointer, model: UInt32, in events: StagedEvents) -> Int? {
        guard count > 0 else { return nil }
        return position(hash(of: key, model), key, model, events).found
    }

    /// Makes `index` the latest event of the record. Returns the event that was the latest before.
    @inline(__always)
    func insert(_ index: Int, _ key: UnsafeRawBufferPointer, model: UInt32, in events: StagedEvents) -> Int? {
        if (count + 1) * 2 > slots.count { grow() }
        assert((count + 1) * 2 <= slots.count, "half of the slots are free")
        let hash = hash(of: key, model)
        let (slot, found) = position(hash, key, model, events)
        slots[slot] = Slot(hash: hash, entry: UInt32(index + 1))
        if found == nil { count += 1 }
        return found
    }

    /// Makes `earlier` the latest event of the record again. If `earlier` is `nil`, the record is removed from the
    /// index.
    func replace(
        _ index: Int, with earlier: Int?, _ key: UnsafeRawBufferPointer, model: UInt32, in events: StagedEvents
    ) {
        let (slot, found) = position(hash(of: key, model), key, model, events)
        guard found == index else { return }
        assert(earlier.map { $0 < index } ?? true, "an event comes after its predecessor")
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
    private func position(
        _ hash: UInt32, _ key: UnsafeRawBufferPointer, _ model: UInt32, _ events: StagedEvents
    ) -> (slot: Int, found: Int?) {
        let mask = slots.count - 1
        var slot = Int(hash) & mask
        while slots[slot].entry != 0 {
            if slots[slot].hash == hash {
                let index = Int(slots[slot].entry) - 1
                if events.events[index].modelNumber == model, ByteComparison.order(events.key(at: index), key) == 0 {
                    return (slot, index)
                }
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
