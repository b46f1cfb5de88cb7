internal import Tidelog
internal import TidelogPostgres
internal import TidelogServer
internal import TidelogSynchronization

/// The database that a server keeps its records in. Any number of servers may share it.
struct ServedDatabase {
    static let option = Option(
        name: "database", value: "URL",
        help: "keep the records in this PostgreSQL database, which several servers may share")

    let versions: PostgresVersionedStore
    /// The changes from the schema that the database was served with last.
    let changes: SchemaDifference?

    /// Opens the database for the API, and creates or changes its tables. A changed schema is taken over by the rules of a
    /// store.
    ///
    /// - Throws: ``CommandFailure`` with status 1 if the database cannot be reached or the server refuses the schema.
    static func open(
        _ address: String, for api: API, source: String, tombstoneAge: Int64
    ) async throws -> ServedDatabase {
        let difference = Mutex<SchemaDifference?>(nil)
        let versions = try await PostgresVersionedStore(
            DatabaseAddress(address), schema: api.storedSchema, source: source, kind: api.kind,
            tombstoneAge: tombstoneAge,
            admit: { before, records in
                let stored = try API(SchemaDocument(sdl: Array(before.utf8)), api.kind).storedSchema
                let change = try ServedSchemaChange(
                    from: stored, to: api.storedSchema, in: DatabaseRecordSource(records: records, schema: stored))
                guard change.refusals.isEmpty else { throw change.refusal }
                difference.withLock { $0 = SchemaDifference(from: stored, to: api.storedSchema) }
            })
        return ServedDatabase(versions: versions, changes: difference.withLock { $0 })
    }
}
