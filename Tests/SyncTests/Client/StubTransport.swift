import TidelogSync

/// A transport that answers every request with one response, and opens no WebSocket.
struct StubTransport: Transport {
    let answer: @Sendable (TransportRequest) throws(TransportError) -> TransportResponse

    init(_ answer: @escaping @Sendable (TransportRequest) throws(TransportError) -> TransportResponse) {
        self.answer = answer
    }

    /// Answers with `body` and `status`.
    init(_ body: String, status: Int = 200) {
        self.init { (_) throws(TransportError) in TransportResponse(status: status, body: Array(body.utf8)) }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse { try answer(request) }

    func openWebSocket(_ request: WebSocketRequest) async throws(TransportError) -> any TransportWebSocket {
        throw TransportError(.unreachable, "There is no network here.")
    }
}
