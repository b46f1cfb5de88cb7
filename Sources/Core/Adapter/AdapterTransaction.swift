/// A write transaction of an adapter. Its reads see its own writes.
@_spi(Adapters) public protocol AdapterTransaction: AdapterReader {
    /// Creates the tables, indexes and auxiliary tables that `schema` and `auxiliaryTables` require. Existing rows are
    /// kept.
    func prepare(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) throws

    /// Applies `changes` to the rows of `model`. The changes are sorted by key, and each key occurs once.
    func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) throws

    /// Writes an auxiliary value.
    func putAuxiliary(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws

    /// Removes an auxiliary value, if there is one.
    func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws

    /// Commits all changes together with `checkpoint`, atomically. No method is called on the transaction afterwards.
    func commit(checkpoint: Checkpoint) throws

    /// Discards all changes. No method is called on the transaction afterwards.
    func rollback()
}

/// A table of keys and values that belongs to a projection. It is stored with the rows.
@_spi(Adapters) public struct AuxiliaryTable: Sendable, Hashable {
    /// The index of the table among all auxiliary tables of the store, from 0.
    public let index: Int
    /// The table's name, unique in the store.
    public let name: String

    /// The table at `index`, called `name`.
    public init(index: Int, name: String) {
        self.index = index
        self.name = name
    }
}

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
