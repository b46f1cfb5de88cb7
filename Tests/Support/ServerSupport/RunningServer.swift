internal import PostgresSupport
internal import RawServer
internal import TestStores
package import Tidelog
internal import TidelogPostgres
internal import TidelogSDL
package import TidelogServer

/// A server in this process, on a port that the system chose. ``ServedRecords`` decides where its records are; if they are in a
/// database, there are two servers, and the port is that of a load balancer.
package enum RunningServer {
    /// Starts a server of `sdl`, runs `body` with its port, and stops the server. `body` may block.
    package static func run<Value: Sendable>(
        _ sdl: String, _ authenticator: Authenticator, identity: TLSIdentity? = nil,
        adapter: AdapterFactory = .inMemory(), kind: APIKind = .versioned,
        environment: Service.Environment = .system, log: (@Sendable (ServedRequest) -> Void)? = nil,
        _ body: @escaping @Sendable (Int) throws -> Value
    ) async throws -> Value {
        try await serve(
            sdl, authenticator, identity: identity, adapter: adapter, kind: kind, environment: environment, log: log
        ) { port in
            try await onThread { try body(port) }
        }
    }

    /// Starts a server of `sdl`, runs `body` with its port, and stops the server.
    ///
    /// - Parameters:
    ///   - adapter: The adapter of the server's store. The adapter in memory has no indexes.
    ///   - kind: The kind of the API.
    ///   - environment: The server's clock and random bytes.
    ///   - disturbed: Puts other records in the place of the store's records. It does not apply to a database.
    package static func serve<Value: Sendable>(
        _ sdl: String, _ authenticator: Authenticator, identity: TLSIdentity? = nil,
        options: ServiceOptions = ServiceOptions(), adapter: AdapterFactory = .inMemory(), kind: APIKind = .versioned,
        environment: Service.Environment = .system,
        disturbed: (any VersionedStore, API) async throws -> any VersionedStore = { records, _ in records },
        log: (@Sendable (ServedRequest) -> Void)? = nil,
        notice: @escaping @Sendable (String) -> Void = { _ in },
        _ body: (Int) async throws -> Value
    ) async throws -> Value {
        var configuration = Server.Configuration(
            listener: Listener.Configuration(port: 0, identity: identity), authenticator: authenticator)
        (configuration.log, configuration.options, configuration.notice) = (log, options, notice)
        configuration.environment = environment
        let api = try API(SchemaDocument(sdl: Array(sdl.utf8)), kind)
        guard ServedRecords.place == .store else {
            return try await serveDatabase(api, sdl, configuration, body)
        }
        let scratch = try Scratch()
        let store = try await DataStore.open(
            at: scratch.path(), schema: ServerModels.adding(to: api.storedSchema), adapter: adapter,
            configuration: DataStoreConfiguration(durability: .relaxed))
        let versions = try await LogVersionedStore(
            store, schema: api.storedSchema, source: sdl, kind: kind, tombstoneAge: tombstoneAge,
            clock: configuration.environment.clock)
        let server = try await Server.start(api, over: disturbed(versions, api), configuration)
        let result = await outcome { try await body(server.port) }
        await server.stop(within: .seconds(2))
        try await store.close()
        return try result.get()
    }

    private static let tombstoneAge: Int64 = 1_000_000

    /// Starts two servers over a new database, and runs `body` with the port of a load balancer.
    private static func serveDatabase<Value: Sendable>(
        _ api: API, _ sdl: String, _ configuration: Server.Configuration, _ body: (Int) async throws -> Value
    ) async throws -> Value {
        let address = try DatabaseAddress(PostgresCluster.makeDatabase())
        var servers: [Server] = []
        for _ in 0..<2 {
            let versions = try await PostgresVersionedStore(
                address, schema: api.storedSchema, source: sdl, kind: api.kind, tombstoneAge: tombstoneAge)
            servers.append(try await Server.start(api, over: versions, configuration))
        }
        let proxy = try RoundRobinProxy(to: servers.map(\.port))
        let result = await outcome { try await body(proxy.port) }
        for server in servers { await server.stop(within: .seconds(2)) }
        return try result.get()
    }

    private static func outcome<Value: Sendable>(
        _ body: () async throws -> Value
    ) async -> Result<Value, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
