internal import TestStores
package import Tidelog
internal import TidelogSDL
package import TidelogServer

/// A server in this process, on a port that the system chose.
package enum RunningServer {
    /// Starts a server of `sdl`, runs `body` with its port, and stops the server. `body` may block.
    package static func run<Value: Sendable>(
        _ sdl: String, _ authenticator: Authenticator, identity: TLSIdentity? = nil,
        log: (@Sendable (ServedRequest) -> Void)? = nil, _ body: @escaping @Sendable (Int) throws -> Value
    ) async throws -> Value {
        try await serve(sdl, authenticator, identity: identity, log: log) { port in
            try await onThread { try body(port) }
        }
    }

    /// Starts a server of `sdl`, runs `body` with its port, and stops the server.
    ///
    /// - Parameter adapter: The adapter of the server's store. The adapter in memory has no indexes.
    package static func serve<Value: Sendable>(
        _ sdl: String, _ authenticator: Authenticator, identity: TLSIdentity? = nil,
        options: ServiceOptions = ServiceOptions(), adapter: AdapterFactory = .inMemory(),
        log: (@Sendable (ServedRequest) -> Void)? = nil,
        notice: @escaping @Sendable (String) -> Void = { _ in },
        _ body: (Int) async throws -> Value
    ) async throws -> Value {
        let scratch = try Scratch()
        let api = try API(SchemaDocument(sdl: Array(sdl.utf8)))
        let store = try await DataStore.open(
            at: scratch.path(), schema: ServerModels.adding(to: api.storedSchema), adapter: adapter,
            configuration: DataStoreConfiguration(durability: .relaxed))
        var configuration = Server.Configuration(
            listener: Listener.Configuration(port: 0, identity: identity), authenticator: authenticator)
        (configuration.log, configuration.options, configuration.notice) = (log, options, notice)
        let versions = try await LogVersionedStore(
            store, schema: api.storedSchema, source: sdl, tombstoneAge: 1_000_000,
            clock: configuration.environment.clock)
        let server = try await Server.start(api, over: versions, configuration)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(server.port))
        } catch {
            result = .failure(error)
        }
        await server.stop(within: .seconds(2))
        try await store.close()
        return try result.get()
    }
}
