internal import Tidelog
internal import TidelogServer

/// The store that a server keeps its records in.
struct ServedStore {
    let store: DataStore
    /// The changes from the schema that the store was served with last.
    let changes: [SchemaChange]
    /// The renamings that this start did.
    let renamed: [String]
    /// The changes that look like renames.
    let suspectedRenamings: [SuspectedRenaming]

    private init(_ store: DataStore, _ difference: SchemaDifference? = nil, renamed: [String] = []) {
        self.store = store
        self.renamed = renamed
        changes = difference?.changes ?? []
        suspectedRenamings = difference?.suspectedRenamings ?? []
    }

    /// Opens the store for the API, or creates it. A changed schema is taken over if no record loses anything, and no
    /// record uses a model, case or required field that the schema removes. The renamings come first.
    ///
    /// - Throws: ``CommandFailure`` with status 2 if the store is not a server's, and 1 if the server refuses the schema;
    ///   ``DataStoreError`` if the store was served with the other kind of API.
    static func open(
        _ access: StoreAccess, for api: API, _ renamings: Renamings, _ console: Console
    ) async throws -> ServedStore {
        let schema = ServerModels.adding(to: api.storedSchema)
        guard try access.exists() else {
            return ServedStore(try access.openForWriting(schema: schema, console: console))
        }
        let stored = try access.describe().schema
        guard ServerModels.areIn(stored.declared) else {
            throw CommandFailure(
                .usage, "configurationMismatch", "The store at \(access.path) is an app's, not a server's.",
                recovery: "Name another directory: `tidelog serve` creates the server's own store there.")
        }
        let plan = try await renamings.plan(for: stored, in: access)
        try plan.requireNewNames(in: schema)
        let change = try await ServedSchemaChange(of: access, from: plan.after.declared, to: schema, after: plan)
        guard change.refusals.isEmpty else { throw change.refusal }
        // Only a change of the schema writes before the server checks the kind itself. A second opening has a cost: after a
        // kill it reads the end of the log again.
        if change.openingSchema != stored.declared {
            try await access.openForReading().closing { try await ServerModels.require(api.kind, in: $0) }
        }
        let store = try access.openForWriting(
            schema: change.openingSchema, migrations: plan.migrations, console: console)
        do {
            let before = try await servedBefore(store, api.kind, plan) ?? plan.after.declared
            return ServedStore(store, SchemaDifference(from: before, to: schema), renamed: plan.due)
        } catch {
            try? await store.close()
            throw error
        }
    }

    /// The schema that the store was served with last, after the renamings of `plan`. The store's own schema still contains
    /// parts that were removed earlier.
    private static func servedBefore(
        _ store: DataStore, _ kind: APIKind, _ plan: Renamings.Plan
    ) async throws -> Schema? {
        guard let source = try await ServerModels.source(in: store),
            let api = try? API(SchemaDocument(sdl: Array(source.utf8)), kind)
        else { return nil }
        return StoredSchema(first: ServerModels.adding(to: api.storedSchema)).renamed(by: plan.migrations).declared
    }
}
