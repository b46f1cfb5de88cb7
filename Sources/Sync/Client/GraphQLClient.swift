@_spi(Adapters) public import TidelogCore
internal import TidelogWebSocket
internal import TidelogWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A client of a server's API of GraphQL. Every answer is the server's own: the client stores nothing.
///
/// ```swift
/// let client = try GraphQLClient(endpoint: url, authorization: .apiKey(key), schema: .app)
/// let post = try await client.query(.get(Post.self, id: "1"))
/// let page = try await client.query(.list(Post.self, where: Post.keys.rating > 4))
/// try await client.mutate(.create(comment))
/// for try await created in try await client.subscribe(.onCreate(Comment.self)) { show(created.value) }
/// ```
public final class GraphQLClient: Sendable {
    private let endpoint: URL
    private let authorization: GraphQLAuthorization
    private let transport: any Transport
    private let layout: SchemaLayout
    private let realTime = RealTimeConnections()

    /// A client of the server at `endpoint`.
    ///
    /// - Parameters:
    ///   - schema: The models, as the app declares them.
    ///   - transport: The network; libcurl's unless another one is given.
    /// - Throws: ``DataStoreError`` with the code `invalidSchema`.
    public init(
        endpoint: URL, authorization: GraphQLAuthorization, schema: Schema, transport: any Transport = CurlTransport()
    ) throws {
        try schema.validate()
        self.endpoint = endpoint
        self.authorization = authorization
        self.transport = transport
        layout = SchemaLayout(StoredSchema(first: schema))
    }

    /// Asks the server a question.
    public func query<Answer>(_ query: ServerQuery<Answer>) async throws(GraphQLClientError) -> Answer {
        try await answer(to: try query.prepare(layout))
    }

    /// Has the server make a change. The answer is the record as the server then has it.
    @discardableResult
    public func mutate<Value>(
        _ mutation: ServerMutation<Value>
    ) async throws(GraphQLClientError) -> RemoteRecord<Value> {
        try await answer(to: try mutation.prepare(layout))
    }

    /// Subscribes to changes, and returns when the server has begun the subscription.
    ///
    /// All subscriptions of a client share one WebSocket. A subscription ends with an error if the connection is lost;
    /// changes that were made in between are found by a query.
    public func subscribe<Value>(
        _ subscription: ServerSubscription<Value>
    ) async throws(GraphQLClientError) -> ServerEvents<Value> {
        let prepared = try subscription.prepare(layout)
        let credentials = try await credentials()
        let request = realTimeRequest(credentials)
        let connection: RealTimeConnection
        do throws(TransportError) {
            connection = try await realTime.connection { [transport] () async throws(TransportError) in
                try await transport.openWebSocket(request)
            }
        } catch {
            throw error.status == 401 || error.status == 403
                ? GraphQLClientError(.unauthorized, error.message, status: error.status, cause: error)
                : GraphQLClientError(error)
        }
        let (stream, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(ServerEvents<Value>.maximumWaiting))
        let id = try await connection.subscribe(
            prepared.body, credentials,
            deliver: { payload in
                if case .dropped = continuation.yield(payload) { false } else { true }
            },
            end: { continuation.finish(throwing: $0) })
        continuation.onTermination = { _ in Task { await connection.unsubscribe(id) } }
        return ServerEvents(stream: stream, field: prepared.field, read: prepared.read)
    }

    // MARK: - Requests

    private func answer<Answer>(
        to operation: PreparedOperation<Answer>
    ) async throws(GraphQLClientError) -> Answer {
        var headers = try await authorization.header()
        headers["Content-Type"] = "application/json"
        headers["Accept"] = "application/json"
        let response: TransportResponse
        do throws(TransportError) {
            response = try await transport.send(
                TransportRequest("POST", endpoint, headers: headers, body: operation.body))
        } catch {
            throw GraphQLClientError(error)
        }
        let status = response.status == 200 ? nil : response.status
        return try operation.read(try ServerResponse(response.body, field: operation.field, status: status))
    }

    /// The headers by which the real-time protocol authorises, with the host that AppSync asks for.
    private func credentials() async throws(GraphQLClientError) -> [String: String] {
        var headers = try await authorization.header()
        headers["host"] = endpoint.host() ?? ""
        return headers
    }

    /// The request for the WebSocket. AppSync's own servers have another host for it; all other servers have another path.
    private func realTimeRequest(_ credentials: [String: String]) -> WebSocketRequest {
        var url = endpoint
        let host = endpoint.host() ?? ""
        if host.contains(".appsync-api."), var parts = URLComponents(url: endpoint, resolvingAgainstBaseURL: false) {
            parts.host = host.replacing(".appsync-api.", with: ".appsync-realtime-api.")
            url = parts.url ?? endpoint
        } else {
            url.append(path: "realtime")
        }
        // In a subprotocol, Base64 has the alphabet for addresses and no padding.
        let header = Base64.encode(RealTimeAuthorization.json(credentials)).replacing("+", with: "-")
            .replacing("/", with: "_").replacing("=", with: "")
        return WebSocketRequest(url, subprotocols: ["graphql-ws", "header-\(header)"])
    }
}

/// The connections of a client: one at a time.
private actor RealTimeConnections {
    private var opening: Task<Result<RealTimeConnection, TransportError>, Never>?

    /// The connection, which is opened if there is none or if the last one has ended.
    func connection(
        _ open: @escaping @Sendable () async throws(TransportError) -> any TransportWebSocket
    ) async throws(TransportError) -> RealTimeConnection {
        if let opening, case .success(let connection) = await opening.value, await connection.reserve() {
            return connection
        }
        let task = Task { () async -> Result<RealTimeConnection, TransportError> in
            do throws(TransportError) {
                let connection = RealTimeConnection(try await open())
                await connection.start()
                return .success(connection)
            } catch {
                return .failure(error)
            }
        }
        opening = task
        let connection = try await task.value.get()
        // A connection that has ended already gives its reason to the subscriber.
        _ = await connection.reserve()
        return connection
    }
}
