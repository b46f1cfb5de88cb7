@_spi(Adapters) internal import TidelogCore

/// All data of an in-memory adapter, as a value. Copies share their common parts.
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
