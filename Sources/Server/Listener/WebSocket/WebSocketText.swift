internal import TidelogWebSocket

/// A text as it goes over a WebSocket. Make it once to send it to many.
package struct WebSocketText: Sendable {
    let frame: [UInt8]

    /// The message `text`.
    package init(_ text: String) {
        var text = text
        frame = text.withUTF8 { WebSocketFrame.bytes(.text, $0) }
    }

    /// The message of `bytes`, which must be UTF-8.
    package init(utf8 bytes: [UInt8]) { frame = WebSocketFrame.bytes(.text, bytes) }
}
