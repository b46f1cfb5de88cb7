/// A side of a WebSocket.
///
/// A client masks every frame that it sends, and a server masks none: RFC 6455, section 5.1.
package enum WebSocketRole: Sendable, Hashable {
    /// The side that opened the WebSocket.
    case client
    /// The side that accepted it.
    case server
}
