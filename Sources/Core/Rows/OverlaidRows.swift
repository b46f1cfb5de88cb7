/// The changes to an adapter's rows since its checkpoint, made in memory from the log.
struct OverlaidRows: Sendable {
    /// The checkpoint of the adapter's rows.
    let base: Checkpoint?
    /// The last event that the rows and the changes together contain.
    var checkpoint: Checkpoint?
    /// The changed rows of each model, by the model's number. A deleted row has no value.
    private var tables: [UInt32: OrderedTable] = [:]
    /// The changed auxiliary entries of each table, by the table's name. A removed entry has no value.
    private var auxiliaryTables: [String: OrderedTable] = [:]

    init(over base: Checkpoint?) {
        self.base = base
        checkpoint = base
    }

    /// The changed rows of `model`.
    subscript(model: ModelLayout) -> OrderedTable {
        _read { yield tables[model.number, default: OrderedTable()] }
        _modify { yield &tables[model.number, default: OrderedTable()] }
    }

    /// The changed entries of an auxiliary table.
    subscript(table: AuxiliaryTable) -> OrderedTable {
        _read { yield auxiliaryTables[table.name, default: OrderedTable()] }
        _modify { yield &auxiliaryTables[table.name, default: OrderedTable()] }
    }
}
