internal import Tidelog
internal import TidelogServer

/// The store that a server keeps its records in.
struct ServedStore {
    let store: DataStore
    /// What changed of the schema that the store had before.
    let changes: [SchemaChange]

    /// Opens the store for the API, or creates it. A changed schema is taken over if no record loses anything.
    ///
    /// - Throws: ``CommandFailure`` with status 2 if the store is no server's, 1 if it refuses the schema.
    static func open(_ access: StoreAccess, for api: API, _ console: Console) throws -> ServedStore {
        let schema = ServerModels.adding(to: api.storedSchema)
        var changes: [SchemaChange] = []
        if try access.exists() {
            let stored = try access.describe().schema.declared
            guard ServerModels.areIn(stored) else {
                throw CommandFailure(
                    .usage, "configurationMismatch", "The store at \(access.path) is an app's, not a server's.",
                    recovery: "Name another directory: `tidelog serve` creates the server's own store there.")
            }
            changes = try changesTaken(from: stored, to: schema)
        }
        return ServedStore(store: try access.openForWriting(schema: schema, console: console), changes: changes)
    }

    private static func changesTaken(from stored: Schema, to schema: Schema) throws -> [SchemaChange] {
        let status = SchemaStatus(of: stored, under: schema)
        guard !status.isRefused else {
            let refused = SchemaDifference(from: stored, to: schema).changes.filter { !$0.isLossless }
            throw CommandFailure(
                .failed, "invalidSchema",
                "The store refuses the schema: \(refused.map { "\($0)" }.joined(separator: "; ")).",
                recovery: "Change the schema so that nothing stored is lost; nothing was changed.")
        }
        return status.models.flatMap(\.changes)
    }
}
