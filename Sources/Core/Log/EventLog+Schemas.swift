internal import TidelogLMDB

extension EventLog {
    /// All schemas of the log, the oldest first.
    func schemas() throws -> [StoredSchema] {
        try withReader { reader in
            try reader.schemaSequences().map { version, sequence in
                guard let event = try reader.event(at: sequence), event.kind == .schemaChanged else {
                    throw DataStoreError.damagedLog(
                        "has no schema at event \(sequence), where its index says there is one")
                }
                let schema = try SchemaCoding.decode(event.payload)
                guard schema.version == version else {
                    throw DataStoreError.damagedLog("has another schema at event \(sequence)")
                }
                return schema
            }
        }
    }

    /// Appends `schema` as a separate commit.
    ///
    /// - Parameter isMigrating: Whether records must be rewritten for this schema.
    func appendSchema(_ schema: StoredSchema, isMigrating: Bool = false) throws {
        let staged = StagedEvents()
        staged.begin(after: head, wallClock: WallClock.microsecondsSince1970(), incarnation: metadata.incarnation)
        staged.beginCommit()
        let index = try staged.stage(
            nil, key: nil, header: EventHeader(kind: .schemaChanged, schemaVersion: schema.version),
            payload: SchemaCoding.encode(schema))
        staged.noteSchema(version: schema.version, at: index)
        do throws(AppendFailure) {
            let sealed = SealedEvents(sealing: staged, commitEnds: [staged.count])
            try append(sealed) { metadata in
                guard isMigrating else { return }
                metadata.migration = MigrationMark(schemaVersion: schema.version, sequence: sealed.end.sequence)
            }
        } catch {
            throw error.cause
        }
    }
}
