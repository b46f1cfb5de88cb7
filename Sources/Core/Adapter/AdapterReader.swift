/// A consistent view of the rows.
@_spi(Adapters) public protocol AdapterReader: AnyObject {
    /// The checkpoint of these rows, `nil` before the first commit.
    func checkpoint() throws -> Checkpoint?

    /// The row of `model` under `key`, `nil` if there is none. The row is valid until the next call of any method of
    /// this reader. If it is needed longer, copy it first.
    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow?

    /// Passes the rows that `query` selects to `body`, in order, until `body` returns false. The closure may read from
    /// this reader, at any depth. Its row stays valid until it returns.
    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws

    /// The number of rows that `query` selects, with regard to its page.
    func count(_ query: StorageQuery) throws -> Int

    /// The plan for answering `query`.
    func plan(_ query: StorageQuery) throws -> QueryPlan

    /// The auxiliary value under `key` in `table`, `nil` if there is none. Valid until the next call on this reader.
    func auxiliaryValue(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws -> UnsafeRawBufferPointer?

    /// Passes the auxiliary entries of `table` with keys after `key` to `body`, in the order of their bytes, until
    /// `body` returns false. If `key` is `nil`, it passes all entries.
    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws
}

/// One stored row, as a reader returns it.
///
/// Its bytes are valid until the next call on the same reader. Inside `fetch` they are valid until the closure returns,
/// even if the closure reads other rows.
@_spi(Adapters) public struct StoredRow {
    /// The encoded primary key.
    public let key: UnsafeRawBufferPointer
    /// The event that the row was made from.
    public let sequence: SequenceNumber
    /// The row.
    public let row: RowView

    /// The row with the given key.
    @inline(__always)
    public init(key: UnsafeRawBufferPointer, sequence: SequenceNumber, row: RowView) {
        self.key = key
        self.sequence = sequence
        self.row = row
    }
}

/// A snapshot for reading. Later commits are not visible in it.
@_spi(Adapters) public protocol AdapterSnapshot: AdapterReader {
    /// Ends the snapshot. No method is called on it afterwards.
    func end()
}

extension AdapterReader {
    /// The last event that the rows contain.
    var checkpointSequence: SequenceNumber { ((try? checkpoint()) ?? nil)?.sequence ?? .zero }

    /// The number of rows that `query` selects, for adapters that have to read the rows to count them.
    @_spi(Adapters) public func countByFetching(_ query: StorageQuery) throws -> Int {
        var count = 0
        try fetch(query) { _ in
            count += 1
            return true
        }
        return count
    }
}
