/// The write transaction. Its reads see its own writes.
@_spi(Adapters) public protocol AdapterTransaction: AdapterReader {
    /// Makes tables, indexes and auxiliary tables as `schema` and `auxiliaryTables` ask. Existing rows stay.
    func prepare(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) throws

    /// Applies `changes` to the rows of `model`. They are sorted by key, with one change for each key.
    func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) throws

    /// Puts an auxiliary value.
    func putAuxiliary(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws

    /// Removes an auxiliary value, if there is one.
    func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws

    /// Commits everything together with `checkpoint`, atomically. Nothing is called on the transaction afterwards.
    func commit(checkpoint: Checkpoint) throws

    /// Takes everything back. Nothing is called on the transaction afterwards.
    func rollback()
}

/// A table of keys and values that belongs to a projection and is kept with the rows.
@_spi(Adapters) public struct AuxiliaryTable: Sendable, Hashable {
    /// The table's place among all auxiliary tables of the store, from 0.
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
    /// The event that the change comes from.
    public let sequence: SequenceNumber
    /// The row as it is to be, `nil` if it is to go.
    public let row: RowView?
    /// Whether the row existed before: known, so that an adapter need not look.
    public let existed: Bool
    /// The fields that differ from the row before, by slot; for a row that did not exist, all of them.
    public let changedFields: FieldSet

    /// A change of the row under `key`.
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
