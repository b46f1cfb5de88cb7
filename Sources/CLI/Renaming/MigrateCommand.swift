internal import Tidelog
internal import TidelogCore
internal import TidelogJSON
internal import TidelogServer

/// Renames models and fields in a store, or copies everything that a server keeps between a store and a database.
struct MigrateCommand: Command {
    static let syntax = CommandSyntax(
        name: "migrate", summary: "rename models and fields of a store, or copy a server's data to a database and back",
        discussion: """
            With --rename the records and their history stay as they are; only names change. Without --schema the schema of the
            store gets the new names. With --schema the store takes over the schema of the file at the same time.
            A renaming that the store did already changes nothing. An app that opens the store needs no migration
            after that; one with the same migration in Swift knows that it is done.
            With --from and --to everything that a server keeps is copied between a store and a PostgreSQL database:
            records with versions and times, deleted records, and the ids of mutations. The clients of the server go on.
            Stop the servers first. Killed or interrupted, a copy goes on if it is run again; until it is complete, no
            server starts over it. A place with other content is refused.
            """,
        options: [
            .store.or(ServedDataCopy.options[0]), Renamings.option,
            Option(
                name: "schema", value: "FILE", help: "the schema with the new names, in the GraphQL schema language"),
        ] + ServedDataCopy.options + [
            Option(name: "adapter", value: "lmdb|sqlite", help: "the engine that keeps the rows of a new store (lmdb)"),
            Option(name: "durability", value: "full|relaxed", help: "the durability of a new store (full)"),
        ],
        examples: [
            .init("A model has a better name", "migrate --store ./hikes --rename Hiker=Walker"),
            .init(
                "A field too, and the new schema",
                "migrate --store ./hikes --rename Hiker=Walker "
                    + "--rename Walker.name=Walker.fullName --schema schema.graphql"),
            .init(
                "A server moves from its store to PostgreSQL",
                "migrate --from ./served --to postgres://tidelog@db.example/app"),
            .init("And back", "migrate --from postgres://tidelog@db.example/app --to ./served-again"),
        ])

    private enum Work {
        case renaming(StoreAccess, Renamings, schemaPath: String?)
        case copying(ServedDataCopy)
    }

    private let work: Work

    init(_ arguments: Arguments) throws {
        if let copy = try ServedDataCopy(arguments) {
            guard !arguments.has("store") else {
                throw UsageError("--store names the store to rename in, and --from and --to copy. Use two commands.")
            }
            work = .copying(copy)
            return
        }
        let renamings = try Renamings(arguments)
        guard !renamings.isEmpty else {
            throw UsageError("migrate needs --rename OLD=NEW, or --from PLACE and --to PLACE.")
        }
        work = .renaming(try StoreAccess(arguments), renamings, schemaPath: arguments.text("schema"))
    }

    func run(_ console: Console) async throws -> ExitStatus {
        switch work {
        case .copying(let copy): try await copy.run(console)
        case .renaming(let access, let renamings, let schemaPath):
            try await rename(in: access, renamings, schemaPath, console)
        }
    }

    private func rename(
        in access: StoreAccess, _ renamings: Renamings, _ schemaPath: String?, _ console: Console
    ) async throws -> ExitStatus {
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
