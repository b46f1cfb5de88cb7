/// The user's side of an open WebSocket.
final class CurlWebSocket: TransportWebSocket {
    let subprotocol: String?
    private let channel: CurlChannel

    init(_ channel: CurlChannel, subprotocol: String?) {
        self.channel = channel
        self.subprotocol = subprotocol
    }

    deinit { channel.abandon() }

    func send(_ text: String) async throws(TransportError) { try channel.send(text) }

    func receive() async throws(TransportError) -> String { try await channel.receive() }

    func close(code: UInt16, reason: String) async { await channel.close(code: code, reason: reason) }
}
