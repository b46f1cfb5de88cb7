@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
internal import TidelogRecordText

/// Saves the records of a file.
struct ImportCommand: Command {
    static let syntax = CommandSyntax(
        name: "import", summary: "save the records of a file, a JSON object a line",
        discussion: """
            Records that exist are replaced. A text that is no case of its enum is kept, with a warning.
            A bad line stops the import with its number, and nothing of its batch is saved.
            Interrupted or killed, an import goes on if it is run again: records that are there already, with the
            same values, are not saved again.
            """,
        operands: [
            .init(name: "MODEL", help: "the model of the records"),
            .init(name: "FILE", help: "the file, - for standard input"),
        ],
        options: Option.forStore + [
            Option(name: "schema", value: "FILE", help: "the models: creates the store, or changes its schema"),
            Option(name: "batch", value: "N", help: "records a commit, 1 to 100,000 (1,000)"),
            Option(
                name: "origin", value: "local|remote",
                help: "local changes will be uploaded by sync, remote ones came from a server (local)"),
            Option(
                name: "skip-bad",
                help: "report bad lines and import the rest; with --json a line {\"line\",\"reason\"} for each"),
            Option(name: "ack", help: "after each durable commit a line {\"acknowledged\":N,\"sequence\":S}"),
        ],
        examples: [
            .init("Create a store and fill it", "import --store ./world --schema schema.graphql City cities.ndjson"),
            .init(
                "As fast as possible: commits are not synced",
                "import --store ./world --durability relaxed --batch 10000 City cities.ndjson"),
            .init("From another program", "import --store ./world City - < cities.ndjson"),
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
        if let schema { try requireModel(in: schema) }
        try checkFormat(of: source)
        let store = try access.openForChanges(schema: schema, console: console)
        let start = ContinuousClock.now
        let outcome = try await store.closing { store in
            var importer = RecordImporter(
                into: store, model: try store.layout.model(called: model), options: options, console: console)
            return try await importer.run(source)
        }
        console.warn(of: outcome.unknownCases)
        try report(outcome, ContinuousClock.now - start, console)
        return .done
    }

    /// Checks the model's name before the import creates a store or changes the schema of an existing one.
    private func requireModel(in schema: Schema) throws {
        var names = schema.models.map(\.name)
        if try access.exists() { names += try access.describe().schema.declared.models.map(\.name) }
        guard names.contains(model) else { throw CommandFailure.unknownModel(model, of: "schema", among: names) }
    }

    /// Refuses a file whose first line shows another format. This happens before a store is created.
    private func checkFormat(of source: InputSource) throws {
        guard let line = source.firstLine() else { return }
        try line.withUnsafeBytes { line in
            guard let format = InputFormat(firstLine: line), format.isHopeless || !options.skipsBad else { return }
            throw BadLine(format, of: source.name, command: "import", model: model).failure
        }
    }

    private func report(_ outcome: RecordImporter.Outcome, _ time: Duration, _ console: Console) throws {
        if console.isJSON {
            guard !options.acknowledges else { return }
            return try console.output.writeObject { writer in
                writer.member("imported", outcome.savedCount)
                writer.member("unchanged", outcome.unchangedCount)
                writer.member("skipped", outcome.skippedCount)
                writer.member("sequence", outcome.head.value)
            }
        }
        let rate = time.seconds > 0 ? (Double(outcome.storedCount) / time.seconds).fixed(0) : "–"
        var rest = outcome.skippedCount == 0 ? "" : ", \(counted(outcome.skippedCount, "bad line")) skipped"
        if outcome.unchangedCount > 0 {
            let verb = outcome.unchangedCount == 1 ? "was" : "were"
            rest = ", \(outcome.unchangedCount.grouped) \(verb) there already" + rest
        }
        console.success(
            "\(counted(outcome.savedCount, "record")) of \(model) in \(time.short) "
                + "(\(rate)/s)\(rest)")
    }
}
