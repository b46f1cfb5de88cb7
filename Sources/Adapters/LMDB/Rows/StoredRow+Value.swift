@_spi(Adapters) internal import TidelogCore

extension StoredRow {
    /// The number of bytes of the sequence number before a stored row.
    static let headerByteCount = 8

    /// The row in `value`, which is a value in a model's keyspace.
    @inline(__always)
    init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws {
        guard value.count >= Self.headerByteCount else { throw damaged("a row is too short") }
        let sequence = UInt64(littleEndian: value.loadUnaligned(as: UInt64.self))
        let row = try RowView(UnsafeRawBufferPointer(rebasing: value[Self.headerByteCount...]))
        self.init(key: key, sequence: SequenceNumber(sequence), row: row)
    }
}
