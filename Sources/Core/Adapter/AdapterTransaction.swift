/// A write transaction of an adapter. Its reads see its own writes.
@_spi(Adapters) public protocol AdapterTransaction: AdapterReader {
    /// Creates the tables, indexes and auxiliary tables that `schema` and `auxiliaryTables` require. Existing rows are kept.
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
