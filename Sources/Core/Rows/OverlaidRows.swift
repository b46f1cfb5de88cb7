/// What the log says of records behind the rows of an adapter, in memory: the changes since the adapter's checkpoint.
struct OverlaidRows: Sendable {
    /// The checkpoint of the rows beneath.
    let base: Checkpoint?
    /// How far rows and changes together contain the log.
    var checkpoint: Checkpoint?
    /// Changed rows by the number of their model; those that are gone have no value.
    private var tables: [UInt32: OrderedTable] = [:]
    /// Changed auxiliary entries by the name of their table; those that are gone have no value.
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
