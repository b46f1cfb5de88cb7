package import TidelogWebSocket

/// How a WebSocket ended.
package enum WebSocketEnd: Sendable, Equatable {
    /// The client closed it. There is no code if it gave none.
    case closedByClient(WebSocketCloseCode?, reason: String)
    /// The service, or the listener as it stopped, closed it.
    case closedByServer(WebSocketCloseCode)
    /// The client broke the protocol, or sent what is not taken.
    case violation(WebSocketCloseCode, String)
    /// More bytes waited for the client than the limit.
    case overflow
    /// Nothing was heard of the client for too long, or it took nothing of what it was sent.
    case silence
    /// The connection was lost.
    case lost
}
