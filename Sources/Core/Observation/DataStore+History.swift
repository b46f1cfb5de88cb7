extension DataStore {
    /// The history of a record: its events, with its values and their times, also across deletions.
    ///
    /// ```swift
    /// for event in try await store.history(of: Note.self, id: "1").events { print(event.sequence, event.changedFields) }
    /// ```
    ///
    /// The time to read does not depend on the length of the log: this method reads one event for each change of the record.
    ///
    /// - Parameter limit: The largest number of events to return. The latest events are returned.
    /// - Throws: ``DataStoreError``: `unknownModel`, `invalidValue` if `id` does not fit the model's key, `logDamaged`,
    ///   `projectionUnavailable`, `closed`.
    public func history<Value: Model>(
        of type: Value.Type, id: ModelID<Value>, limit: Int = .max
    ) async throws -> RecordHistory {
        let log = try followedLog()
        return try history(of: log.layout.model(of: type), id.recordID, limit, log)
    }

    /// The events of the record with `id` of the model called `name`, like ``history(of:id:limit:)-(Value.Type,_,_)``.
    package func history(of name: String, id: RecordID, limit: Int = .max) async throws -> RecordHistory {
        let log = try followedLog()
        return try history(of: log.layout.required(name), id, limit, log)
    }

    private func history(
        of model: ModelLayout, _ id: RecordID, _ limit: Int, _ log: FollowedLog
    ) throws -> RecordHistory {
        precondition(limit >= 0, "a limit is not negative")
        return try log.readMatching { rows, reader in
            let last = try model.withKey(of: id) { key in
                try rows.get(key, in: model)?.sequence ?? SequenceNumber(rows.tombstone(model.number, key))
            }
            // Without a row and a tombstone, the record never existed, or its tombstone was dropped together with all earlier
            // events.
            if last == .zero { return RecordHistory(events: [], isComplete: try reader.metadata().floor == .start) }
            return try reader.history(endingAt: last, limit: limit) { try log.event($0, find: reader.event) }
        }
    }
}
