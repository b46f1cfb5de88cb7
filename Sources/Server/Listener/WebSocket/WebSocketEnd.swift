package import TidelogWebSocket

/// The reason why a WebSocket ended.
package enum WebSocketEnd: Sendable, Equatable {
    /// The client closed the WebSocket. The code is `nil` if the client sent none.
    case closedByClient(WebSocketCloseCode?, reason: String)
    /// The service closed the WebSocket, or the listener did so because it stops.
    case closedByServer(WebSocketCloseCode)
    /// The client violated the protocol, or sent a message that the listener does not accept.
    case violation(WebSocketCloseCode, String)
    /// More bytes waited for the client than the limit.
    case overflow
    /// The client sent nothing for too long, or did not receive the bytes that were sent to it.
    case silence
    /// The connection was lost.
    case lost
}
