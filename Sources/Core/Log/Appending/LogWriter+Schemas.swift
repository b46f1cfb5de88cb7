extension LogWriter {
    /// Appends `schema` as a separate commit.
    ///
    /// - Parameter isMigrating: Whether records must be rewritten for this schema.
    func appendSchema(_ schema: StoredSchema, isMigrating: Bool = false) throws {
        let staged = StagedEvents()
        staged.begin(
            after: log.head, wallClock: WallClock.microsecondsSince1970(), incarnation: log.metadata.incarnation)
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
