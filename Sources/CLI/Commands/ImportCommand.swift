@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
internal import TidelogRecordText

/// Saves the records of a file.
struct ImportCommand: Command {
    static let syntax = CommandSyntax(
        name: "import", summary: "save the records of a file, a JSON object a line",
        discussion: """
            Records that exist are replaced. A text that is no case of its enum is kept, with a warning.
            With --database the records are saved as a server does it: with versions, by the rules of the schema, and
            subscribers and syncs get them while servers run. A text that is no case of its enum is a bad line then.
            A bad line stops the import with its number, and nothing of its batch is saved.
            Interrupted or killed, an import goes on if it is run again: records that are there already, with the
            same values, are not saved again.
            """,
        operands: [
            .init(name: "MODEL", help: "the model of the records"),
            .init(name: "FILE", help: "the file, - for standard input"),
        ],
        options: [
            .store.or(DatabaseImport.option), DatabaseImport.option, .adapter, .durability,
            Option(
                name: "schema", value: "FILE",
                help: "the models: creates the store or the tables, or changes their schema"),
            DatabaseImport.kindOption,
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
            .init(
                "Into the database of running servers",
                "import --database postgres://tidelog@db.example/app City cities.ndjson"),
        ])

    /// The place of the records.
    private enum Place {
        case store(StoreAccess, Origin)
        case database(DatabaseImport.Options)
    }

    private let place: Place
    private let model: String
    private let path: String
    private let schemaPath: String?
    private var options = RecordImporter.Options()

    init(_ arguments: Arguments) throws {
        let origin = try arguments.choice("origin", ["local": Origin.local, "remote": .remote])
        if let database = try DatabaseImport.Options(arguments) {
            place = .database(database)
        } else {
            place = .store(try StoreAccess(arguments), origin ?? .local)
        }
        model = try arguments.operand(0)
        path = try arguments.operand(1)
        schemaPath = arguments.text("schema")
        options.batchCount = try arguments.number("batch", in: 1...Limits.commitEventCount) ?? options.batchCount
        options.skipsBad = arguments.has("skip-bad")
        options.acknowledges = arguments.has("ack")
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let source = try InputSource(path)
        let start = ContinuousClock.now
        let outcome: RecordImporter.Outcome
        switch place {
        case .store(let access, let origin):
            let schema = try schemaPath.map { try SchemaFile.read($0) }
            if let schema { try requireModel(in: schema, access) }
            try checkFormat(of: source)
            let store = try access.openForChanges(schema: schema, console: console)
            outcome = try await store.closing { store in
                let target = try await StoreImport(
                    into: store, model: try store.layout.model(called: model), origin: origin)
                return try await run(source, into: target, console)
            }
        case .database(let options):
            let database = try await options.read(schemaPath)
            try database.requireModel(model)
            try checkFormat(of: source)
            outcome = try await run(source, into: try await database.open(model, console), console)
        }
        console.warn(of: outcome.unknownCases)
        try report(outcome, ContinuousClock.now - start, console)
        return .done
    }

    private func run(
        _ source: InputSource, into target: any ImportTarget, _ console: Console
    ) async throws -> RecordImporter.Outcome {
        var importer = RecordImporter(into: target, options: options, console: console)
        return try await importer.run(source)
    }

    /// Checks the model's name before the import creates a store or changes the schema of an existing one.
    private func requireModel(in schema: Schema, _ access: StoreAccess) throws {
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
                writer.member("sequence", outcome.sequence)
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
