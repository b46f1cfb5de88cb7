import TestStores
import Tidelog
import TidelogSDL
import TidelogServer

/// A server in this process, over a store in memory, on a port that the system chose.
enum RunningServer {
    /// Starts a server of `sdl`, runs `body`, which may block, with its port, and stops it.
    static func run<Value: Sendable>(
        _ sdl: String, _ authenticator: Authenticator, identity: TLSIdentity? = nil,
        log: (@Sendable (ServedRequest) -> Void)? = nil, _ body: @escaping @Sendable (Int) throws -> Value
    ) async throws -> Value {
        let scratch = try Scratch()
        let api = try API(SchemaDocument(sdl: Array(sdl.utf8)))
        let store = try await DataStore.open(
            at: scratch.path(), schema: ServerModels.adding(to: api.storedSchema), adapter: .inMemory(),
            configuration: DataStoreConfiguration(durability: .relaxed))
        var configuration = Server.Configuration(
            listener: ListenerConfiguration(port: 0, identity: identity), authenticator: authenticator)
        configuration.log = log
        let versions = try await LogVersionedStore(
            store, schema: api.storedSchema, source: sdl, tombstoneAge: 1_000_000,
            clock: configuration.environment.clock)
        let server = try await Server.start(api, over: versions, configuration)
        let result: Result<Value, any Error>
        do {
            result = .success(try await onThread { [port = server.port] in try body(port) })
        } catch {
            result = .failure(error)
        }
        await server.stop(within: .seconds(2))
        try await store.close()
        return try result.get()
    }

    /// Posts a document to the server on `port`.
    static func ask(
        _ port: Int, _ query: String, _ headers: [(String, String)] = [("x-api-key", "da2-key")]
    ) throws -> (status: Int, text: String) {
        let body = body(query)
        var request = "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        for (name, value) in headers { request += "\(name): \(value)\r\n" }
        request += "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        return try RawClient(port).ask(request)
    }

    /// The body of a request, as JSON.
    static func body(_ query: String) -> String {
        let text = query.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "{\"query\":\"\(text)\"}"
    }
}
