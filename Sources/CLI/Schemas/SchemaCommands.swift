internal import Tidelog
internal import TidelogJSON
internal import TidelogRecordText
internal import TidelogServer

/// The commands about schemas that do not change a store.
enum SchemaCommands {
    /// Prints a schema in its complete form, or the API that a server makes of it.
    struct Print: Command {
        static let syntax = CommandSyntax(
            name: "schema print", summary: "print a schema in its normal form, or its API",
            operands: [.init(name: "SCHEMA", help: "a file in the GraphQL schema language", isOptional: true)],
            options: [
                Option(name: "store", value: "DIR", help: "print the schema that this store has, in place of a file's"),
                Option(name: "api", help: "print the API that a server makes of it"),
                Option(name: "gen2", help: "with --api: the API without versions, as serve --api gen2 makes it"),
            ],
            examples: [
                .init("The schema of a file", "schema print schema.graphql"),
                .init("The schema of a store", "schema print --store ./world"),
                .init("The API that clients of a server would see", "schema print schema.graphql --api"),
                .init("The API of Amplify's second generation", "schema print schema.graphql --api --gen2"),
            ])

        private let source: Source
        /// The kind of the API to print; `nil` if the schema itself is printed.
        private let apiKind: APIKind?

        init(_ arguments: Arguments) throws {
            let path = arguments.operands.first
            let named = path == nil ? Option.namedStore(System.environment) : nil
            switch (path, arguments.text("store") ?? named) {
            case (let path?, nil): source = .file(path)
            case (nil, let store?): source = .store(StoreAccess(path: store))
            default: throw UsageError("schema print takes either a SCHEMA or --store DIR.")
            }
            let isSecondGeneration = arguments.has("gen2")
            if isSecondGeneration, !arguments.has("api") {
                throw UsageError("--gen2 is for --api: a schema has no versions.")
            }
            apiKind = arguments.has("api") ? isSecondGeneration ? .timestamps : .versioned : nil
        }

