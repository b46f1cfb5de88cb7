/// The records whose latest event is in the log but not in the rows yet, each with that event.
///
/// This type is a hash table. Its keys are stored one after another in one array.
struct UnprojectedRecords {
    /// A record's latest event.
    struct Latest {
        let sequence: SequenceNumber
        /// Whether the record has a row after this event.
        let hasRow: Bool
    }

    private struct Entry {
        let model: UInt32
        let keyRange: Range<Int>
        var latest: Latest
    }

    private var entries: ContiguousArray<Entry> = []
    private var keys: ContiguousArray<UInt8> = []
    /// The index of a record's entry, by hash. Keys with equal hashes are found at the following steps.
    private var places: [UInt64: Int] = [:]
    private let hash = KeyHash()

    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    func latest(of key: UnsafeRawBufferPointer, model: UInt32) -> Latest? {
        guard !entries.isEmpty else { return nil }
        return place(of: key, model).entry.map { entries[$0].latest }
    }

    mutating func note(_ latest: Latest, of key: UnsafeRawBufferPointer, model: UInt32) {
        let (hash, entry) = place(of: key, model)
        guard let entry else {
            places[hash] = entries.count
            entries.append(Entry(model: model, keyRange: keys.count..<(keys.count + key.count), latest: latest))
            keys.append(contentsOf: key)
            return
        }
        assert(latest.sequence > entries[entry].latest.sequence, "sequence numbers rise")
        entries[entry].latest = latest
    }

    /// Removes the records whose latest event is at or before `sequence`.
    mutating func removeAll(upTo sequence: SequenceNumber) {
        let (oldEntries, oldKeys) = (entries, keys)
        entries.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        for entry in oldEntries where entry.latest.sequence > sequence {
            oldKeys.withUnsafeBytes { bytes in
                note(entry.latest, of: UnsafeRawBufferPointer(rebasing: bytes[entry.keyRange]), model: entry.model)
            }
        }
    }

    private func place(of key: UnsafeRawBufferPointer, _ model: UInt32) -> (hash: UInt64, entry: Int?) {
        var hash = self.hash(key, model)
        while let entry = places[hash] {
            assert(entry < entries.count, "a place leads to an entry")
            if entries[entry].model == model, isKey(entries[entry].keyRange, equalTo: key) { return (hash, entry) }
            hash &+= Self.step
        }
        return (hash, nil)
    }

    private func isKey(_ range: Range<Int>, equalTo key: UnsafeRawBufferPointer) -> Bool {
        keys.withUnsafeBytes { ByteComparison.order(UnsafeRawBufferPointer(rebasing: $0[range]), key) == 0 }
    }
}
