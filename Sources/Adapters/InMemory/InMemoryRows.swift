internal import TidelogCore

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

/// A key with its value, in memory that stays where it is for as long as the entry lives.
final class Entry: @unchecked Sendable {  // Sound: its memory is written in init and freed in deinit.
    private let memory: UnsafeMutableRawBufferPointer
    private let keyByteCount: Int
    let sequence: SequenceNumber

    init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, sequence: SequenceNumber = .zero) {
        memory = .allocate(byteCount: key.count + value.count, alignment: 16)
        keyByteCount = key.count
        self.sequence = sequence
        memory.copyBytes(from: key)
        UnsafeMutableRawBufferPointer(rebasing: memory[key.count...]).copyBytes(from: value)
    }

    deinit { memory.deallocate() }

    var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<keyByteCount]) }
    var value: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[keyByteCount...]) }

    /// The entry as a row.
    func row() throws -> StoredRow { StoredRow(key: key, sequence: sequence, row: try RowView(value)) }
}
