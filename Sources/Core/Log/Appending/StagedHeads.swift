/// The first event of each record in a range of staged events. The events are ordered by model and key, which is the order in
/// which rows are looked up and written. The memory is used again for the next range.
struct StagedHeads {
    private var heads = ContiguousArray<Head>()
    private var scratch = ContiguousArray<Head>()

    /// The largest number of elements for which memory is kept.
    private static let keptCount = 1 << 17

    private struct Head {
        /// The key's first 8 bytes, which decide most comparisons.
        let prefix: UInt64
        let model: UInt32
        let index: UInt32
    }

    var count: Int { heads.count }

    /// The index of the staged event at `position`.
    subscript(position: Int) -> Int { Int(heads[position].index) }

    /// Collects the first event of each record among the events of `staged` from index `start` on. Returns whether a
    /// record has further events.
    mutating func collect(_ staged: StagedEvents, from start: Int) -> Bool {
        heads.reserveCapacity(staged.count - start)
        var chained = false
        for index in start..<staged.count {
            let event = staged.events[index]
            guard event.changesRow, event.modelNumber != 0 else { continue }
            assert(Int(event.prior) < index, "an event comes after its predecessor")
            if Int(event.prior) >= start {
                chained = true
            } else {
                heads.append(
                    Head(
                        prefix: staged.key(at: index).bigEndianPrefix, model: event.modelNumber, index: UInt32(index)))
            }
        }
        sort(staged)
        return chained
    }

    private mutating func sort(_ staged: StagedEvents) {
        let precedes = { (left: Head, right: Head) -> Bool in
            if left.model != right.model { return left.model < right.model }
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            return ByteComparison.order(staged.key(at: Int(left.index)), staged.key(at: Int(right.index))) < 0
        }
        if let model = heads.first?.model, heads.allSatisfy({ $0.model == model }) {
            heads.sort(byPrefix: { $0.prefix }, using: &scratch, precedes)
        } else {
            heads.sort(by: precedes)
        }
    }

    /// The position after the last head that has the same model as the head at `first`.
    func endOfModel(from first: Int) -> Int {
        precondition(first >= 0 && first < heads.count, "a head stands at the position")
        let model = heads[first].model
        var end = first + 1
        while end < heads.count, heads[end].model == model { end += 1 }
        return end
    }

    mutating func removeAll() {
        let keeps = heads.capacity <= Self.keptCount
        heads.removeAll(keepingCapacity: keeps)
        if !keeps { scratch = [] }
    }
}

extension UnsafeRawBufferPointer {
    /// The first 8 bytes as a big-endian number, filled with zeros if there are fewer. These numbers have the same
    /// order as the bytes.
    @inline(__always)
    var bigEndianPrefix: UInt64 {
        if count >= 8 { return UInt64(bigEndian: loadUnaligned(as: UInt64.self)) }
        var prefix: UInt64 = 0
        for index in 0..<8 { prefix = prefix << 8 | (index < count ? UInt64(self[index]) : 0) }
        return prefix
    }
}
