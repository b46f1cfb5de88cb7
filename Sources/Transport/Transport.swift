/// The network interface of the sync engine and of ``GraphQLClient``.
///
/// An implementation reuses connections, checks certificates, and ends a call soon after its task was cancelled.
public protocol Transport: Sendable {
    /// Sends one HTTP request and returns the whole response with any status. Redirections are not followed. A request that
    /// is not repeatable is sent at most once: if its bytes may have reached the server, the call fails instead.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse

    /// Opens a WebSocket.
    func openWebSocket(_ request: WebSocketRequest) async throws(TransportError) -> any TransportWebSocket
}

/// An open WebSocket. It is closed when the last reference to it is dropped.
public protocol TransportWebSocket: Sendable {
    /// The subprotocol that the server chose; `nil` if it chose none.
    var subprotocol: String? { get }

    /// Queues a message after the messages that were sent before.
    func send(_ text: String) async throws(TransportError)

    /// Waits for the next message of the server. Only one task at a time may wait.
    ///
    /// - Throws: ``TransportError`` with the code `closed` and the server's close code after the last message; with the
    ///   code `cancelled` if the task was cancelled, which leaves the WebSocket open.
    func receive() async throws(TransportError) -> String

    /// Sends the queued messages and the close frame. Returns when the server has answered, or after a few seconds.
    func close(code: UInt16, reason: String) async
}
