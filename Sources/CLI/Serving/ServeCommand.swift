internal import Tidelog
internal import TidelogCore
internal import TidelogInspector
internal import TidelogJSON
internal import TidelogRecordText
internal import TidelogServer

/// Serves a schema: a GraphQL API with subscriptions over a store, with versions and sync queries or without them.
struct ServeCommand: Command {
    static let syntax = CommandSyntax(
        name: "serve", summary: "serve a schema as a GraphQL API that Amplify's clients speak",
        discussion: """
            Clients send GraphQL to /graphql and subscribe by WebSockets at /graphql/realtime, as they do with AWS
            AppSync. GET /health says whether changes are taken, GET /schema.graphql gives the schema.
            The store is created by the first start. A later start takes over a changed schema if no record loses
            anything and no record uses what the schema removes, and names the changes.
            Without --api-key and --jwks, a key is made for this run. With --json the first line says where the server
            is; after it comes a line for each request.
            SIGTERM stops it: what is being answered is answered, and the exit status is 0.
            """,
        operands: [.init(name: "SCHEMA", help: "a file in the GraphQL schema language")],
        options: [.store.or(ServedDatabase.option), ServedDatabase.option, .adapter, .durability] + network
            + credentials + behaviour,
        examples: [
            .init("For this computer alone", "serve schema.graphql --store ./served --api-key da2-example"),
            .init(
                "With TLS, and a configuration for apps",
                "serve schema.graphql --store ./app --tls-cert c.pem --tls-key k.pem "
                    + "--write-config amplifyconfiguration.json"),
            .init(
                "Tokens of a user pool",
                "serve schema.graphql --store ./served --jwks jwks.json --issuer https://issuer.example "
                    + "--audience my-app"),
            .init(
                "With a page that shows the records",
                "serve schema.graphql --store ./served --api-key da2-example --inspect"),
            .init(
                "An API without versions, as Amplify's second generation makes it",
                "serve schema.graphql --store ./gen2 --api gen2 --api-key da2-example "
                    + "--write-config amplify_outputs.json"),
            .init(
                "One of several servers over a PostgreSQL database",
                "serve schema.graphql --database postgres://tidelog@db.example/app --api-key da2-example"),
        ])

    private static let network = [
        Option(name: "port", value: "N", help: "the port, 0 lets the system choose (20002)"),
        Option(name: "host", value: "H", help: "the address to listen on (127.0.0.1; with TLS all addresses)"),
        Option(name: "tls-cert", value: "FILE", help: "the certificate in PEM, the server's own first"),
        Option(name: "tls-key", value: "FILE", help: "its private key in PEM, not encrypted"),
        Option(
            name: "write-config", value: "FILE",
            help: "write the file that apps read: amplifyconfiguration.json or amplify_outputs.json"),
        Option(name: "inspect", help: "serve the page of `tidelog inspect` too, for this computer alone"),
    ]

    private static let credentials = [
        Option(name: "api-key", value: "KEY", help: "the key that callers send, 8 to 256 characters"),
        Option(name: "jwks", value: "FILE", help: "the keys (JWKS) that tokens are signed with, RS256 or ES256"),
        Option(name: "issuer", value: "I", help: "the issuer of tokens that count as a user pool's"),
        Option(name: "oidc-issuer", value: "I", help: "the issuer of tokens that count for the provider oidc"),
        Option(name: "audience", value: "A", help: "the audience that tokens must name", isRepeatable: true),
    ]

    private static let behaviour = [
        Option(
            name: "api", value: "KIND",
            help: "gen1: with versions and sync queries; gen2: without, as Amplify's second generation (gen1)"),
        Option(
            name: "conflict", value: "STRATEGY",
            help: "automerge, optimistic, none, custom:URL, custom:./program; Post=… (automerge)",
            isRepeatable: true),
        Option(
            name: "delta-ttl", value: "SECONDS", help: "how long after a sync the next one gets changes alone (1800)"),
        Option(name: "tombstone-ttl", value: "SECONDS", help: "how long deleted records are remembered (2592000)"),
        Option(
            name: "filter-limit", value: "MIB", help: "how much the filters of one request may compare, in MiB (64)"),
        Option(name: "response-limit", value: "MIB", help: "how long a response may be, in MiB (16)"),
        Option(
            name: "responses-limit", value: "MIB",
            help: "how long all responses may be together that are being made or sent, in MiB (256)"),
        Renamings.option,
        Option(name: "strict-tombstones", help: "no record takes a deleted one's place, as with AppSync"),
        Option(
            name: "strict-selection", help: "subscribers get the fields that the mutation selected, as with AppSync"),
        Option(name: "strict-int", help: "Int has 32 bits, as with AppSync"),
    ]

    /// The store; `nil` if the records are in a database.
    private let access: StoreAccess?
    /// The address of the database; `nil` if the records are in a store.
    private let database: String?
    private let schemaPath: String
    private let options: ServeOptions
    private let renamings: Renamings
    private let configurationPath: String?
    /// Whether a page shows the store.
    private let isInspected: Bool

