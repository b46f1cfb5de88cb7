import Tidelog

/// One row or one auxiliary value, with the key it stands under.
struct Entry: Sendable {
    let key: [UInt8]
    let value: [UInt8]
    /// The event that the row comes from; zero for an auxiliary value.
    let sequence: SequenceNumber
}

/// Entries in the order of their keys' bytes.
struct SortedTable: Sendable {
    private var entries: [Entry] = []

    /// The entry under `key`, `nil` if there is none.
    func entry(under key: UnsafeRawBufferPointer) -> Entry? {
        let place = place(of: key)
        return holds(key, at: place) ? entries[place] : nil
    }

    /// The entries whose keys come after `key`; all of them, if it is `nil`.
    func entries(after key: [UInt8]?) -> ArraySlice<Entry> {
        guard let key else { return entries[...] }
        return key.withUnsafeBytes { key in
            let place = place(of: key)
            return entries[(holds(key, at: place) ? place + 1 : place)...]
        }
    }

    /// Puts `entry` under `key` in place of what is there; takes away what is there, if `entry` is `nil`.
    mutating func replace(_ key: UnsafeRawBufferPointer, with entry: Entry?) {
        let place = place(of: key)
        let taken = place..<(holds(key, at: place) ? place + 1 : place)
        entries.replaceSubrange(taken, with: entry.map { [$0] } ?? [])
    }

    /// Where `key` stands, or would stand: the number of keys that come before it.
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
