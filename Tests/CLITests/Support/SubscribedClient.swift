import Foundation
import TidelogJSON
import TidelogSync

/// A client with one subscription at a server, over a WebSocket.
final class SubscribedClient: Sendable {
    private let socket: any TransportWebSocket

    /// Subscribes with the selection of `field`, for example `onCreateItem { id }`, and waits until the subscription is active.
    init(_ field: String, at server: ServerProcess) async throws {
        guard let address = server.ready["realtime"]?.text, let host = URL(string: address)?.host() else {
            throw ShopFailure(text: "the server has no real-time endpoint")
        }
        let authorization = #"{"host":"\#(host)","x-api-key":"\#(ServerProcess.key)"}"#
        let header = Data(authorization.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        guard let url = URL(string: "\(address)?header=\(header)&payload=e30") else { throw ShopFailure(text: address) }
        socket = try await CurlTransport().openWebSocket(WebSocketRequest(url, subprotocols: ["graphql-ws"]))
        try await socket.send(#"{"type":"connection_init"}"#)
        try await receive("connection_ack")
        let data = #"{\"query\":\"subscription { \#(field) }\",\"variables\":{}}"#
        try await socket.send(
            #"{"id":"1","type":"start","payload":{"data":"\#(data)","extensions":{"authorization":\#(authorization)}}}"#
        )
        try await receive("start_ack")
    }

    /// Waits for the next message of `type`, and returns its payload.
    @discardableResult
    private func receive(_ type: String) async throws -> JSONValue {
        while true {
            let message = try JSONValue(parsing: Array(try await socket.receive().utf8))
            if message["type"]?.text == type { return message["payload"] ?? .null }
            guard message["type"]?.text == "ka" else { throw ShopFailure(text: "\(message)") }
        }
    }

    /// Waits for the data of the next message.
    func next() async throws -> JSONValue { try await receive("data")["data"] ?? .null }
}
