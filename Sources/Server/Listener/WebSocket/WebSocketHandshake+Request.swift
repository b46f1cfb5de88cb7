internal import TidelogWebSocket

extension WebSocketHandshake {
    /// Whether `request` asks for a WebSocket.
    static func isAsked(by request: HTTPRequest) -> Bool {
        request.headers.list("Upgrade", contains: "websocket")
            && request.headers.list("Connection", contains: "upgrade")
    }

    /// The handshake for a request that asks for a WebSocket, or the reason why the request is refused.
    static func of(_ request: HTTPRequest) -> Result<WebSocketHandshake, HTTPHead.Failure> {
        do throws(Failure) {
            return .success(
                try WebSocketHandshake(
                    Request(
                        method: request.method, minorVersion: request.minorVersion,
                        versions: request.headers.values(of: "Sec-WebSocket-Version"),
                        keys: request.headers.values(of: "Sec-WebSocket-Key"),
                        subprotocols: request.headers.list("Sec-WebSocket-Protocol"))))
        } catch {
            switch error {
            case .malformed(let reason): return .failure(.malformed(reason))
            case .unsupportedVersion: return .failure(HTTPHead.Failure(.unsupportedWebSocketVersion))
            }
        }
    }
}
