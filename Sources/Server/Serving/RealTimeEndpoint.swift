internal import TidelogSynchronization
internal import TidelogWebSocket
internal import TidelogWire

/// Accepts WebSockets on `/graphql` and `/graphql/realtime`, and serves the real-time protocol on each.
final class RealTimeEndpoint: Sendable {
    /// The subprotocol of the WebSockets.
    private static let subprotocol = "graphql-ws"
    private static let paths: Set<String> = ["/graphql", "/graphql/realtime"]
    /// The time between two ticks of the connections.
    private static let pause = Duration.seconds(5)

    private let subscriptions: Subscriptions
    private let authenticator: Authenticator
    private let clock: @Sendable () -> Int64
    private let connections = Mutex(Connections())

    private struct Connections {
        var next: UInt64 = 1
        var all: [UInt64: SubscriberConnection] = [:]
    }

    init(_ subscriptions: Subscriptions, authenticator: Authenticator, clock: @escaping @Sendable () -> Int64) {
        self.subscriptions = subscriptions
        self.authenticator = authenticator
        self.clock = clock
    }

    /// The number of connected clients.
    var count: Int { connections.withLock { $0.all.count } }

    /// Decides on a client's request for a WebSocket. If the caller is refused, the WebSocket is still accepted, because
    /// clients expect the error as a message.
    func accept(_ offer: ListenerService.WebSocketOffer) -> ListenerService.WebSocketAnswer {
        guard Self.paths.contains(offer.request.path) else { return .refuse(HTTPFailure.notFound.response) }
        guard offer.subprotocols.contains(Self.subprotocol) else {
            return .accept(subprotocol: nil) { $0.close(.protocolError, reason: "speak \(Self.subprotocol)") }
        }
        let opener = opener(of: offer)
        return .accept(subprotocol: Self.subprotocol) { [self] socket in await serve(socket, opener) }
    }

    /// Calls `tick()` of all connections again and again, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.pause)
            for connection in connections.withLock({ Array($0.all.values) }) { connection.tick() }
        }
    }

    private func opener(of offer: ListenerService.WebSocketOffer) -> Result<Caller, RealTimeError> {
        do {
            let credentials = try RealTimeCredentials(of: offer)
            let caller = try authenticator.caller(
                key: credentials.key, authorization: credentials.authorization, at: clock() / 1_000)
            return .success(caller)
        } catch is MalformedMessage {
            return .failure(.badRequest("The header of the connection cannot be read."))
        } catch {
            return .failure(.unauthorized)
        }
    }

    private func serve(_ socket: WebSocketConnection, _ opener: Result<Caller, RealTimeError>) async {
        let output = SubscriberConnection.Output(
            send: { socket.send(WebSocketConnection.Text(utf8: $0)) }, close: { socket.close($0, reason: $1) })
        let connection = SubscriberConnection(
            subscriptions, authenticator: authenticator, opener: opener, clock: clock, output: output)
        let number = connections.withLock { connections in
            defer { connections.next += 1 }
            connections.all[connections.next] = connection
            return connections.next
        }
        for await message in socket.incoming { connection.receive(message) }
        connection.end()
        connections.withLock { $0.all[number] = nil }
    }
}
