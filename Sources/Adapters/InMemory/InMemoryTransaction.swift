@_spi(Adapters) internal import TidelogCore

/// The write transaction: a copy of the rows, which replaces the committed rows or is discarded.
final class InMemoryTransaction: InMemoryReader, AdapterTransaction {
    private(set) var rows: InMemoryRows
    var lent: TableEntry?
    private let replaceCommitted: (InMemoryRows) -> Void

    init(_ rows: InMemoryRows, replaceCommitted: @escaping (InMemoryRows) -> Void) {
        self.rows = rows
        self.replaceCommitted = replaceCommitted
    }

    func prepare(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) {}  // A table is made by its first row.

    func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) {
        for change in changes {
            if let row = change.row {
                rows[model].put(TableEntry(key: change.key, value: row.bytes, sequence: change.sequence))
            } else {
                rows[model].remove(change.key)
            }
        }
    }

    func putAuxiliary(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable) {
        rows[table].put(TableEntry(key: key, value: value))
    }

    func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) { rows[table].remove(key) }

    func commit(checkpoint: Checkpoint) {
        rows.checkpoint = checkpoint
        replaceCommitted(rows)
        rows = InMemoryRows()
    }

    func rollback() { rows = InMemoryRows() }
}
