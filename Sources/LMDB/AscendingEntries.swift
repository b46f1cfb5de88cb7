internal import CSystem

/// The entries of a keyspace in the order of their keys.
///
/// In a read transaction, the entries of a leaf are read from the map without a call of LMDB for each. LMDB's cursor moves from
/// leaf to leaf. It also reads what this type does not: values on pages of their own, and entries that do not fit into their
/// page.
public struct AscendingEntries {
    private let cursor: Cursor
    /// The size of a page, or zero if the page of an entry is unknown.
    private let pageSize: Int
    private(set) var readAhead: LeafReadAhead?
    /// The leaf that is read, `nil` at the beginning.
    private var leaf: UnsafeRawPointer?
    /// The index of the next entry in the leaf, and the number of its entries.
    private var place = (index: 0, end: 0)
    /// Whether the cursor is before the last entry, because this entry was read from the leaf.
    private var isCursorBehind = false

    fileprivate init(_ cursor: Cursor, _ readAhead: LeafReadAhead?) {
        self.cursor = cursor
        self.readAhead = readAhead
        let transaction = cursor.transaction
        // The new pages of a write transaction are not in the map.
        pageSize = transaction.isReadOnly ? transaction.handle?.alignedPageSize ?? 0 : 0
    }

    /// The first entry whose key is equal to or sorts after this key. An empty key asks for the first entry of all.
    public mutating func first(atLeast key: UnsafeRawBufferPointer) throws(LMDBError) -> Cursor.Entry? {
        (leaf, isCursorBehind) = (nil, false)
        return enter(key.isEmpty ? try cursor.first() : try cursor.seek(atLeast: key))
    }

    /// The next entry.
    ///
    /// - Throws: `corrupted` if LMDB does not find the entry before it any more.
    public mutating func next() throws(LMDBError) -> Cursor.Entry? {
        try cursor.checkPosition("next")
        guard place.index < place.end, let entry = entry(at: place.index) else { return try moveCursor() }
        place.index += 1
        isCursorBehind = true
        readAhead?.askForMore()
        assert(isNext(entry), "LMDB finds the same entry")
        return entry
    }

    /// Moves the cursor to the last entry, and to the one after it.
    private mutating func moveCursor() throws(LMDBError) -> Cursor.Entry? {
        if isCursorBehind {
            guard let last = entry(at: place.index - 1), try cursor.seek(atLeast: last.key)?.keyStart == last.keyStart
            else { throw LMDBError(.corrupted, "next") }
        }
        isCursorBehind = false
        return enter(try cursor.next())
    }

    /// The entry at `index` of the leaf, `nil` if it cannot be read there.
    @inline(__always)
    private func entry(at index: Int) -> Cursor.Entry? {
        leaf.flatMap { Cursor.Entry(tidelog_read_entry($0, pageSize, index)) }
    }

    /// Notes the leaf of an entry at which the cursor is.
    private mutating func enter(_ entry: Cursor.Entry?) -> Cursor.Entry? {
        place = (0, 0)
        guard let entry, pageSize > 0 else { return entry }
        let key = entry.keyStart
        let address = UInt(bitPattern: key) & ~UInt(pageSize - 1)
        guard let page = UnsafeRawPointer(bitPattern: address) else { return entry }
        // Many scans end in their first leaf.
        if let leaf, leaf != page { readAhead?.enterLeaf(at: address, with: entry.key) }
        readAhead?.askForMore()
        leaf = page
        let count = tidelog_count_entries(page, pageSize)
        place = (tidelog_index_of_entry(page, count, key) + 1, count)
        return entry
    }

    /// Whether LMDB's next entry is `entry`. A build without optimization checks each entry.
    private func isNext(_ entry: Cursor.Entry) -> Bool {
        guard let expected = try? cursor.next() else { return false }
        return expected.keyStart == entry.keyStart && expected.valueStart == entry.valueStart
            && expected.keyCount == entry.keyCount && expected.valueCount == entry.valueCount
    }
}

extension Cursor {
    /// The entries in the order of their keys. They move this cursor, so that nothing else may move it.
    ///
    /// - Parameter readAhead: The leaves of the same keyspace that are asked for.
    public func ascending(_ readAhead: LeafReadAhead? = nil) -> AscendingEntries { AscendingEntries(self, readAhead) }
}
