@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
internal import TidelogRecordText
internal import TidelogSync

/// Syncs a store with a server once.
struct SyncCommand: Command {
    static let syntax = CommandSyntax(
        name: "sync", summary: "send a store's changes to a server and receive the server's",
        discussion: """
            Syncs once and ends, or with --follow stays and shows each step until SIGINT or SIGTERM.
            The server's records arrive first, then the local changes are sent; records that both sides changed are
            merged by the server's rules. A sync that was interrupted or killed goes on where it was.
            The first sync of a store asks for all records, later ones for the changes since.
            A store is synced with one server: another address is refused. With --adopt it becomes the store's server if
            it has most of the records that the store knows.
            """,
        options: Option.forStore + [
            ServerArguments.endpointOption, ServerArguments.keyOption, ServerArguments.configurationOption,
            Option(name: "schema", value: "FILE", help: "the models: creates the store, or changes its schema"),
            Option(
                name: "where", value: "'MODEL: PREDICATE'", help: "sync only these records of a model",
                isRepeatable: true),
            Option(name: "max-records", value: "N", help: "records that a first sync takes of a model (unlimited)"),
            Option(name: "batch", value: "N", help: "changes a request, 1 to 100 (25)"),
            Option(
                name: "protocol", value: "NAME",
                help: "versioned, timestamps for an API of Amplify Gen 2, or automatic (automatic)"),
            Option(name: "page-size", value: "N", help: "records a page, 1 to 1,000 (1,000)"),
            Option(
                name: "sync-interval", value: "SECONDS",
                help: "after so long a time, ask for all records again (86,400)"),
            Option(name: "timeout", value: "SECONDS", help: "give up if the server does not answer for so long (60)"),
            Option(name: "adopt", help: "accept that the server has moved: the same records under another address"),
            Option(name: "follow", help: "stay, sync changes as they come, and show each step"),
            ServerArguments.certificatesOption,
        ] + ServerComparison.options,
        examples: [
            .init(
                "Fill a new store",
                "sync --store ./device --schema schema.graphql --endpoint http://127.0.0.1:20002/graphql "
                    + "--api-key da2-example"),
            .init("With the file that apps have", "sync --store ./device --config amplifyconfiguration.json"),
            .init(
                "Large cities alone",
                "sync --store ./device --config amplifyconfiguration.json --where 'City: population > 1000000'"),
            .init("Stay in step", "sync --store ./device --config amplifyconfiguration.json --follow"),
            .init(
                "Is everything here as the server has it?",
                "sync --store ./device --config amplifyconfiguration.json --verify"),
        ])

