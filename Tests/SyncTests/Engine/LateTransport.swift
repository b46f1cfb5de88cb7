import TestWaiting
import TidelogSync

/// A transport that reaches no server until the test starts it. For an engine, the server begins to exist then.
final class LateTransport: Transport {
    private let transport = CurlTransport()
    private let isStarted = Shared(false)

    func start() { isStarted.set(true) }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        try checkStarted()
        return try await transport.send(request)
    }

    func openWebSocket(_ request: WebSocketRequest) async throws(TransportError) -> any TransportWebSocket {
        try checkStarted()
        return try await transport.openWebSocket(request)
    }

    private func checkStarted() throws(TransportError) {
        if !isStarted.value { throw TransportError(.unreachable, "The server has not started.") }
    }
}
