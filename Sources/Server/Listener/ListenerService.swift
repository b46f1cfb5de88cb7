/// The functions that a listener calls to answer requests.
package struct ListenerService: Sendable {
    /// Decides by its header whether a request with a body is read. The listener calls this function on its thread.
    package var admit: @Sendable (HTTPRequest) -> Admission
    /// Answers a request. Its task is cancelled if the client closes the socket.
    package var respond: @Sendable (HTTPRequest) async -> HTTPResponse
    /// Decides on a client's request for a WebSocket.
    package var accept: @Sendable (WebSocketOffer) async -> WebSocketAnswer
    /// Makes the response to a request that the listener refuses. The response has the refusal's status. The function also gets
    /// the client's address. The listener calls it on its thread.
    package var refuse: @Sendable (HTTPRefusal, _ client: String) -> HTTPResponse

    /// Makes a service. By default, the service admits every body, accepts no WebSocket, and describes refusals in plain text.
    package init(
        admit: @escaping @Sendable (HTTPRequest) -> Admission = { _ in .admit(nil) },
        respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse,
        accept: @escaping @Sendable (WebSocketOffer) async -> WebSocketAnswer = { _ in
            .refuse(HTTPResponse(status: 404, text: "There is no WebSocket here.\n"))
        },
        refuse: @escaping @Sendable (HTTPRefusal, _ client: String) -> HTTPResponse = { refusal, _ in
            HTTPResponse(status: refusal.status, text: refusal.message + "\n")
        }
    ) {
        self.admit = admit
        self.respond = respond
        self.accept = accept
        self.refuse = refuse
    }

    /// The answer to an offer.
    package enum WebSocketAnswer: Sendable {
        /// The WebSocket is refused with this response.
        case refuse(HTTPResponse)
        /// The WebSocket is accepted. The response names `subprotocol` and no other.
        ///
        /// The listener calls `session` with the WebSocket. When `session` returns, the WebSocket is closed, unless it has
        /// ended before. The task of `session` is not cancelled when the client closes the socket. Instead, the sequence of
        /// messages ends.
        case accept(subprotocol: String?, session: @Sendable (WebSocketConnection) async -> Void)
    }

    /// A client's request for a WebSocket.
    package struct WebSocketOffer: Sendable {
        /// The HTTP request.
        package let request: HTTPRequest
        /// The subprotocols that the client offers, in its order. Some clients send other values in this list too.
        package let subprotocols: [String]
    }

    /// The decision on a request of which only the header was read.
    package enum Admission: Sendable {
        /// The body is read. The handler gets the request with this value.
        case admit((any Sendable)?)
        /// The response is sent. The body is not read, and the socket is closed.
        case refuse(HTTPResponse)
    }
}
