/// One stored row as a reader hands it out.
///
/// Its bytes are valid until the next call on the same reader; inside `fetch`, until the closure returns, whatever that
/// reads.
@_spi(Adapters) public struct StoredRow {
    /// The encoded primary key.
    public let key: UnsafeRawBufferPointer
    /// The event that the row comes from.
    public let sequence: SequenceNumber
    /// The row.
    public let row: RowView

    /// A row under `key`.
    @inline(__always)
    public init(key: UnsafeRawBufferPointer, sequence: SequenceNumber, row: RowView) {
        self.key = key
        self.sequence = sequence
        self.row = row
    }
}

/// A consistent view of rows.
@_spi(Adapters) public protocol AdapterReader: AnyObject {
    /// The checkpoint that belongs to these rows, `nil` before the first commit.
    func checkpoint() throws -> Checkpoint?

    /// The row of `model` under `key`, `nil` if there is none. Valid until the next call on this reader, whichever that
    /// is: to ask something else meanwhile, copy it first.
    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow?

    /// Hands the rows that `query` describes to `body`, in order, until it returns false. `body` may read from this reader,
    /// in any depth; its row stays as it is until it returns.
    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws

    /// How many rows `query` describes, its page included.
    func count(_ query: StorageQuery) throws -> Int

    /// How `query` would be answered.
    func plan(_ query: StorageQuery) throws -> QueryPlan

    /// The auxiliary value under `key` in `table`, `nil` if there is none. Valid until the next call on this reader.
    func auxiliaryValue(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws -> UnsafeRawBufferPointer?

    /// Hands the auxiliary entries of `table` whose keys come after `key` (all, if it is `nil`) to `body`, in order of
    /// their bytes, until it returns false.
    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws
}

/// A snapshot for reading; it sees nothing committed after it was opened.
@_spi(Adapters) public protocol AdapterSnapshot: AdapterReader {
    /// Ends the snapshot. Nothing is called on it afterwards.
    func end()
}
