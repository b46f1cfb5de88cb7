/// Tables of rows and of auxiliary entries in memory, and their checkpoint. Copies share their common parts.
package struct OrderedTables: Sendable {
    /// The last event that the tables contain.
    package var checkpoint: Checkpoint?
    /// The rows by the number of their model.
    private var rows: [UInt32: OrderedTable] = [:]
    /// The auxiliary entries by the name of their table.
    private var auxiliaryEntries: [String: OrderedTable] = [:]

    package init(checkpoint: Checkpoint? = nil) { self.checkpoint = checkpoint }

    /// The rows of `model`.
    package subscript(model: ModelLayout) -> OrderedTable {
        _read { yield rows[model.number, default: OrderedTable()] }
        _modify { yield &rows[model.number, default: OrderedTable()] }
    }

    /// The entries of an auxiliary table.
    package subscript(table: AuxiliaryTable) -> OrderedTable {
        _read { yield auxiliaryEntries[table.name, default: OrderedTable()] }
        _modify { yield &auxiliaryEntries[table.name, default: OrderedTable()] }
    }
}
