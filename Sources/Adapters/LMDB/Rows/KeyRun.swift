@_spi(Adapters) internal import TidelogCore
internal import TidelogPlatform

/// Keys in memory that are sorted by their bytes: index changes of a batch, or rows to return in order. It can be reused.
struct KeyRun {
    /// A key with its first 16 bytes, which are enough for most comparisons.
    struct Entry {
        let high: UInt64
        let low: UInt64
        let offset: Int
        let byteCount: UInt32
        /// A number that the owner stores with the key.
        let mark: UInt32
    }

    let arena = ByteArena(capacity: 4_096)
    private(set) var entries = ContiguousArray<Entry>()
    /// Working memory for sorting.
    private var scratch = ContiguousArray<Entry>()

    /// Adds the `byteCount` bytes after the arena's end as a key. The `extra` bytes after them belong to the owner.
    @inline(__always)
    mutating func take(_ byteCount: Int, mark: UInt32, extra: Int = 0) {
        entries.append(candidate(byteCount, mark: mark))
        arena.count += byteCount + extra
    }

    /// Removes the last key. It must have no extra bytes.
    mutating func removeLast() {
        guard let last = entries.popLast() else { return }
        arena.count = last.offset
    }

    /// The entry for the `byteCount` bytes after the arena's end, without adding it.
    @inline(__always)
    func candidate(_ byteCount: Int, mark: UInt32) -> Entry {
        let key = UnsafeRawPointer(arena.base + arena.count)
        return Entry(
            high: Self.prefix(key, byteCount), low: Self.prefix(key + 8, byteCount - 8), offset: arena.count,
            byteCount: UInt32(byteCount), mark: mark)
    }

    @inline(__always)
    private static func prefix(_ key: UnsafeRawPointer, _ byteCount: Int) -> UInt64 {
        if byteCount >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
        var prefix: UInt64 = 0
        for index in 0..<max(byteCount, 0) {
            prefix |= UInt64(key.load(fromByteOffset: index, as: UInt8.self)) << UInt64(56 - 8 * index)
        }
        return prefix
    }

    @inline(__always)
    func bytes(_ entry: Entry) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: arena.base + entry.offset, count: Int(entry.byteCount))
    }

    @inline(__always)
    func precedes(_ left: Entry, _ right: Entry) -> Bool {
        if left.high != right.high { return left.high < right.high }
        if left.low != right.low { return left.low < right.low }
        return bytes(left).precedes(bytes(right))
    }

    /// Sorts the keys. Equal keys stay in the order in which they were added.
    mutating func sort() {
        let base = UnsafeRawPointer(arena.base)
        entries.sort(byPrefix: { $0.high }, using: &scratch) { left, right in
            if left.high != right.high { return left.high < right.high }
            if left.low != right.low { return left.low < right.low }
            let leftKey = UnsafeRawBufferPointer(start: base + left.offset, count: Int(left.byteCount))
            let rightKey = UnsafeRawBufferPointer(start: base + right.offset, count: Int(right.byteCount))
            if leftKey.precedes(rightKey) { return true }
            return left.offset < right.offset && !rightKey.precedes(leftKey)
        }
    }

    /// Keeps the first `count` entries, each with `extra` bytes after its key, and frees the memory of the rest.
    mutating func keep(first count: Int, extra: Int) {
        guard count < entries.count else { return }
        var kept = KeyRun()
        for entry in entries[..<count] {
            let byteCount = Int(entry.byteCount) + extra
            kept.arena.reserve(byteCount).copyMemory(from: arena.base + entry.offset, byteCount: byteCount)
            kept.take(Int(entry.byteCount), mark: entry.mark, extra: extra)
        }
        self = kept
    }

    /// Removes all keys. At most `limit` bytes of memory are kept.
    mutating func removeAll(keeping limit: Int) {
        arena.count = 0
        arena.shrink(to: limit)
        let keeps = entries.capacity * MemoryLayout<Entry>.stride <= limit
        entries.removeAll(keepingCapacity: keeps)
        if !keeps { scratch = [] }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes sort before `other`, byte by byte.
    @inline(__always)
    func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count > 0, other.count > 0, let left = baseAddress, let right = other.baseAddress else {
            return count < other.count
        }
        // Most keys in a scan differ from its end already in the first byte.
        if self[0] != other[0] { return self[0] < other[0] }
        let order = memcmp(left, right, Swift.min(count, other.count))
        return order == 0 ? count < other.count : order < 0
    }

    /// Whether these bytes begin with `prefix`.
    @inline(__always)
    func begins(with prefix: UnsafeRawBufferPointer) -> Bool {
        guard count >= prefix.count else { return false }
        guard let left = baseAddress, let right = prefix.baseAddress else { return prefix.isEmpty }
        return memcmp(left, right, prefix.count) == 0
    }
}
