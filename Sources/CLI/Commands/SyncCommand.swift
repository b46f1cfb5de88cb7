@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
internal import TidelogSync

/// Syncs a store with a server once.
struct SyncCommand: Command {
    static let syntax = CommandSyntax(
        name: "sync", summary: "send a store's changes to a server and receive the server's",
        discussion: """
            The server's records arrive first, then the local changes are sent; records that both sides changed are
            merged by the server's rules. A sync that was interrupted or killed goes on where it was.
            The first sync of a store asks for all records, later ones for the changes since.
            A store is synced with one server: another address is refused.
            """,
        options: Option.forStore + [
            ServerArguments.endpointOption, ServerArguments.keyOption, ServerArguments.configurationOption,
            Option(
                name: "schema", value: "FILE", help: "the models: creates the store, or takes over a changed schema"),
            Option(
                name: "where", value: "'MODEL: PREDICATE'", help: "sync only these records of a model",
                isRepeatable: true),
            Option(name: "max-records", value: "N", help: "records that a first sync takes of a model (unlimited)"),
            Option(name: "page-size", value: "N", help: "records a page, 1 to 1,000 (1,000)"),
            Option(
                name: "sync-interval", value: "SECONDS",
                help: "after so long a time, ask for all records again (86,400)"),
            Option(name: "timeout", value: "SECONDS", help: "give up if the server does not answer for so long (60)"),
            ServerArguments.certificatesOption,
        ] + ServerComparison.options,
        examples: [
            Example(
                "Fill a new store",
                "sync --store ./device --schema schema.graphql --endpoint http://127.0.0.1:20002/graphql "
                    + "--api-key da2-example"),
            Example("With the file that apps have", "sync --store ./device --config amplifyconfiguration.json"),
            Example(
                "Large cities alone",
                "sync --store ./device --config amplifyconfiguration.json --where 'City: population > 1000000'"),
            Example(
                "Is everything here as the server has it?",
                "sync --store ./device --config amplifyconfiguration.json --verify"),
        ])

    private let access: StoreAccess
    private let server: ServerArguments
    private let schemaPath: String?
    private let configuration: SyncConfiguration
    private let timeout: Duration
    private let comparison: ServerComparison?

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        server = try ServerArguments(arguments)
        schemaPath = arguments.text("schema")
        var configuration = SyncConfiguration()
        configuration.syncMaxRecords = try arguments.number("max-records", in: 1...Int.max) ?? Int.max
        configuration.syncPageSize = try arguments.number("page-size", in: 1...1_000) ?? 1_000
        let interval = try arguments.number("sync-interval", in: 0...1_000_000_000)
        if let interval { configuration.syncInterval = .seconds(interval) }
        configuration.syncExpressions = try arguments.texts("where").map { try Self.expression($0) }
        self.configuration = configuration
        timeout = .seconds(try arguments.number("timeout", in: 1...86_400) ?? 60)
        comparison = try ServerComparison(arguments, patience: timeout)
    }

    private static func expression(_ text: String) throws -> SyncExpression {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let model = parts[0].split(separator: " ").first else {
            throw UsageError("--where takes a model and a predicate, 'Post: rating > 4', not \"\(text)\".")
        }
        let predicate = try PredicateArgument(String(parts[1])).predicate
        return .syncExpression(String(model)) { predicate }
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let schema = try schemaPath.map { try SchemaFile.read($0) }
        let store = try access.openForChanges(schema: schema, console: console)
        let progress = SyncProgress(on: console)
        let (report, verification): (SyncReport, SyncVerification?)
        do {
            (report, verification) = try await sync(store, progress, console)
        } catch {
            progress.leave()
            try? await store.close()
            throw error
        }
        progress.leave()
        try await store.close()
        try write(report, verification, console)
        let isUnfinished = report.pending > 0 || report.setAside > 0
        guard let failure = report.failure else {
            return try verification?.status ?? (isUnfinished ? .changesPending : .done)
        }
        if Interruption.isRequested { return .interrupted }
        throw CommandFailure(failure, isUnfinished: isUnfinished)
    }

    private func sync(
        _ store: DataStore, _ progress: SyncProgress, _ console: Console
    ) async throws -> (SyncReport, SyncVerification?) {
        do {
            let engine = try SyncEngine(
                store: store, endpoint: server.endpoint, authorization: .apiKey(server.key),
                configuration: configuration, startup: .manual, transport: server.transport,
                notify: { progress.note($0) })
            let interruption = Task {
                try await Blocking.run { Interruption.waitForRequest() }
                await engine.stop()
            }
            defer { interruption.cancel() }
            let report = await engine.runOnce(until: nil, patience: timeout)
            progress.leave()
            guard report.failure == nil, let comparison else { return (report, nil) }
            return (report, try await comparison.run(engine, console))
        } catch let error as SyncError {
            throw CommandFailure(error, isUnfinished: false)
        }
    }

    private func write(_ report: SyncReport, _ verification: SyncVerification?, _ console: Console) throws {
        if console.isJSON {
            try console.output.writeObject { writer in
                writer.member("sent", report.sent)
                writer.member("received", report.received)
                writer.member("pending", report.pending)
                writer.member("setAside", report.setAside)
                writer.key("lastSync")
                writer.beginObject()
                for (model, time) in report.lastSync.sorted(by: { $0.key < $1.key }) { writer.member(model, time) }
                writer.endObject()
                writer.key("queries")
                writer.beginObject()
                for (model, query) in report.queries.sorted(by: { $0.key < $1.key }) {
                    writer.member(model, query.rawValue)
                }
                writer.endObject()
                if let verification {
                    writer.key("verification")
                    verification.write(to: &writer)
                }
            }
            return
        }
        for problem in report.problems { console.warn(problem) }
        for model in report.truncated {
            console.warn("The server has more records of \(model) than --max-records allows.")
        }
        let style = console.outputStyle
        let counts = "\(counted(report.received, "record")) received, \(counted(report.sent, "change")) sent"
        let rest = [
            report.pending > 0 ? "\(counted(report.pending, "change")) pending" : nil,
            report.setAside > 0 ? "\(counted(report.setAside, "change")) set aside" : nil,
        ].compactMap { $0 }
        let isDone = rest.isEmpty && report.failure == nil
        let mark = isDone ? style.green("✓ Synced:") : style.yellow("Not everything is synced:")
        try console.output.write("\(mark) \(([counts] + rest).joined(separator: ", ")).\n")
        try verification?.write(to: console)
    }
}

extension CommandFailure {
    /// - Parameter isUnfinished: Whether changes are pending or set aside.
    init(_ error: SyncError, isUnfinished: Bool) {
        if let cause = error.cause as? DataStoreError {
            self.init(cause)
            return
        }
        let status: ExitStatus =
            switch error.code {
            case .identityChanged, .invalidConfiguration: .usage
            default: isUnfinished ? .changesPending : .failed
            }
        self.init(status, error.code.rawValue, error.message, recovery: error.recovery)
    }
}
