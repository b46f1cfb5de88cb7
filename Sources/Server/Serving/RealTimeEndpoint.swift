internal import TidelogAgreement
internal import TidelogSynchronization
internal import TidelogWebSocket

/// Accepts WebSockets on `/graphql` and `/graphql/realtime`, and serves the real-time protocol on each.
final class RealTimeEndpoint: Sendable {
    /// The subprotocol of the WebSockets.
    private static let subprotocol = "graphql-ws"
    private static let paths: Set<String> = ["/graphql", "/graphql/realtime"]
    /// The time between two ticks of the connections.
    private static let pause = Duration.seconds(5)

    private let subscriptions: Subscriptions
    private let feed: SubscriberFeed
    private let authenticator: Authenticator
    private let clock: @Sendable () -> Int64
    private let connections = Mutex(Connections())

    private struct Connections {
        var next: UInt64 = 1
        var all: [UInt64: SubscriberConnection] = [:]
    }

    init(
        _ subscriptions: Subscriptions, feed: SubscriberFeed, authenticator: Authenticator,
        clock: @escaping @Sendable () -> Int64
    ) {
        (self.subscriptions, self.feed) = (subscriptions, feed)
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
        // A client that connects again asks for the changes that it has missed.
        let isFollowed = await feed.enter(number) { socket.close(.tryAgainLater, reason: "changes may be missing") }
        if isFollowed { for await message in socket.incoming { connection.receive(message) } }
        connection.end()
        feed.leave(number)
        connections.withLock { $0.all[number] = nil }
    }
}

extension RealTimeCredentials {
    /// Reads the credentials from a client's request for a WebSocket. A client sends them as JSON in Base64, either in the
    /// query item `header` or in a subprotocol that begins with `header-`. Otherwise they are header fields of the request.
    ///
    /// - Throws: ``MalformedMessage`` if the JSON cannot be read.
    init(of offer: ListenerService.WebSocketOffer) throws(MalformedMessage) {
        if let text = offer.request.queryValue("header") {
            self.init(try Self.headers(text))
        } else if let text = offer.subprotocols.first(where: { $0.hasPrefix(Self.prefix) }) {
            self.init(try Self.headers(String(text.dropFirst(Self.prefix.count))))
        } else {
            let headers = offer.request.headers
            self.init(key: headers["x-api-key"], authorization: headers["Authorization"])
        }
    }

    private static let prefix = "header-"

    /// Decodes Base64 with either alphabet, with or without padding. A plus sign in a query that was not escaped arrives as a
    /// blank.
    private static func headers(_ text: String) throws(MalformedMessage) -> [String: String] {
        var letters: [UInt8] = []
        for letter in text.utf8 where letter != UInt8(ascii: "=") {
            switch letter {
            case UInt8(ascii: "+"), UInt8(ascii: " "): letters.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): letters.append(UInt8(ascii: "_"))
            default: letters.append(letter)
            }
        }
        guard let bytes = Base64URL.decode(letters) else { throw MalformedMessage() }
        return try RealTimeAuthorization.headers(bytes)
    }
}
