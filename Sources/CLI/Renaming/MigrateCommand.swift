internal import Tidelog
internal import TidelogCore
internal import TidelogJSON
internal import TidelogServer

/// Renames models and fields in a store.
struct MigrateCommand: Command {
    static let syntax = CommandSyntax(
        name: "migrate", summary: "rename models and fields of a store, with all their records",
        discussion: """
            The records and their history stay as they are; only names change. Without --schema the schema of the
            store gets the new names. With --schema the store takes over the schema of the file at the same time.
            A renaming that the store did already changes nothing. An app that opens the store needs no migration
            after that; one with the same migration in Swift knows that it is done.
            """,
        options: [
            .store, Renamings.option,
            Option(
                name: "schema", value: "FILE", help: "the schema with the new names, in the GraphQL schema language"),
        ],
        examples: [
            .init("A model has a better name", "migrate --store ./hikes --rename Hiker=Walker"),
            .init(
                "A field too, and the new schema",
                "migrate --store ./hikes --rename Hiker=Walker "
                    + "--rename Walker.name=Walker.fullName --schema schema.graphql"),
        ])

    private let access: StoreAccess
    private let renamings: Renamings
    private let schemaPath: String?

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        renamings = try Renamings(arguments)
        schemaPath = arguments.text("schema")
        guard !renamings.isEmpty else { throw UsageError("migrate needs --rename OLD=NEW.") }
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let next = try schemaPath.map { try SchemaFile.read($0) }
        let stored = try access.describe().schema
        if next != nil, ServerModels.areIn(stored.declared) {
            throw CommandFailure(
                .usage, "configurationMismatch", "The store at \(access.path) is a server's.",
                recovery: "Leave --schema out, or rename when the server starts: `tidelog serve SCHEMA --rename …`.")
        }
        let plan = try await renamings.plan(for: stored, in: access)
        if let next { try plan.requireNewNames(in: next) }
        if !plan.due.isEmpty || next != nil {
            let store = try access.openForWriting(
                schema: next ?? plan.after.declared, migrations: plan.migrations, console: console)
            try await store.close()
        }
        let version = try access.describe().schema.version
        if console.isJSON {
            try console.output.writeObject { writer in
                writer.texts("renamed", plan.due)
                writer.texts("renamedBefore", plan.done)
                writer.member("schemaVersion", version)
            }
        } else {
            for text in plan.done { console.success("\(text) was done before.") }
            for text in plan.due { console.success("Renamed: \(text)") }
        }
        return .done
    }
}

extension Renamings.Plan {
    /// Checks that `schema` has the new names.
    ///
    /// - Throws: ``CommandFailure`` with status 2 that names the first one that is missing.
    func requireNewNames(in schema: Schema) throws {
        for (model, field) in newNames {
            // A later renaming may have changed the name of the model again.
            guard let stored = after.declared.model(named: model) else { continue }
            let missing =
                schema.model(named: model) == nil
                ? "model \(model)"
                : field.flatMap { name in
                    stored.field(named: name) != nil && schema.model(named: model)?.field(named: name) == nil
                        ? "field \(model).\(name)" : nil
                }
            guard let missing else { continue }
            throw CommandFailure(
                .usage, "invalidSchema", "The schema has no \(missing), which --rename names.",
                recovery: "Give the schema with the new names. Nothing was changed.")
        }
    }
}
