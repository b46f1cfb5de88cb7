/// What a listener calls.
package struct ListenerService: Sendable {
    /// Decides on a request whose body follows its header. Called on the listener's thread.
    package var admit: @Sendable (HTTPRequest) -> HTTPAdmission
    /// Answers a request. Its task is cancelled if the client goes away.
    package var respond: @Sendable (HTTPRequest) async -> HTTPResponse
    /// Decides on a WebSocket that a client asks for.
    package var accept: @Sendable (WebSocketOffer) async -> WebSocketAnswer
    /// Words the listener's own refusals; the response has the refusal's status. Called on the listener's thread.
    package var refuse: @Sendable (HTTPRefusal) -> HTTPResponse

    /// A service. Without `admit`, every body is taken; without `accept`, no WebSocket is accepted; without `refuse`,
    /// refusals are plain text.
    package init(
        admit: @escaping @Sendable (HTTPRequest) -> HTTPAdmission = { _ in .admit(nil) },
        respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse,
        accept: @escaping @Sendable (WebSocketOffer) async -> WebSocketAnswer = { _ in
            .refuse(HTTPResponse(status: 404, text: "There is no WebSocket here.\n"))
        },
        refuse: @escaping @Sendable (HTTPRefusal) -> HTTPResponse = {
            HTTPResponse(status: $0.status, text: $0.message + "\n")
        }
    ) {
        self.admit = admit
        self.respond = respond
        self.accept = accept
        self.refuse = refuse
    }
}

/// The decision on a request of which only the header was read.
package enum HTTPAdmission: Sendable {
    /// The body is read, and the request comes to the handler with this value.
    case admit((any Sendable)?)
    /// The response is sent, the body is not read, and the socket is closed.
    case refuse(HTTPResponse)
}

/// A client asks for a WebSocket.
package struct WebSocketOffer: Sendable {
    /// The request.
    package let request: HTTPRequest
    /// What the client offers to speak, in its order, and whatever else it hands over in their place.
    package let subprotocols: [String]
}

/// The answer to an offer.
package enum WebSocketAnswer: Sendable {
    /// There will be no WebSocket.
    case refuse(HTTPResponse)
    /// There will be one, over which `subprotocol` is spoken, and no other word is named to the client.
    ///
    /// `session` is called with it. When it returns, the WebSocket is closed, unless it ended before. The task is not
    /// cancelled when the client goes away: what the session reads ends then.
    case accept(subprotocol: String?, session: @Sendable (WebSocketConnection) async -> Void)
}
