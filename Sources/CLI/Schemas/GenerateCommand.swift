internal import Tidelog
internal import TidelogJSON
internal import TidelogModelgen
internal import TidelogRecordText

/// Writes the Swift models of a schema.
struct GenerateCommand: Command {
    static let syntax = CommandSyntax(
        name: "generate", summary: "write the Swift models of a schema",
        discussion: """
            One file for each type, and one for the schema. Only what changed is written. Files that were
            generated from the same schema for types that are gone are removed; others are left alone.
            Options that always hold go into a file beside the schema (blog.modelgen for blog.graphql),
            in lines like "access: internal"; the command line goes before them.
            """,
        operands: [
            .init(name: "SCHEMA", help: "a file in the GraphQL schema language, or Amplify's amplify_outputs.json")
        ],
        options: [
            Option(name: "output", value: "DIR", help: "where the files go; made if it is not there", isRequired: true),
            Option(name: "schema-name", value: "NAME", help: "the name of the schema in Swift: Schema.NAME (app)"),
            Option(name: "access", value: "public|package|internal", help: "the access level of the models (public)"),
            Option(name: "registration", value: "NAME", help: "a type that registers the models by name (none)"),
            Option(name: "check", help: "write nothing; exit 1 where something would be written or removed"),
        ],
        examples: [
            .init("Models next to an app's sources", "generate schema.graphql --output Sources/App/Models"),
            .init("Models of an Amplify Gen 2 backend", "generate amplify_outputs.json --output Sources/API/Models"),
            .init(
                "In a test that they are up to date", "generate schema.graphql --output Sources/App/Models --check"),
        ])

    private let path: String
    private let output: String
    private let isCheck: Bool
    private let given: [(name: SwiftSource.Options.Name, value: String)]

    init(_ arguments: Arguments) throws {
        path = try arguments.operand(0)
        output = try arguments.required("output")
        isCheck = arguments.has("check")
        given = SwiftSource.Options.Name.allCases.compactMap { name in
            arguments.text(name.rawValue).map { (name, $0) }
        }
        var options = SwiftSource.Options(schemaFile: path)
        try setGiven(&options)
    }

    private func setGiven(_ options: inout SwiftSource.Options) throws {
        do {
            for option in given { try options.set(option.name, to: option.value) }
        } catch {
            throw UsageError("--\(error.message).")
        }
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let document = try SchemaFile.document(path)
        var options = SwiftSource.Options(
            schemaFile: path.split(separator: "/").last.map { String($0) } ?? path, memberNames: document.memberNames)
        try SchemaFile.setOptions(&options, besideSchemaAt: path)
        try setGiven(&options)
        let files = SwiftSource.files(for: document.schema, options: options)
        let directory = GeneratedDirectory(output)
        let changes = try isCheck ? directory.changes(toHold: files) : directory.hold(files)
        if console.isJSON {
            try console.output.writeObject { writer in
                writer.texts("written", changes.written)
                writer.texts("removed", changes.removed)
                writer.member("unchanged", changes.unchanged.count)
            }
        } else {
            for name in changes.written {
                try console.output.write("\(isCheck ? "would write" : "wrote") \(output)/\(name)\n")
            }
            for name in changes.removed {
                try console.output.write("\(isCheck ? "would remove" : "removed") \(output)/\(name)\n")
            }
            console.note("\(counted(files.count, "file")), \(changes.unchanged.count.grouped) unchanged.")
        }
        return isCheck && !changes.isEmpty ? .failed : .done
    }
}
