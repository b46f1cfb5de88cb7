internal import Synchronization
internal import TidelogWebSocket
internal import TidelogWire

/// Accepts WebSockets on `/graphql` and `/graphql/realtime`, and runs a session for each.
final class RealTimeEndpoint: Sendable {
    /// The subprotocol of the WebSockets.
    private static let subprotocol = "graphql-ws"
    private static let paths: Set<String> = ["/graphql", "/graphql/realtime"]
    /// The time between two ticks of the sessions.
    private static let pause = Duration.seconds(5)

    private let subscriptions: Subscriptions
    private let authenticator: Authenticator
    private let clock: @Sendable () -> Int64
    private let sessions = Mutex(Sessions())

    private struct Sessions {
        var next: UInt64 = 1
        var all: [UInt64: RealTimeSession] = [:]
    }

    init(_ subscriptions: Subscriptions, authenticator: Authenticator, clock: @escaping @Sendable () -> Int64) {
        (self.subscriptions, self.authenticator, self.clock) = (subscriptions, authenticator, clock)
    }

    /// The number of connected clients.
    var count: Int { sessions.withLock { $0.all.count } }

    /// Decides on a client's request for a WebSocket. If the caller is refused, the WebSocket is still accepted, because
    /// clients expect the error as a message.
    func accept(_ offer: WebSocketOffer) -> WebSocketAnswer {
        guard Self.paths.contains(offer.request.path) else { return .refuse(HTTPFailure.notFound.response) }
        guard offer.subprotocols.contains(Self.subprotocol) else {
            return .accept(subprotocol: nil) { $0.close(.protocolError, reason: "speak \(Self.subprotocol)") }
        }
        let opener = opener(of: offer)
        return .accept(subprotocol: Self.subprotocol) { [self] connection in await serve(connection, opener) }
    }

    /// Calls `tick()` of all sessions again and again, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.pause)
            for session in sessions.withLock({ Array($0.all.values) }) { session.tick() }
        }
    }

    private func opener(of offer: WebSocketOffer) -> Result<Caller, RealTimeError> {
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

    private func serve(_ connection: WebSocketConnection, _ opener: Result<Caller, RealTimeError>) async {
        let output = RealTimeOutput(
            send: { connection.send(WebSocketText(utf8: $0)) }, close: { connection.close($0, reason: $1) })
        let session = RealTimeSession(
            subscriptions, authenticator: authenticator, opener: opener, clock: clock, output: output)
        let number = sessions.withLock { sessions in
            defer { sessions.next += 1 }
            sessions.all[sessions.next] = session
            return sessions.next
        }
        for await message in connection.incoming { session.receive(message) }
        session.end()
        sessions.withLock { $0.all[number] = nil }
    }
}
