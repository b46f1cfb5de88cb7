extension ServerState {
    /// An entry of the table of server states (FORMATS, section 7.5): the state, and the event that contains it.
    package struct Entry {
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

        /// Decodes a value of the table.
        fileprivate init(stored value: UnsafeRawBufferPointer) throws(RowDamage) {
            guard let entry = Self(encoded: value) else { throw RowDamage("a server state does not decode") }
            self = entry
        }

        var encoded: [UInt8] {
            var bytes = state.encoded
            bytes.append(littleEndian: sequence.value)
            return bytes
        }
    }

    /// Decodes the bytes of the section (FORMATS, section 3), or returns `nil` if they are not a state.
    init?(encoded bytes: UnsafeRawBufferPointer) {
        guard bytes.count == EventFormat.serverSectionByteCount, let base = bytes.baseAddress else { return nil }
        let pointer = UnsafeRawPointer(base)
        let version = { (offset: Int) -> UInt64? in
            let value = pointer.load(offset, as: UInt64.self)
            return value == .max ? nil : value
        }
        self.init(
            baseVersion: version(0), version: version(8), lastChangedAt: pointer.load(16, as: Int64.self),
            isDeleted: pointer.load(24, as: UInt8.self) != 0)
    }

    /// The section's bytes (FORMATS, section 3).
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        // An entry adds the number of an event.
        bytes.reserveCapacity(EventFormat.serverSectionByteCount + 8)
        bytes.append(littleEndian: baseVersion ?? .max)
        bytes.append(littleEndian: version ?? .max)
        bytes.append(littleEndian: lastChangedAt)
        bytes.append(littleEndian: UInt32(isDeleted ? 1 : 0))
        return bytes
    }
}

extension AdapterReader {
    /// The server's latest state of a record, or `nil` if there is none.
    func serverState(_ model: UInt32, _ key: UnsafeRawBufferPointer) throws -> ServerState? {
        try serverStateEntry(model, key)?.state
    }

    /// The server's latest state of a record with the event that contains it, or `nil` if there is none.
    package func serverStateEntry(_ model: UInt32, _ key: UnsafeRawBufferPointer) throws -> ServerState.Entry? {
        try AuxiliaryTable.withKey(model, key) { key in
            try auxiliaryValue(key, in: .serverStates).map { try ServerState.Entry(stored: $0) }
        }
    }
}

extension AdapterReader {
    /// Passes the keys and the server states of the records of a model to `body`, in the order of the keys.
    func forEachServerState(
        _ model: UInt32, _ body: (UnsafeRawBufferPointer, ServerState.Entry) throws -> Void
    ) throws {
        let prefix = withUnsafeBytes(of: model.bigEndian) { Array($0) }
        try auxiliaryEntries(after: prefix, in: .serverStates) { key, value in
            guard key.starts(with: prefix) else { return false }
            try body(UnsafeRawBufferPointer(rebasing: key[prefix.count...]), ServerState.Entry(stored: value))
            return true
        }
    }
}

extension AdapterTransaction {
    /// Applies the server state or the note in `event`.
    func updateServerTables(with event: EventView) throws {
        switch event.kind {
        case .received, .acknowledged:
            guard let state = event.serverState else { return }
            try putServerState(ServerState.Entry(state, event.sequence), event.modelNumber, event.key)
        case .leftScope: try deleteServerState(event.modelNumber, event.key)
        case .noted: try putNote(of: event)
        case .saved, .deleted, .rejected, .schemaChanged: break
        }
    }

    func putServerState(_ entry: ServerState.Entry, _ model: UInt32, _ key: UnsafeRawBufferPointer) throws {
        try AuxiliaryTable.withKey(model, key) { key in
            try entry.encoded.withUnsafeBytes { try putAuxiliary(key, $0, in: .serverStates) }
        }
    }

    func deleteServerState(_ model: UInt32, _ key: UnsafeRawBufferPointer) throws {
        try AuxiliaryTable.withKey(model, key) { try deleteAuxiliary($0, in: .serverStates) }
    }
}
