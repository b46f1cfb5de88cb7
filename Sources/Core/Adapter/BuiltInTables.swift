/// The auxiliary tables of every store. They come before the tables of registered projections.
package enum BuiltInTables {
    /// The last event of each record that has no row, so that the history of the record continues from it.
    package static let tombstones = AuxiliaryTable(index: 0, name: "tombstones")
    /// The latest server state of each record.
    package static let serverStates = AuxiliaryTable(index: 1, name: "server_states")

    /// The latest note of each name.
    package static let notes = AuxiliaryTable(index: 2, name: "notes")

    package static let all = [tombstones, serverStates, notes]

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
        try BuiltInTables.withKey(model, key) { key in
            guard let value = try auxiliaryValue(key, in: BuiltInTables.tombstones) else { return 0 }
            guard value.count == 8, let base = value.baseAddress else { throw RowDamage("a tombstone is not 8 bytes") }
            return UnsafeRawPointer(base).load(0, as: UInt64.self)
        }
    }
}

extension AdapterTransaction {
    func putTombstone(_ sequence: UInt64, _ model: UInt32, _ key: UnsafeRawBufferPointer) throws {
        try BuiltInTables.withKey(model, key) { key in
            try withUnsafeBytes(of: sequence.littleEndian) { try putAuxiliary(key, $0, in: BuiltInTables.tombstones) }
        }
    }

    func deleteTombstone(_ model: UInt32, _ key: UnsafeRawBufferPointer) throws {
        try BuiltInTables.withKey(model, key) { try deleteAuxiliary($0, in: BuiltInTables.tombstones) }
    }
}
