/// A table in memory, with entries in the order of their keys' bytes.
///
/// The entries are in chunks of limited size. A change after a copy therefore copies one chunk and not the whole table.
package struct OrderedTable: Sendable {
    /// The chunks in order. None of them is empty.
    private var chunks: [[TableEntry]] = []

    private static let chunkCapacity = 256

    package init() {}

    package var isEmpty: Bool { chunks.isEmpty }

    /// The number of entries.
    package var count: Int { chunks.reduce(0) { $0 + $1.count } }

    /// The entry under `key`.
    package func entry(_ key: UnsafeRawBufferPointer) -> TableEntry? {
        let place = place(of: key)
        return place.isTaken ? chunks[place.chunk][place.position] : nil
    }

    /// Adds `entry`, or replaces the entry with the same key.
    package mutating func put(_ entry: TableEntry) {
        guard !chunks.isEmpty else {
            chunks = [[entry]]
            return
        }
        let place = place(of: entry.key)
        if place.isTaken {
            chunks[place.chunk][place.position] = entry
            return
        }
        chunks[place.chunk].insert(entry, at: place.position)
        let count = chunks[place.chunk].count
        if count > Self.chunkCapacity {
            let upper = Array(chunks[place.chunk][(count / 2)...])
            chunks[place.chunk].removeSubrange((count / 2)...)
            chunks.insert(upper, at: place.chunk + 1)
        }
    }

    /// Removes the entry under `key`, if there is one.
    package mutating func remove(_ key: UnsafeRawBufferPointer) {
        let place = place(of: key)
        guard place.isTaken else { return }
        chunks[place.chunk].remove(at: place.position)
        if chunks[place.chunk].isEmpty { chunks.remove(at: place.chunk) }
    }

    /// Calls `body` with the entries whose keys come after `key`, in order, until `body` returns false. If `key` is
    /// `nil`, it is called with all entries.
    package func forEach(after key: [UInt8]?, _ body: (TableEntry) throws -> Bool) rethrows {
        var start = (chunk: 0, position: 0)
        if let key {
            let place = key.withUnsafeBytes { self.place(of: $0) }
            start = (place.chunk, place.isTaken ? place.position + 1 : place.position)
        }
        for chunk in chunks.indices.dropFirst(start.chunk) {
            for entry in chunks[chunk].dropFirst(chunk == start.chunk ? start.position : 0) {
                guard try body(entry) else { return }
            }
        }
    }

    /// The place of the entry under `key`, or the place at which it would be inserted.
    private func place(of key: UnsafeRawBufferPointer) -> (chunk: Int, position: Int, isTaken: Bool) {
        let chunk = max(0, chunks.partition { ByteComparison.order($0[0].key, key) <= 0 } - 1)
        guard chunk < chunks.count else { return (0, 0, false) }
        let position = chunks[chunk].partition { ByteComparison.order($0.key, key) < 0 }
        let isTaken = position < chunks[chunk].count && ByteComparison.order(chunks[chunk][position].key, key) == 0
        return (chunk, position, isTaken)
    }
}

extension Array {
    /// The number of elements at the start that satisfy `isBefore`. All elements that satisfy it must come first.
    fileprivate func partition(_ isBefore: (Element) -> Bool) -> Int {
        var (lower, upper) = (0, count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if isBefore(self[middle]) { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}

/// A key with its value. Their memory does not move as long as the entry exists.
package final class TableEntry: Sendable {
    private let memory: ConstantMemory<UInt8>
    private let keyByteCount: Int
    private let hasValue: Bool
    /// The event that the entry was made from.
    package let sequence: SequenceNumber

    /// - Parameter value: The value, or `nil` if there is nothing under the key.
    package init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?, sequence: SequenceNumber = .zero) {
        memory = ConstantMemory(count: key.count + (value?.count ?? 0), alignment: 16)
        keyByteCount = key.count
        hasValue = value != nil
        self.sequence = sequence
        _ = UnsafeMutableBufferPointer(start: memory.start, count: key.count).initialize(from: key)
        guard let value else { return }
        _ = UnsafeMutableBufferPointer(start: memory.start + key.count, count: value.count).initialize(from: value)
    }

    deinit { memory.deallocate() }

    package var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory.bytes[..<keyByteCount]) }

    package var value: UnsafeRawBufferPointer? {
        hasValue ? UnsafeRawBufferPointer(rebasing: memory.bytes[keyByteCount...]) : nil
    }

    /// The entry as a row, `nil` if there is nothing under the key.
    package func row() throws -> StoredRow? {
        try value.map { StoredRow(key: key, sequence: sequence, row: try RowView($0)) }
    }
}
