internal import Tidelog
internal import TidelogJSON

/// Saves the records of a file.
struct ImportCommand: Command {
    static let syntax = CommandSyntax(
        name: "import", summary: "save the records of a file, a JSON object a line",
        discussion: """
            Records that exist are replaced. A text that is no case of its enum is kept, with a warning.
            A bad line stops the import with its number, and nothing of its batch is saved.
            Interrupted or killed, an import is run again: what is in the log is saved once more to the same effect.
            """,
        operands: [
            Operand(name: "MODEL", help: "the model of the records"),
            Operand(name: "FILE", help: "the file, - for standard input"),
        ],
        options: Option.forStore + [
            Option(
                name: "schema", value: "FILE", help: "the models: creates the store, or takes over a changed schema"),
            Option(name: "batch", value: "N", help: "records a commit, 1 to 100,000 (1,000)"),
            Option(
                name: "origin", value: "local|remote",
                help: "local changes will be uploaded by sync, remote ones came from a server (local)"),
            Option(name: "skip-bad", help: "report bad lines and go on"),
            Option(name: "ack", help: "after each durable commit a line {\"acknowledged\":N,\"sequence\":S}"),
        ],
        examples: [
            Example(
                "Create a store and fill it", "import --store ./world --schema schema.graphql City cities.ndjson"),
            Example(
                "As fast as possible: the log is not synced",
                "import --store ./world --durability unsynced --batch 10000 City cities.ndjson"),
            Example("From another program", "import --store ./world City - < cities.ndjson"),
        ])

    private let access: StoreAccess
    private let model: String
    private let path: String
    private let schemaPath: String?
    private var options = RecordImporter.Options()

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        model = try arguments.operand(0)
        path = try arguments.operand(1)
        schemaPath = arguments.text("schema")
        options.batchCount = try arguments.number("batch", in: 1...Limits.commitEventCount) ?? options.batchCount
        options.origin = try arguments.choice("origin", ["local": .local, "remote": .remote]) ?? .local
        options.skipsBad = arguments.has("skip-bad")
        options.acknowledges = arguments.has("ack")
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let schema = try schemaPath.map { try SchemaFile.read($0) }
        let source = try InputSource(path)
        let store = try access.openForWriting(schema: schema, console: console)
        let outcome: RecordImporter.Outcome
        let start = ContinuousClock.now
        do {
            var importer = RecordImporter(
                into: store, model: try store.layout.model(called: model), options: options, console: console)
            outcome = try await importer.run(source)
        } catch {
            try? await store.close()
            throw error
        }
        try await store.close()
        console.warn(ofUnknownCases: outcome.unknownCases)
        try report(outcome, ContinuousClock.now - start, console)
        return .done
    }

    private func report(_ outcome: RecordImporter.Outcome, _ time: Duration, _ console: Console) throws {
        if console.isJSON {
            guard !options.acknowledges else { return }
            return try console.output.writeObject { writer in
                writer.member("imported", outcome.savedCount)
                writer.member("skipped", outcome.skippedCount)
                writer.member("sequence", outcome.head.value)
            }
        }
        let rate = time.seconds > 0 ? (Double(outcome.savedCount) / time.seconds).fixed(0) : "–"
        let skipped = outcome.skippedCount == 0 ? "" : ", \(counted(outcome.skippedCount, "bad line")) skipped"
        console.note(
            "\(console.messageStyle.green("✓")) \(counted(outcome.savedCount, "record")) of \(model) in \(time.short) "
                + "(\(rate)/s)\(skipped)")
    }
}