    init(_ arguments: Arguments) throws {
        database = arguments.text("database")
        access = try database == nil ? StoreAccess(arguments) : nil
        schemaPath = try arguments.operand(0)
        options = try ServeOptions(arguments)
        renamings = try Renamings(arguments)
        guard database == nil || renamings.isEmpty else {
            throw UsageError("--rename is for stores. In a database, rename the table or the column with SQL.")
        }
        configurationPath = arguments.text("write-config")
        isInspected = arguments.has("inspect")
        guard database == nil || !isInspected else {
            throw UsageError("--inspect shows a store. Use the tools of PostgreSQL for a database.")
        }
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let (api, source) = try SchemaFile.apiWithSource(schemaPath, options.kind)
        if let model = options.service.modelsWithConflicts(notIn: api).first {
            throw UsageError(
                "--conflict names the model \(model), which the schema does not have.", word: model,
                candidates: api.models.keys.sorted())
        }
        let authenticator = try options.authenticator()
        let records = try await open(api, source: source, console)
        Interruption.installTermination()
        let log = RequestLog(on: console)
        do {
            let server = try await start(api, over: records.versions, authenticator, log)
            try configurationPath.map { try configuration(api, server.port).write(to: $0) }
            let inspector = try await inspector(of: records.store)
            try announce(api, records, on: server.port, inspector, console)
            log.begin()
            try await Blocking.run { Interruption.waitForRequest() }
            await inspector?.stop()
            await server.stop()
        } catch {
            try? await records.store?.close()
            throw error
        }
        try await records.store?.close()
        await log.end()
        return .done
    }

    /// The records to serve, and what changed in their schema.
    private struct Records {
        let versions: any VersionedStore
        /// The store to close at the end; `nil` if the records are in a database.
        let store: DataStore?
        let changes: [SchemaChange]
        let renamed: [String]
        let suspectedRenamings: [SuspectedRenaming]
    }

    private func open(_ api: API, source: String, _ console: Console) async throws -> Records {
        let tombstoneAge = options.service.tombstoneAge
        guard let access else {
            let served = try await ServedDatabase.open(
                database ?? "", for: api, source: source, tombstoneAge: tombstoneAge)
            return Records(
                versions: served.versions, store: nil, changes: served.changes?.changes ?? [], renamed: [],
                suspectedRenamings: served.changes?.suspectedRenamings ?? [])
        }
        let served = try await ServedStore.open(access, for: api, renamings, console)
        do {
            let versions = try await LogVersionedStore(
                served.store, schema: api.storedSchema, source: source, kind: api.kind, tombstoneAge: tombstoneAge,
                clock: Service.Environment.system.clock)
            return Records(
                versions: versions, store: served.store, changes: served.changes, renamed: served.renamed,
                suspectedRenamings: served.suspectedRenamings)
        } catch {
            try? await served.store.close()
            throw error
        }
    }

    private func start(
        _ api: API, over versions: any VersionedStore, _ authenticator: Authenticator, _ log: RequestLog
    ) async throws -> Server {
        var configuration = Server.Configuration(
            listener: Listener.Configuration(host: options.host, port: options.port, identity: options.identity),
            authenticator: authenticator)
        configuration.options = options.service
        configuration.log = { log.add($0) }
        configuration.notice = { log.add(notice: $0) }
        do {
            return try await Server.start(api, over: versions, configuration)
        } catch let error as ListenerError {
            throw CommandFailure(.failed, "listen", error.message, recovery: "")
        }
    }

    /// The page that shows `store`, if the arguments ask for it.
    private func inspector(of store: DataStore?) async throws -> StoreInspector? {
        guard isInspected, let store else { return nil }
        return try await store.inspect()
    }

    private func configuration(_ api: API, _ port: Int) -> AmplifyConfiguration {
        AmplifyConfiguration(
            endpoint: options.endpoint(port: port), apiKey: options.apiKey,
            authorizationTypes: options.authorizationTypes, modelIntrospection: api.schema.modelIntrospection)
    }

    /// Prints that the server is ready. This is the only place that prints the key and the address of the page.
    private func announce(
        _ api: API, _ served: Records, on port: Int, _ inspector: StoreInspector?, _ console: Console
    ) throws {
        let notServed = api.notServed.map { "\(schemaPath):\($0)" }
        let endpoint = options.endpoint(port: port)
        let realtime = options.realtime(port: port)
        guard console.isJSON else {
            for reason in notServed { console.warn("\(reason).") }
            for text in served.renamed { console.success("Renamed: \(text)") }
            for change in served.changes { console.success("\(change)") }
            for renaming in served.suspectedRenamings {
                console.warn("\(renaming.question) Then stop the server, and start it with --rename \(renaming).")
            }
            let mark = console.outputStyle.green("✓")
            let key = options.apiKey.map { "\n  API key    \($0)" } ?? ""
            let page = inspector.map { "\n  inspector  \($0.address)" } ?? ""
            try console.output.write(
                """
                \(mark) Serving \(counted(api.models.count, "model")) of \(console.shown(schemaPath))
                  GraphQL    \(endpoint)
                  real-time  \(realtime)\(key)\(page)
                  Ctrl-C stops it.

                """)
            return try console.output.flush()
        }
        try console.output.writeObject { writer in
            writer.member("ready", true)
            writer.member("endpoint", endpoint)
            writer.member("realtime", realtime)
            writer.member("apiKey", orNull: options.apiKey)
            writer.member("pid", System.processID)
            if let inspector { writer.member("inspector", inspector.address) }
            if !notServed.isEmpty { writer.texts("notServed", notServed) }
            if !served.renamed.isEmpty { writer.texts("renamed", served.renamed) }
            if !served.changes.isEmpty { writer.texts("schemaChanges", served.changes.map { "\($0)" }) }
            let suspected = served.suspectedRenamings
            if !suspected.isEmpty { writer.texts("suspectedRenamings", suspected.map(\.description)) }
        }
        try console.output.flush()
    }
}
