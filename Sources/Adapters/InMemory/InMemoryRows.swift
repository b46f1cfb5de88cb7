@_spi(Adapters) internal import TidelogCore

/// Everything that an in-memory adapter holds. A value: copies share what they have in common.
struct InMemoryRows: Sendable {
    var checkpoint: Checkpoint?
    /// The rows by the number of their model.
    private var tables: [UInt32: OrderedTable] = [:]
    /// The auxiliary entries by the name of their table.
    private var auxiliaryTables: [String: OrderedTable] = [:]

    /// The rows of `model`.
    subscript(model: ModelLayout) -> OrderedTable {
        _read { yield tables[model.number, default: OrderedTable()] }
        _modify { yield &tables[model.number, default: OrderedTable()] }
    }

    /// The entries of an auxiliary table.
    subscript(table: AuxiliaryTable) -> OrderedTable {
        _read { yield auxiliaryTables[table.name, default: OrderedTable()] }
        _modify { yield &auxiliaryTables[table.name, default: OrderedTable()] }
    }
}
