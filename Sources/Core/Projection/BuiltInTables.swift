/// The auxiliary tables that every store has, before those of registered projections.
enum BuiltInTables {
    /// The last event of records that have no row: where their history goes on.
    static let tombstones = AuxiliaryTable(index: 0, name: "tombstones")
    /// What the server said last about each record.
    static let serverStates = AuxiliaryTable(index: 1, name: "server_states")

    static let all = [tombstones, serverStates]

    /// Calls `body` with the key that a record has in these tables: its model's number, then its primary key.
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

extension StorageReader {
    /// The last event of a record that has no row, 0 where it has none.
    func tombstone(_ model: UInt32, _ key: UnsafeRawBufferPointer) throws -> UInt64 {
        try BuiltInTables.withKey(model, key) { key in
            guard let value = try auxiliaryValue(key, in: BuiltInTables.tombstones) else { return 0 }
            guard value.count == 8, let base = value.baseAddress else { throw RowDamage("a tombstone is not 8 bytes") }
            return UnsafeRawPointer(base).load(0, as: UInt64.self)
        }
    }

    /// What the server said last about a record, `nil` where it said nothing.
    func serverState(_ model: UInt32, _ key: UnsafeRawBufferPointer) throws -> ServerState? {
        try BuiltInTables.withKey(model, key) { key in
            guard let value = try auxiliaryValue(key, in: BuiltInTables.serverStates) else { return nil }
            guard let entry = ServerStateEntry(encoded: value) else {
                throw RowDamage("a server state does not decode")
            }
            return entry.state
        }
    }

    /// What the server said last about a record and the event that said it, `nil` where it said nothing.
    func serverStateEntry(_ model: UInt32, _ key: UnsafeRawBufferPointer) throws -> ServerStateEntry? {
        try BuiltInTables.withKey(model, key) { key in
            guard let value = try auxiliaryValue(key, in: BuiltInTables.serverStates) else { return nil }
            guard let entry = ServerStateEntry(encoded: value) else {
                throw RowDamage("a server state does not decode")
            }
            return entry
        }
    }
}

/// An entry of the table of server states (FORMATS, section 7.5): the state and the event that told it.
struct ServerStateEntry {
    let state: ServerState
    let sequence: SequenceNumber

    init(_ state: ServerState, _ sequence: SequenceNumber) {
        self.state = state
        self.sequence = sequence
    }

    init?(encoded value: UnsafeRawBufferPointer) {
        let stateByteCount = EventFormat.serverSectionByteCount
        guard value.count == stateByteCount + 8, let base = value.baseAddress,
            let state = ServerState(encoded: UnsafeRawBufferPointer(rebasing: value[..<stateByteCount]))
        else { return nil }
        self.init(state, SequenceNumber(UnsafeRawPointer(base).load(stateByteCount, as: UInt64.self)))
    }

    var encoded: [UInt8] { state.encoded + sequence.value.littleEndianBytes }
}

extension StorageTransaction {
    func putTombstone(_ sequence: UInt64, _ model: UInt32, _ key: UnsafeRawBufferPointer) throws {
        try BuiltInTables.withKey(model, key) { key in
            try withUnsafeBytes(of: sequence.littleEndian) { try putAuxiliary(key, $0, in: BuiltInTables.tombstones) }
        }
    }

    func deleteTombstone(_ model: UInt32, _ key: UnsafeRawBufferPointer) throws {
        try BuiltInTables.withKey(model, key) { try deleteAuxiliary($0, in: BuiltInTables.tombstones) }
    }

    func putServerState(_ entry: ServerStateEntry, _ model: UInt32, _ key: UnsafeRawBufferPointer) throws {
        try BuiltInTables.withKey(model, key) { key in
            try entry.encoded.withUnsafeBytes { try putAuxiliary(key, $0, in: BuiltInTables.serverStates) }
        }
    }

    func deleteServerState(_ model: UInt32, _ key: UnsafeRawBufferPointer) throws {
        try BuiltInTables.withKey(model, key) { try deleteAuxiliary($0, in: BuiltInTables.serverStates) }
    }
}
