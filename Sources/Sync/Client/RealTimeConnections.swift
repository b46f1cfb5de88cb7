internal import TidelogAgreement
internal import TidelogFoundation
internal import TidelogWebSocket

/// The connections of a client for subscriptions. Subscriptions share one connection, as long as the server does not limit the
/// number of subscriptions on it. Beyond such a limit, further connections are opened.
actor RealTimeConnections {
    /// A connection that is open or being opened.
    private struct Place {
        let number: UInt64
        let opening: Task<Result<RealTimeConnection, TransportError>, Never>
        /// The headers that the connection is opened with.
        let headers: [String: String]
        var isOpening = true
    }

    private let endpoint: GraphQLEndpoint
    private var places: [Place] = []
    private var placeCount: UInt64 = 0
    /// The largest number of subscriptions on one connection, if the server has refused one more.
    private var limit: Int?
    /// How often every connection was ended here.
    private var disconnectCount = 0
    /// Whether a caller is between `enter` and `leave`.
    private var isEntered = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter endpoint: The URL of the GraphQL API, from which the URL of the WebSocket is derived.
    init(_ endpoint: GraphQLEndpoint) { self.endpoint = endpoint }

    /// Begins a subscription. When the server has begun it, this method returns the connection and the subscription's id on it.
    /// If the server refuses the token, the method tries again with a new token.
    ///
    /// - Parameters:
    ///   - request: Makes the request for the bearer of a token. The token is `nil` for a key.
    ///   - mode: The mode of authorization; `nil` for the default.
    func subscribe(
        _ request: @Sendable (_ token: String?) -> [UInt8], by mode: GraphQLAuthorization.Mode? = nil,
        deliver: @escaping @Sendable ([UInt8]) -> Bool, end: @escaping @Sendable (GraphQLClientError?) -> Void
    ) async throws(GraphQLClientError) -> (RealTimeConnection, id: String) {
        let credential = try await endpoint.credentials.credential(mode)
        do throws(GraphQLClientError) {
            return try await subscribe(request(credential.token), credential, deliver, end)
        } catch {
            guard error.refusesCaller, let next = try await endpoint.credentials.credential(inPlaceOf: credential)
            else { throw error }
            return try await subscribe(request(next.token), next, deliver, end)
        }
    }

    private func subscribe(
        _ request: [UInt8], _ credential: Credential, _ deliver: @escaping @Sendable ([UInt8]) -> Bool,
        _ end: @escaping @Sendable (GraphQLClientError?) -> Void
    ) async throws(GraphQLClientError) -> (RealTimeConnection, id: String) {
        let headers = headers(credential)
        let disconnectCount = disconnectCount
        var mayRepeat = true
        while true {
            let connection: RealTimeConnection
            do throws(GraphQLClientError) {
                connection = try await self.connection(headers)
            } catch {
                guard let limit, !places.isEmpty else { throw error }
                throw .subscriptionLimit(limit, error)
            }
            do throws(GraphQLClientError) {
                let id = try await connection.subscribe(request, headers, deliver: deliver, end: end)
                return (connection, id)
            } catch {
                // A connection that other subscriptions had used may end before it takes this one, for example because the
                // server closes it after their token has expired.
                if mayRepeat, await connection.endedAfterUse, disconnectCount == self.disconnectCount {
                    mayRepeat = false
                    continue
                }
                guard error.reachesSubscriptionLimit else { throw error }
                // If a connection takes no subscription at all, another one would not either.
                guard await connection.begunCount > 0 else {
                    await connection.closeIfIdle()
                    throw error
                }
                // Subscriptions may have been stopped here before this error was read.
                limit = await connection.largestCount
            }
        }
    }

    /// Returns a connection with room for a subscription. A new connection is opened if there is none.
    private func connection(_ headers: [String: String]) async throws(GraphQLClientError) -> RealTimeConnection {
        do throws(TransportError) {
            return try await openConnection(headers)
        } catch {
            guard error.status == 401 || error.status == 403, error.errorType != nil else {
                throw GraphQLClientError(error)
            }
            throw GraphQLClientError(.unauthorized, error.message, status: error.status, underlying: error)
        }
    }

    /// Waits until no other caller is between this call and ``leave()``.
    func enter() async {
        guard isEntered else {
            isEntered = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        isEntered = false
    }

    /// Ends every connection and all subscriptions.
    func disconnect() async {
        disconnectCount += 1
        let places = places
        (self.places, limit) = ([], nil)
        // Without cancelling, the caller would wait until the handshake times out if the server does not answer.
        for place in places { place.opening.cancel() }
        for place in places {
            if case .success(let connection) = await place.opening.value { await connection.disconnect() }
        }
    }

    private func openConnection(_ headers: [String: String]) async throws(TransportError) -> RealTimeConnection {
        var full: Set<UInt64> = []
        while let place = places.first(where: { !full.contains($0.number) }) {
            let mayShareFailure = place.isOpening && place.headers == headers
            switch await place.opening.value {
            case .success(let connection):
                if await connection.reserve(limit: limit) { return connection }
                if await connection.hasEnded {
                    places.removeAll { $0.number == place.number }
                } else {
                    full.insert(place.number)
                }
            // Calls that wait for the same connection get the same failure, unless another caller was refused.
            case .failure(let error):
                places.removeAll { $0.number == place.number }
                if mayShareFailure { throw error }
            }
        }
        let request = realTimeRequest(headers)
        let task = Task { [transport = endpoint.transport] () async -> Result<RealTimeConnection, TransportError> in
            do throws(TransportError) {
                let connection = RealTimeConnection(try await transport.openWebSocket(request))
                await connection.start()
                return .success(connection)
            } catch {
                return .failure(error)
            }
        }
        placeCount += 1
        let number = placeCount
        places.append(Place(number: number, opening: task, headers: headers))
        let result = await task.value
        if let index = places.firstIndex(where: { $0.number == number }) { places[index].isOpening = false }
        let connection = try result.get()
        // If the connection has ended already, the subscriber gets the reason from it.
        _ = await connection.reserve()
        return connection
    }

    /// The header fields for authorization in the real-time protocol, with the host that AppSync requires.
    private func headers(_ credential: Credential) -> [String: String] {
        var headers = credential.headers
        headers["host"] = endpoint.url.host() ?? ""
        return headers
    }

    /// The request for the WebSocket. AppSync's own servers use another host for it, and all other servers use another path.
    private func realTimeRequest(_ headers: [String: String]) -> WebSocketRequest {
        var url = endpoint.url
        let host = url.host() ?? ""
        if host.contains(".appsync-api."), var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) {
            parts.host = host.replacing(".appsync-api.", with: ".appsync-realtime-api.")
            url = parts.url ?? url
        } else {
            url.append(path: "realtime")
        }
        // In a subprotocol, Base64 must have the alphabet for URLs and no padding.
        let header = Base64.encode(RealTimeAuthorization.json(headers)).replacing("+", with: "-")
            .replacing("/", with: "_").replacing("=", with: "")
        return WebSocketRequest(url, subprotocols: ["graphql-ws", "header-\(header)"])
    }
}
