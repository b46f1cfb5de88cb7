/// Reads the facts from which a sync engine decides, inside a write, which events to append.
extension StoreTransaction {
    /// The latest server state of the record of the model called `name` that has `id`, `nil` if there is none.
    ///
    /// - Throws: ``DataStoreError`` with code `unknownModel`.
    package func serverState(of name: String, id: RecordID) throws -> ServerState? {
        let model = try model(named: name)
        return try model.withKey(of: id) { try serverTables().serverState(model.number, $0) }
    }

    /// The event that contains the result of ``serverState(of:id:)``, `nil` if there is none.
    package func serverStateSequence(of name: String, id: RecordID) throws -> SequenceNumber? {
        let model = try model(named: name)
        return try model.withKey(of: id) { try serverTables().serverStateEntry(model.number, $0)?.sequence }
    }

    /// The last event that changed the row of the record of the model called `name` that has `id`; zero if there is none.
    ///
    /// - Throws: ``DataStoreError`` with code `unknownModel`.
    package func latestSequence(of name: String, id: RecordID) throws -> SequenceNumber {
        requireOpen()
        let model = try model(named: name)
        return try model.withKey(of: id) { key in
            if let index = staged.latest(of: key, model: model.number) {
                return SequenceNumber(staged.sequence(at: index))
            }
            return SequenceNumber(try rows.latest(key, in: model).sequence)
        }
    }

    /// The value of the note called `name`, `nil` if there is none.
    package func note(_ name: String) throws -> [UInt8]? { try serverTables().note(name) }

    /// Calls `body` with each note whose name begins with `prefix`, in the order of the names' bytes, until it returns
    /// false.
    package func forEachNote(prefix: String = "", _ body: (SyncNote) throws -> Bool) throws {
        try serverTables().forEachNote(prefix: prefix, body)
    }

    /// The transaction of the rows with all staged changes.
    private func serverTables() throws -> any AdapterReader {
        requireOpen()
        return try rows.applyStaged()
    }
}

extension StoreSnapshot {
    /// The latest server state of the record of the model called `name` that has `id`, `nil` if there is none.
    ///
    /// - Throws: ``DataStoreError`` with code `unknownModel`.
    package func serverState(of name: String, id: RecordID) throws -> ServerState? {
        let model = try layout.required(name)
        return try model.withKey(of: id) { try reader.serverState(model.number, $0) }
    }

    /// The event that contains the result of ``serverState(of:id:)``, `nil` if there is none.
    package func serverStateSequence(of name: String, id: RecordID) throws -> SequenceNumber? {
        let model = try layout.required(name)
        return try model.withKey(of: id) { try reader.serverStateEntry(model.number, $0)?.sequence }
    }

    /// The value of the note called `name`, `nil` if there is none.
    package func note(_ name: String) throws -> [UInt8]? { try reader.note(name) }

    /// The event that contains the result of ``note(_:)``, `nil` if there is none.
    package func noteSequence(_ name: String) throws -> SequenceNumber? {
        var name = name
        return try name.withUTF8 { try reader.noteEntry(UnsafeRawBufferPointer($0))?.sequence }
    }

    /// Calls `body` with each note whose name begins with `prefix`, in the order of the names' bytes, until it returns
    /// false.
    package func forEachNote(prefix: String = "", _ body: (SyncNote) throws -> Bool) throws {
        try reader.forEachNote(prefix: prefix, body)
    }
}
