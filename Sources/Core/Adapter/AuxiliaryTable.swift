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

    // MARK: The tables of every store

    /// The last event of each record that has no row, so that the history of the record continues from it.
    package static let tombstones = AuxiliaryTable(index: 0, name: "tombstones")
    /// The latest server state of each record.
    package static let serverStates = AuxiliaryTable(index: 1, name: "server_states")

    /// The latest note of each name.
    package static let notes = AuxiliaryTable(index: 2, name: "notes")

    package static let builtIn = [tombstones, serverStates, notes]

    /// Calls `body` with the key of a record in these tables. The key consists of the model's number and the record's
    /// primary key.
    @inline(__always)
    static func withKey<Result>(
        _ model: UInt32, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withUnsafeTemporaryAllocation(byteCount: 4 + Limits.keyByteCount, alignment: 8) { buffer in
            buffer.storeBytes(of: model.bigEndian, as: UInt32.self)
            UnsafeMutableRawBufferPointer(rebasing: buffer[4...]).copyMemory(from: key)
            return try body(UnsafeRawBufferPointer(rebasing: buffer[..<(4 + key.count)]))
        }
    }
}

extension AdapterReader {
    /// The last event of a record that has no row, 0 if there is none.
    func tombstone(_ model: UInt32, _ key: UnsafeRawBufferPointer) throws -> UInt64 {
        try AuxiliaryTable.withKey(model, key) { key in
            guard let value = try auxiliaryValue(key, in: .tombstones) else { return 0 }
            guard value.count == 8, let base = value.baseAddress else { throw RowDamage("a tombstone is not 8 bytes") }
            return UnsafeRawPointer(base).load(0, as: UInt64.self)
        }
    }
}

extension AdapterTransaction {
    func putTombstone(_ sequence: UInt64, _ model: UInt32, _ key: UnsafeRawBufferPointer) throws {
        try AuxiliaryTable.withKey(model, key) { key in
            try withUnsafeBytes(of: sequence.littleEndian) { try putAuxiliary(key, $0, in: .tombstones) }
        }
    }

    func deleteTombstone(_ model: UInt32, _ key: UnsafeRawBufferPointer) throws {
        try AuxiliaryTable.withKey(model, key) { try deleteAuxiliary($0, in: .tombstones) }
    }
}
