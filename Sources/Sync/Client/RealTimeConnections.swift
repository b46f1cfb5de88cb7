internal import TidelogWebSocket
internal import TidelogWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The connections of a client for subscriptions: one at a time, shared by all of them.
actor RealTimeConnections {
    private let endpoint: GraphQLEndpoint
    private var opening: Task<Result<RealTimeConnection, TransportError>, Never>?
    private var isOpening = false

    /// - Parameter endpoint: The address of GraphQL, from which the one of the WebSocket follows.
    init(_ endpoint: GraphQLEndpoint) { self.endpoint = endpoint }

    /// The connection, which is opened if there is none or if the last one has ended, and the headers that authorise a
    /// subscription on it.
    func connection() async throws(GraphQLClientError) -> (RealTimeConnection, credentials: [String: String]) {
        let credentials = try await credentials()
        do throws(TransportError) {
            return (try await connection(realTimeRequest(credentials)), credentials)
        } catch {
            throw error.status == 401 || error.status == 403
                ? GraphQLClientError(.unauthorized, error.message, status: error.status, cause: error)
                : GraphQLClientError(error)
        }
    }

    /// Ends the connection and all subscriptions on it.
    func disconnect() async {
        guard let opening else { return }
        (self.opening, isOpening) = (nil, false)
        if case .success(let connection) = await opening.value { await connection.disconnect() }
    }

    private func connection(_ request: WebSocketRequest) async throws(TransportError) -> RealTimeConnection {
        while let current = opening {
            let wasOpening = isOpening
            switch await current.value {
            case .success(let connection): if await connection.reserve() { return connection }
            // Calls that wait for the same connection have the same failure.
            case .failure(let error): if wasOpening { throw error }
            }
            // While this call waited, another one may have begun the next connection.
            if opening == current { opening = nil }
        }
        let task = Task { [transport = endpoint.transport] () async -> Result<RealTimeConnection, TransportError> in
            do throws(TransportError) {
                let connection = RealTimeConnection(try await transport.openWebSocket(request))
                await connection.start()
                return .success(connection)
            } catch {
                return .failure(error)
            }
        }
        (opening, isOpening) = (task, true)
        let result = await task.value
        if opening == task { isOpening = false }
        let connection = try result.get()
        // A connection that has ended already gives its reason to the subscriber.
        _ = await connection.reserve()
        return connection
    }

    /// The headers by which the real-time protocol authorises, with the host that AppSync asks for.
    private func credentials() async throws(GraphQLClientError) -> [String: String] {
        var headers = try await endpoint.authorization.header()
        headers["host"] = endpoint.url.host() ?? ""
        return headers
    }

    /// The request for the WebSocket. AppSync's own servers have another host for it; all other servers have another path.
    private func realTimeRequest(_ credentials: [String: String]) -> WebSocketRequest {
        var url = endpoint.url
        let host = url.host() ?? ""
        if host.contains(".appsync-api."), var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) {
            parts.host = host.replacing(".appsync-api.", with: ".appsync-realtime-api.")
            url = parts.url ?? url
        } else {
            url.append(path: "realtime")
        }
        // In a subprotocol, Base64 has the alphabet for addresses and no padding.
        let header = Base64.encode(RealTimeAuthorization.json(credentials)).replacing("+", with: "-")
            .replacing("/", with: "_").replacing("=", with: "")
        return WebSocketRequest(url, subprotocols: ["graphql-ws", "header-\(header)"])
    }
}
