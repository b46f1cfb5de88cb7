internal import Tidelog
internal import TidelogJSON

/// Creates an empty store.
struct InitCommand: Command {
    static let syntax = CommandSyntax(
        name: "init", summary: "create an empty store",
        options: Option.forStore + [
            Option(name: "schema", value: "FILE", help: "the models, in the GraphQL schema language", isRequired: true)
        ],
        examples: [
            .init("A store for the models of a schema", "init --store ./world --schema schema.graphql"),
            .init(
                "Rows in SQLite, readable by any SQLite tool",
                "init --store ./world-sqlite --schema schema.graphql --adapter sqlite"),
        ])

    private let access: StoreAccess
    private let schemaPath: String

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        schemaPath = try arguments.required("schema")
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let schema = try SchemaFile.read(schemaPath)
        guard try !access.exists() else {
            throw CommandFailure(
                .failed, "alreadyExists", "There is a store at \(access.path) already.",
                recovery: "Choose another directory, or change the schema of this store with `tidelog import --schema`."
            )
        }
        let store = try access.openForWriting(schema: schema, console: console)
        try await store.close()
        let description = try access.describe()
        if console.isJSON {
            try console.output.writeObject { writer in
                writer.member("store", access.path)
                writer.member("adapter", description.adapter)
                writer.member("durability", description.durability.name)
                writer.member("models", schema.models.count)
            }
        } else {
            let names = schema.models.map(\.name).joined(separator: ", ")
            console.success(
                "Created \(console.shownInMessage(access.path)): \(description.adapter), "
                    + "\(description.durability.name); \(names).")
        }
        return .done
    }
}
