internal import TidelogWebSocket

/// A text message, encoded as a WebSocket frame. The same value can be sent to many clients.
package struct WebSocketText: Sendable {
    let frame: [UInt8]

    /// Encodes `text`.
    package init(_ text: String) {
        var text = text
        frame = text.withUTF8 { WebSocketFrame.bytes(.text, $0) }
    }

    /// Encodes bytes, which must be UTF-8.
    package init(utf8 bytes: [UInt8]) { frame = WebSocketFrame.bytes(.text, bytes) }
}