    private let access: StoreAccess
    private let server: ServerArguments
    private let schemaPath: String?
    private let configuration: SyncConfiguration
    private let timeout: Duration
    private let follows: Bool
    private let adopts: Bool
    private let comparison: ServerComparison?

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        server = try ServerArguments(arguments)
        schemaPath = arguments.text("schema")
        var configuration = SyncConfiguration()
        configuration.syncMaxRecords = try arguments.number("max-records", in: 1...Int.max) ?? Int.max
        configuration.mutationsPerRequest = try arguments.number("batch", in: 1...100) ?? 25
        configuration.protocol = try Self.chosen(arguments)
        configuration.syncPageSize = try arguments.number("page-size", in: 1...1_000) ?? 1_000
        let interval = try arguments.number("sync-interval", in: 0...1_000_000_000)
        if let interval { configuration.syncInterval = .seconds(interval) }
        configuration.syncExpressions = try arguments.texts("where").map { try Self.expression($0) }
        self.configuration = configuration
        timeout = .seconds(try arguments.number("timeout", in: 1...86_400) ?? 60)
        follows = arguments.has("follow")
        adopts = arguments.has("adopt")
        comparison = try ServerComparison(arguments, patience: timeout)
        if follows, comparison != nil { throw UsageError("--follow and --verify exclude each other.") }
    }

    private static func chosen(_ arguments: Arguments) throws -> SyncProtocol {
        try arguments.choice(
            "protocol", ["automatic": .automatic, "versioned": .versioned, "timestamps": SyncProtocol.timestamps])
            ?? .automatic
    }

    private static func expression(_ text: String) throws -> SyncExpression {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let model = parts[0].split(separator: " ").first else {
            throw UsageError("--where takes a model and a predicate, 'Post: rating > 4', not \"\(text)\".")
        }
        let predicate = try PredicateText(String(parts[1])).predicate
        return .syncExpression(String(model)) { predicate }
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let schema = try schemaPath.map { try SchemaFile.read($0) }
        let store = try access.openForChanges(schema: schema, console: console)
        do {
            let result = try await store.closing { store -> (report: SyncReport, verification: SyncVerification?)? in
                let engine = try engine(store)
                if adopts { try await adopt(engine) }
                if follows {
                    try await follow(engine, store, console)
                    return nil
                }
                let report = await sync(engine, console)
                let verification = report.failure == nil ? try await comparison?.run(engine, console) : nil
                return (report, verification)
            }
            guard let result else { return Interruption.isRequested ? .interrupted : .done }
            return try finish(result.report, result.verification, console)
        } catch let error as SyncError {
            throw CommandFailure(error, isUnfinished: false)
        }
    }

    private func engine(_ store: DataStore) throws -> SyncEngine {
        try SyncEngine(
            store: store, endpoint: server.endpoint, authorization: .apiKey(server.key), configuration: configuration,
            startup: .manual, transport: server.transport)
    }

    /// Makes the engine's server the server of the store. An interruption stops the comparison of their records.
    private func adopt(_ engine: SyncEngine) async throws {
        try await Interruption.cancelling(Task { [timeout] in try await engine.adoptServer(patience: timeout) })
    }

    /// Shows the engine's events until the command is interrupted.
    private func follow(_ engine: SyncEngine, _ store: DataStore, _ console: Console) async throws {
        Interruption.installTermination()
        var output = try SyncEventOutput(store, on: console)
        let events = engine.events
        let progress = ProgressBar.Shared("Syncing", unit: "record", on: console)
        let drawing = Task { await progress.follow(engine) }
        defer { drawing.cancel() }
        try await engine.start()
        let interruption = stopping(engine)
        defer { interruption.cancel() }
        var failure: SyncError?
        for await event in events {
            progress.leave()
            try output.write(event)
            if case .failed(let error) = event { failure = error }
            if case .stopped = event { break }
        }
        // If no stop was requested, the engine only ends because of a failure of the store.
        if !Interruption.isRequested, !Interruption.isTerminated, let failure { throw failure }
    }

    private func stopping(_ engine: SyncEngine) -> Task<Void, any Error> {
        Task {
            try await Blocking.run { Interruption.waitForRequest() }
            await engine.stop()
        }
    }

    private func sync(_ engine: SyncEngine, _ console: Console) async -> SyncReport {
        let progress = ProgressBar.Shared("Syncing", unit: "record", on: console)
        let drawing = Task { await progress.follow(engine) }
        let interruption = stopping(engine)
        let report = await engine.runOnce(until: nil, patience: timeout)
        interruption.cancel()
        drawing.cancel()
        await drawing.value
        progress.leave()
        return report
    }

    private func finish(
        _ report: SyncReport, _ verification: SyncVerification?, _ console: Console
    ) throws -> ExitStatus {
        try write(report, verification, console)
        let isUnfinished = report.pending > 0 || report.setAside > 0
        guard let failure = report.failure else {
            if let status = try verification?.status { return status }
            if !isUnfinished, !report.refused.isEmpty { throw CommandFailure(refused: report.refused) }
            if !isUnfinished, !report.failing.isEmpty { throw CommandFailure(failing: report.failing.keys.sorted()) }
            return isUnfinished ? .changesPending : .done
        }
        if Interruption.isRequested { return .interrupted }
        throw CommandFailure(failure, isUnfinished: isUnfinished)
    }

    private func write(_ report: SyncReport, _ verification: SyncVerification?, _ console: Console) throws {
        if console.isJSON {
            try console.output.writeObject { writer in
                writer.member("protocol", report.protocol.rawValue)
                writer.member("sent", report.sent)
                writer.member("received", report.received)
                writer.member("pending", report.pending)
                writer.member("setAside", report.setAside)
                writer.member("conflicts", report.conflicts)
                writer.object("lastSync") { writer in
                    for (model, time) in report.lastSync.sorted(by: { $0.key < $1.key }) { writer.member(model, time) }
                }
                writer.object("queries") { writer in
                    for (model, query) in report.queries.sorted(by: { $0.key < $1.key }) {
                        writer.member(model, query.rawValue)
                    }
                }
                writer.texts("problems", report.problems)
                writer.object("failing") { writer in
                    for (model, error) in report.failing.sorted(by: { $0.key < $1.key }) { writer.member(model, error) }
                }
                if let verification { writer.object("verification") { verification.write(to: &$0) } }
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
        let chosen = report.protocol == .timestamps ? ["with the protocol timestamps"] : []
        let yielded = report.conflicts > 0 ? ["\(counted(report.conflicts, "change")) gave way to the server's"] : []
        let isDone = rest.isEmpty && report.refused.isEmpty && report.failing.isEmpty && report.failure == nil
        let mark = isDone ? style.green("✓ Synced:") : style.yellow("Not everything is synced:")
        try console.output.write("\(mark) \(([counts] + yielded + rest + chosen).joined(separator: ", ")).\n")
        try verification?.write(to: console)
    }
}

extension SyncError {
    /// Whether no request can be sent to the address, for example because it has no TLS.
    fileprivate var isUnusableAddress: Bool {
        let failure = (underlying as? GraphQLClientError)?.underlying as? TransportError
        return failure?.code == .unusableRequest
    }
}

extension CommandFailure {
    /// - Parameter models: The models that the server refuses.
    fileprivate init(refused models: [String]) {
        self.init(
            .failed, SyncError.Code.modelRefused.name, "The server refuses \(models.joined(separator: ", ")).",
            recovery: "Check the server's schema and its access rules. Other models were synced.")
    }

    /// - Parameter models: The models whose queries failed.
    fileprivate init(failing models: [String]) {
        self.init(
            .failed, SyncError.Code.modelFailed.name,
            "The server fails to answer the queries of \(models.joined(separator: ", ")).",
            recovery: "Check the server, and sync again. Other models were synced.")
    }

    /// - Parameter isUnfinished: Whether changes are pending or set aside.
    init(_ error: SyncError, isUnfinished: Bool) {
        if let cause = error.underlying as? DataStoreError {
            self.init(cause)
            return
        }
        let status: ExitStatus =
            switch error.code {
            case .identityChanged, .unrelatedServer, .invalidConfiguration: .usage
            case _ where error.isUnusableAddress: .usage
            default: isUnfinished ? .changesPending : .failed
            }
        self.init(status, error.code.name, error.message, recovery: error.recovery)
    }
}
