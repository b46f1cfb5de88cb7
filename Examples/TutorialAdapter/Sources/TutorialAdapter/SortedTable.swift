import Tidelog

/// One row or one auxiliary value, with its key.
struct Entry: Sendable {
    let key: [UInt8]
    let value: [UInt8]
    /// The number of the event that wrote the row; zero for an auxiliary value.
    let sequence: SequenceNumber
}

/// Entries in the order of their keys' bytes.
struct SortedTable: Sendable {
    private var entries: [Entry] = []

    /// The entry with this key; `nil` if there is none.
    func entry(under key: UnsafeRawBufferPointer) -> Entry? {
        let place = place(of: key)
        return holds(key, at: place) ? entries[place] : nil
    }

    /// The entries whose keys come after `key`; all entries if `key` is `nil`.
    func entries(after key: [UInt8]?) -> ArraySlice<Entry> {
        guard let key else { return entries[...] }
        return key.withUnsafeBytes { key in
            let place = place(of: key)
            return entries[(holds(key, at: place) ? place + 1 : place)...]
        }
    }

    /// Replaces the entry with this key, if there is one, by `entry`. If `entry` is `nil`, removes it.
    mutating func replace(_ key: UnsafeRawBufferPointer, with entry: Entry?) {
        let place = place(of: key)
        let taken = place..<(holds(key, at: place) ? place + 1 : place)
        entries.replaceSubrange(taken, with: entry.map { [$0] } ?? [])
    }

    /// The place of `key`, or the place at which it would be inserted. It is the number of smaller keys.
    private func place(of key: UnsafeRawBufferPointer) -> Int {
        var (lower, upper) = (0, entries.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if entries[middle].key.lexicographicallyPrecedes(key) { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }

    private func holds(_ key: UnsafeRawBufferPointer, at place: Int) -> Bool {
        place < entries.count && entries[place].key.elementsEqual(key)
    }
}
