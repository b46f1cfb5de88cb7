internal import TidelogWebSocket
internal import TidelogWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The connection of a client for subscriptions. There is one connection at a time, which all subscriptions share.
actor RealTimeConnections {
    private let endpoint: GraphQLEndpoint
    private var opening: Task<Result<RealTimeConnection, TransportError>, Never>?
    private var isOpening = false
    /// The headers that the last connection was opened with.
    private var openingHeaders: [String: String] = [:]

    /// - Parameter endpoint: The URL of the GraphQL API, from which the URL of the WebSocket is derived.
    init(_ endpoint: GraphQLEndpoint) { self.endpoint = endpoint }

    /// Begins a subscription. When the server has begun it, this method returns the connection and the subscription's id on it.
    /// If the server refuses the token, the method tries once more with a new token.
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
        let connection = try await connection(headers)
        let id = try await connection.subscribe(request, headers, deliver: deliver, end: end)
        return (connection, id)
    }

    /// Returns the current connection. A new connection is opened if there is none or if the last one has ended.
    private func connection(_ headers: [String: String]) async throws(GraphQLClientError) -> RealTimeConnection {
        do throws(TransportError) {
            return try await openConnection(headers)
        } catch {
            guard error.status == 401 || error.status == 403, error.errorType != nil else {
                throw GraphQLClientError(error)
            }
            throw GraphQLClientError(.unauthorized, error.message, status: error.status, cause: error)
        }
    }

    /// Ends the connection and all subscriptions on it.
    func disconnect() async {
        guard let opening else { return }
        (self.opening, isOpening) = (nil, false)
        // Without cancelling, the caller would wait until the handshake times out if the server does not answer.
        opening.cancel()
        if case .success(let connection) = await opening.value { await connection.disconnect() }
    }

    private func openConnection(_ headers: [String: String]) async throws(TransportError) -> RealTimeConnection {
        while let current = opening {
            let mayShareFailure = isOpening && openingHeaders == headers
            switch await current.value {
            case .success(let connection): if await connection.reserve() { return connection }
            // Calls that wait for the same connection get the same failure, unless another caller was refused.
            case .failure(let error): if mayShareFailure { throw error }
            }
            // While this call waited, another call may have begun the next connection.
            if opening == current { opening = nil }
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
        (opening, isOpening, openingHeaders) = (task, true, headers)
        let result = await task.value
        if opening == task { isOpening = false }
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