        func run(_ console: Console) async throws -> ExitStatus {
            let api = try apiKind.map { try source.api($0) }
            let text = try api?.sdl ?? source.schema().sdl
            let notServed = api?.notServed.map { source.described($0) } ?? []
            if console.isJSON {
                try console.output.writeObject { writer in
                    writer.member("schema", text)
                    guard api != nil else { return }
                    writer.texts("notServed", notServed)
                }
            } else {
                for reason in notServed { console.warn("\(reason).") }
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
                    console.shown(String($0))
                }
                try console.output.write(lines.joined(separator: "\n") + (text.hasSuffix("\n") ? "" : "\n"))
            }
            return .done
        }
    }

    /// Compares two schemas.
    struct Diff: Command {
        static let syntax = CommandSyntax(
            name: "schema diff", summary: "compare two schemas: 0 where they are the same, 1 where they differ",
            operands: [
                .init(name: "A", help: "a schema file, or the directory of a store"),
                .init(name: "B", help: "the schema that would replace A"),
            ],
            examples: [
                .init("Two files", "schema diff schema.graphql schema-new.graphql"),
                .init("The changes that a store would have to accept", "schema diff ./world schema-new.graphql"),
            ])

        private let old: Source
        private let new: Source

        init(_ arguments: Arguments) throws {
            old = Source(path: try arguments.operand(0))
            new = Source(path: try arguments.operand(1))
        }

        func run(_ console: Console) async throws -> ExitStatus {
            let isServed = try old.isServed || new.isServed
            let difference = SchemaDifference(
                from: try old.schema(asServed: isServed), to: try new.schema(asServed: isServed))
            if console.isJSON {
                for change in difference.changes {
                    try console.output.writeObject { writer in
                        if let type = change.type { writer.member("type", type) }
                        if let member = change.member { writer.member("member", member) }
                        writer.member("change", change.text)
                        writer.member("lossless", change.isLossless)
                        if let name = difference.suspectedName(after: change) { writer.member("renamedTo", name) }
                    }
                }
            } else {
                let style = console.outputStyle
                for change in difference.changes {
                    let mark = change.isLossless ? style.green("✓") : style.red("✗")
                    try console.output.write("\(mark) \(console.shown("\(change)"))\n")
                }
                console.note(Self.conclusion(difference))
                difference.suspectedRenamings.ask(console)
            }
            return difference.isEmpty ? .done : .failed
        }

        private static func conclusion(_ difference: SchemaDifference) -> String {
            if difference.isEmpty { return "The schemas are the same." }
            let count = counted(difference.changes.count, "difference")
            guard difference.isLossless else { return "\(count); ✗ would lose data." }
            guard difference.suspectedRenamings.isEmpty else {
                return "\(count); a store with data can take all, but keeps what was renamed under the old name."
            }
            let removal = "; a server refuses to remove a model or a value that its records use"
            return
                "\(count); a store with data can take all\(difference.changes.contains(where: \.isRemoval) ? removal : "")."
        }
    }

    /// Shows what changes if a store is opened with another schema.
    struct Status: Command {
        static let syntax = CommandSyntax(
            name: "schema status", summary: "show model by model what a store would do with a schema",
            operands: [.init(name: "SCHEMA", help: "a file in the GraphQL schema language")],
            options: [.store],
            examples: [.init("Before an update", "schema status schema-new.graphql --store ./world")])

        private let path: String
        private let store: StoreAccess

        init(_ arguments: Arguments) throws {
            path = try arguments.operand(0)
            store = StoreAccess(path: try arguments.required("store"))
        }

        func run(_ console: Console) async throws -> ExitStatus {
            let stored = try store.describe().schema.declared
            let isServed = ServerModels.areIn(stored)
            let (models, renamings) = try await isServed ? served(stored) : kept(stored)
            if console.isJSON {
                for model in models {
                    try console.output.writeObject { writer in
                        writer.member("model", model.name)
                        writer.member("status", model.status.rawValue)
                        writer.texts("changes", model.changes.map(\.text))
                        let ofModel = renamings.filter { $0.model == model.name }
                        if !ofModel.isEmpty { writer.texts("suspectedRenamings", ofModel.map(\.description)) }
                    }
                }
                return .done
            }
            let width = models.map(\.name.count).max() ?? 0
            let style = console.outputStyle
            for model in models {
                let padding = String(repeating: " ", count: width - model.name.count)
                let word = model.status.rawValue
                try console.output.write(
                    "\(model.name)\(padding)  \(model.status == .refused ? style.red(word) : style.green(word))\n")
                for change in model.changes {
                    let mark = change.isRefused ? style.red("✗") : style.green("✓")
                    try console.output.write("  \(mark) \(console.shown(change.text))\n")
                }
            }
            if models.contains(where: { $0.status == .refused }) {
                console.note(
                    isServed
                        ? "`tidelog serve` does not start with changes that are marked ✗: docs/SCHEMA-CHANGES.md."
                        : "The app needs a SchemaMigration for each change that is marked ✗: docs/SCHEMA-CHANGES.md.")
            }
            renamings.ask(console)
            return .done
        }

        private typealias Model = (
            name: String, status: SchemaDifference.Status, changes: [(text: String, isRefused: Bool)]
        )

        /// The changes of each model if an app opens the store with the schema.
        private func kept(_ stored: Schema) throws -> ([Model], [SuspectedRenaming]) {
            let next = try SchemaFile.read(path)
            let models: [Model] = SchemaStatus(of: stored, under: next).models.map { model in
                (model.name, model.status, model.changes.map { ("\($0)", !$0.isLossless) })
            }
            return (models, SchemaDifference(from: stored, to: next).suspectedRenamings)
        }

        /// The changes of each model if a server starts with the schema.
        private func served(_ stored: Schema) async throws -> ([Model], [SuspectedRenaming]) {
            let schema = try SchemaFile.servedSchema(path)
            let change = try await ServedSchemaChange(of: store, from: stored, to: schema)
            return (change.models, change.suspectedRenamings)
        }
    }

    /// The source of a schema: a file or a store.
    private enum Source: Sendable {
        case file(String)
        case store(StoreAccess)

        /// Makes the source for a path. A directory is a store.
        init(path: String) { self = System.isDirectory(path) ? .store(StoreAccess(path: path)) : .file(path) }

        /// Whether the source is the store of a server.
        var isServed: Bool {
            get throws {
                guard case .store = self else { return false }
                return ServerModels.areIn(try schema())
            }
        }

        /// - Parameter asServed: Whether to add the server's own models to the schema of a file, as a server does in its store.
        func schema(asServed: Bool = false) throws -> Schema {
            switch self {
            case .file(let path):
                try asServed ? SchemaFile.servedSchema(path) : SchemaFile.read(path)
            case .store(let access): try access.describe().schema.declared
            }
        }

        /// The API that a server makes of the schema. For a store, the API is made from the normal form of its schema.
        func api(_ kind: APIKind) throws -> API {
            switch self {
            case .file(let path): return try SchemaFile.apiWithSource(path, kind).api
            case .store:
                let text = try schema().sdl
                do { return try API(SchemaDocument(sdl: Array(text.utf8)), kind) } catch { throw error.dataStoreError }
            }
        }

        /// The text of `diagnostic`. For a schema file, the name of the file comes first.
        func described(_ diagnostic: SchemaDiagnostic) -> String {
            switch self {
            case .file(let path): "\(path):\(diagnostic)"
            case .store: diagnostic.message
            }
        }
    }
}
