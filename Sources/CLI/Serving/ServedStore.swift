internal import Tidelog
internal import TidelogServer

/// The store that a server keeps its records in.
struct ServedStore {
    let store: DataStore
    /// The changes from the schema that the store was served with last.
    let changes: [SchemaChange]

    /// Opens the store for the API, or creates it. A changed schema is taken over if no record loses anything, and no
    /// record uses a model, case or required field that the schema removes.
    ///
    /// - Throws: ``CommandFailure`` with status 2 if the store is not a server's, and 1 if the server refuses the schema.
    static func open(_ access: StoreAccess, for api: API, _ console: Console) async throws -> ServedStore {
        let schema = ServerModels.adding(to: api.storedSchema)
        guard try access.exists() else {
            return ServedStore(store: try access.openForWriting(schema: schema, console: console), changes: [])
        }
        let stored = try access.describe().schema.declared
        guard ServerModels.areIn(stored) else {
            throw CommandFailure(
                .usage, "configurationMismatch", "The store at \(access.path) is an app's, not a server's.",
                recovery: "Name another directory: `tidelog serve` creates the server's own store there.")
        }
        let change = try await ServedSchemaChange(of: access, from: stored, to: schema)
        guard change.refusals.isEmpty else {
            throw CommandFailure(
                .failed, "invalidSchema",
                "The server refuses the schema: \(change.refusals.joined(separator: "; ")).",
                recovery: "Keep in the schema what records use, or change these records first. Nothing was changed.")
        }
        let store = try access.openForWriting(schema: change.openingSchema, console: console)
        do {
            let before = try await servedBefore(store) ?? stored
            return ServedStore(store: store, changes: SchemaDifference(from: before, to: schema).changes)
        } catch {
            try? await store.close()
            throw error
        }
    }

    /// The schema that the store was served with last. The store's own schema still contains parts that were removed earlier.
    private static func servedBefore(_ store: DataStore) async throws -> Schema? {
        guard let source = try await ServerModels.source(in: store),
            let api = try? API(SchemaDocument(sdl: Array(source.utf8)))
        else { return nil }
        return ServerModels.adding(to: api.storedSchema)
    }
}
