extension DataStore {
    /// The events of the record of `type` whose key is the text `id`: what it was and when, also across deletions.
    ///
    /// ```swift
    /// for event in try await store.history(of: Note.self, id: "1").events { print(event.sequence, event.changedFields) }
    /// ```
    ///
    /// Reads one event for each change of the record, however long the log is.
    ///
    /// - Parameter limit: How many events to return at most, the latest ones.
    /// - Throws: ``DataStoreError``: `unknownModel`, `invalidValue` if the model's key is not one text, `logDamaged`,
    ///   `projectionUnavailable`, `closed`.
    public func history<Value: Model>(
        of type: Value.Type, id: String, limit: Int = .max
    ) async throws -> RecordHistory {
        try await history(of: type, recordID: RecordID(id), limit: limit)
    }

    /// The events of the record of `type` that has `id`, as ``history(of:id:limit:)-(Value.Type,String,_)``.
    public func history<Value: Model>(
        of type: Value.Type, id: ModelID<Value>, limit: Int = .max
    ) async throws -> RecordHistory {
        try await history(of: type, recordID: id.recordID, limit: limit)
    }

    /// The events of the record of the model called `name` that has `id`, as
    /// ``history(of:id:limit:)-(Value.Type,String,_)``.
    public func history(of name: String, id: RecordID, limit: Int = .max) async throws -> RecordHistory {
        let log = try followedLog()
        return try history(of: log.layout.required(name), id, limit, log)
    }

    private func history<Value: Model>(
        of type: Value.Type, recordID: RecordID, limit: Int
    ) async throws -> RecordHistory {
        let log = try followedLog()
        return try history(of: log.layout.model(of: type), recordID, limit, log)
    }

    private func history(
        of model: ModelLayout, _ id: RecordID, _ limit: Int, _ log: FollowedLog
    ) throws -> RecordHistory {
        precondition(limit >= 0, "a limit is not negative")
        return try log.readMatching { rows, reader in
            let last = try model.withKey(of: id) { key in
                try rows.get(key, in: model)?.sequence ?? SequenceNumber(rows.tombstone(model.number, key))
            }
            // Without row and tombstone the record never was, or its tombstone was dropped with all that came before it.
            if last == .zero { return RecordHistory(events: [], isComplete: try reader.metadata().floor == .start) }
            return try reader.history(endingAt: last, limit: limit) { try log.event($0, find: reader.event) }
        }
    }
}
