import TidelogSync
import TidelogSynchronization

/// A transport that waits before each request. It counts the requests that the server refused because of their token.
final class SlowTransport: Transport {
    private struct State {
        var refused: [String: Int] = [:]
    }

    private let transport = CurlTransport()
    private let wait: Duration
    private let state = Mutex(State())

    init(_ wait: Duration) { self.wait = wait }

    /// Whether an expired token made the server refuse a query and a mutation.
    var sawTokensExpire: Bool {
        state.withLock { $0.refused["query", default: 0] > 0 && $0.refused["mutation", default: 0] > 0 }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        try? await Task.sleep(for: wait)
        let response = try await transport.send(request)
        if response.status == 401 {
            let text = String(decoding: request.body, as: UTF8.self)
            let kind = text.contains("mutation ") ? "mutation" : "query"
            state.withLock { $0.refused[kind, default: 0] += 1 }
        }
        return response
    }

    func openWebSocket(_ request: WebSocketRequest) async throws(TransportError) -> any TransportWebSocket {
        try await transport.openWebSocket(request)
    }
}
