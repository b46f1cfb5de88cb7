@_spi(Adapters) public import TidelogCore
public import TidelogFoundation
internal import TidelogSynchronization

/// A client of a server's GraphQL API. Every answer comes from the server: the client stores nothing.
///
/// ```swift
/// let client = try GraphQLClient(endpoint: url, authorization: .apiKey(key), schema: .app)
/// let post = try await client.query(.get(Post.self, id: "1"))
/// let page = try await client.query(.list(Post.where(Post.keys.rating > 4)))
/// try await client.mutate(.create(comment))
/// for try await created in try await client.subscribe(.onCreate(Comment.self)) { show(created.value) }
/// ```
public final class GraphQLClient: Sendable {
    private let endpoint: GraphQLEndpoint
    private let layout: SchemaLayout
    private let realTime: RealTimeConnections
    /// The protocol of the server; `automatic` until an answer tells it.
    private let chosen: Mutex<SyncProtocol>

    /// A client of the server at `endpoint`.
    ///
    /// - Parameters:
    ///   - schema: The models that the app declares.
    ///   - protocol: Whether the API has versions. By default, the server's first answer tells it.
    ///   - transport: The transport for requests. The default is libcurl's.
    /// - Throws: ``DataStoreError`` with the code `invalidSchema`; ``GraphQLClientError`` with the code
    ///   `invalidConfiguration` if a mode of the authorization is not supported.
    public init(
        endpoint: URL, authorization: GraphQLAuthorization, schema: Schema, protocol: SyncProtocol = .automatic,
        transport: any Transport = SystemTransport()
    ) throws {
        try schema.validate()
        try authorization.check()
        self.endpoint = GraphQLEndpoint(endpoint, authorization, transport)
        layout = SchemaLayout(StoredSchema(first: schema))
        realTime = RealTimeConnections(self.endpoint)
        chosen = Mutex(`protocol`)
    }

    /// Sends a query to the server.
    public func query<Answer>(_ query: ServerQuery<Answer>) async throws(GraphQLClientError) -> Answer {
        try await withSchema { (schema) throws(GraphQLClientError) in
            try await answer(to: try query.prepare(schema), isRepeatable: true)
        }
    }

    /// Makes the server change a record. The answer is the record in its new state.
    @discardableResult
    public func mutate<Value>(
        _ mutation: ServerMutation<Value>
    ) async throws(GraphQLClientError) -> RemoteRecord<Value> {
        // A server that does not know a field refuses the whole document, so nothing is made twice.
        try await withSchema { (schema) throws(GraphQLClientError) in
            try await answer(to: try mutation.prepare(schema), isRepeatable: false)
        }
    }

    /// Subscribes to changes. The method returns when the server has begun the subscription.
    ///
    /// All subscriptions of a client share one WebSocket. A subscription ends with an error if the connection is lost. After a
    /// new subscription, send a query to find the changes that were made in between.
    public func subscribe<Value>(
        _ subscription: ServerSubscription<Value>
    ) async throws(GraphQLClientError) -> ServerEvents<Value> {
        try await withSchema { (schema) throws(GraphQLClientError) in
            try await subscribe(try subscription.prepare(schema))
        }
    }

    private func subscribe<Value>(
        _ prepared: PreparedOperation<RemoteRecord<Value>>
    ) async throws(GraphQLClientError) -> ServerEvents<Value> {
        let (stream, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(ServerEvents<Value>.maximumWaiting))
        let (connection, id) = try await realTime.subscribe(
            { _ in prepared.body },
            deliver: { payload in
                if case .dropped = continuation.yield(payload) { false } else { true }
            },
            end: { continuation.finish(throwing: $0) })
        continuation.onTermination = { _ in Task { await connection.unsubscribe(id) } }
        return ServerEvents(stream: stream, field: prepared.field, read: prepared.read)
    }

    // MARK: - Requests

    /// Calls `body` with the kind of API that the server has. If it is not known yet, and the server does not know the field
    /// `_version`, `body` is called a second time.
    private func withSchema<Answer: Sendable>(
        _ body: (OperationSchema) async throws(GraphQLClientError) -> Answer
    ) async throws(GraphQLClientError) -> Answer {
        let known = chosen.withLock { $0 }
        do throws(GraphQLClientError) {
            let answer = try await body(OperationSchema(layout: layout, hasVersions: known.hasVersions))
            if known == .automatic { chosen.withLock { $0 = .versioned } }
            return answer
        } catch {
            guard known == .automatic, error.errors.contains(where: { $0.saysUndefined("_version") }) else {
                throw error
            }
        }
        let answer = try await body(OperationSchema(layout: layout, hasVersions: false))
        chosen.withLock { $0 = .timestamps }
        return answer
    }

    private func answer<Answer>(
        to operation: PreparedOperation<Answer>, isRepeatable: Bool
    ) async throws(GraphQLClientError) -> Answer {
        let response = try await endpoint.post(operation.body, isRepeatable: isRepeatable)
        return try operation.read(try ServerResponse(response, field: operation.field))
    }
}
