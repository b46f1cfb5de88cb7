/// One change of one row.
@_spi(Adapters) public struct RowChange {
    /// The encoded primary key.
    public let key: UnsafeRawBufferPointer
    /// The event that causes the change.
    public let sequence: SequenceNumber
    /// The new row, `nil` if the row is deleted.
    public let row: RowView?
    /// Whether the row existed before. The store knows this, so that an adapter need not look it up.
    public let existed: Bool
    /// The fields that differ from the previous row, by slot. For a row that did not exist, these are all fields.
    public let changedFields: FieldSet

    /// A change of the row with the given key.
    @inline(__always)
    public init(
        key: UnsafeRawBufferPointer, sequence: SequenceNumber, row: RowView?, existed: Bool, changedFields: FieldSet
    ) {
        self.key = key
        self.sequence = sequence
        self.row = row
        self.existed = existed
        self.changedFields = changedFields
    }
}
