/// An entry of the table of server states (FORMATS, section 7.5): the state, and the event that contains it.
package struct ServerStateEntry {
    package let state: ServerState
    package let sequence: SequenceNumber

    init(_ state: ServerState, _ sequence: SequenceNumber) {
        self.state = state
        self.sequence = sequence
    }

    package init?(encoded value: UnsafeRawBufferPointer) {
        let stateByteCount = EventFormat.serverSectionByteCount
        guard value.count == stateByteCount + 8, let base = value.baseAddress,
            let state = ServerState(encoded: UnsafeRawBufferPointer(rebasing: value[..<stateByteCount]))
        else { return nil }
        self.init(state, SequenceNumber(UnsafeRawPointer(base).load(stateByteCount, as: UInt64.self)))
    }

    var encoded: [UInt8] { state.encoded + sequence.value.littleEndianBytes }
}

extension AdapterReader {
    /// The server's latest state of a record, or `nil` if there is none.
    func serverState(_ model: UInt32, _ key: UnsafeRawBufferPointer) throws -> ServerState? {
        try serverStateEntry(model, key)?.state
    }

    /// The server's latest state of a record with the event that contains it, or `nil` if there is none.
    package func serverStateEntry(_ model: UInt32, _ key: UnsafeRawBufferPointer) throws -> ServerStateEntry? {
        try BuiltInTables.withKey(model, key) { key in
            guard let value = try auxiliaryValue(key, in: BuiltInTables.serverStates) else { return nil }
            guard let entry = ServerStateEntry(encoded: value) else {
                throw RowDamage("a server state does not decode")
            }
            return entry
        }
    }
}

extension AdapterTransaction {
    /// Applies the server state or the note in `event`.
    func updateServerTables(with event: EventView) throws {
        switch event.kind {
        case .received, .acknowledged:
            guard let state = event.serverState else { return }
            try putServerState(ServerStateEntry(state, event.sequence), event.modelNumber, event.key)
        case .leftScope: try deleteServerState(event.modelNumber, event.key)
        case .noted: try putNote(of: event)
        case .saved, .deleted, .rejected, .schemaChanged: break
        }
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
