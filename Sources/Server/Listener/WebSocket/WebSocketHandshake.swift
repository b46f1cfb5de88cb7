internal import CCrypto

/// The opening of a WebSocket: RFC 6455, section 4.2.
struct WebSocketHandshake {
    /// The value that shows the client that its key was read.
    let acceptance: String
    /// What the client offers to speak, in its order.
    let subprotocols: [String]

    /// Whether `request` asks for a WebSocket.
    static func isAsked(by request: HTTPRequest) -> Bool {
        request.headers.list("Upgrade", contains: "websocket")
            && request.headers.list("Connection", contains: "upgrade")
    }

    /// The handshake of a request that asks for a WebSocket, or why there can be none.
    static func of(_ request: HTTPRequest) -> Result<WebSocketHandshake, HTTPHead.Failure> {
        guard request.method == "GET", request.minorVersion == 1 else {
            return .failure(.malformed("a WebSocket is opened by GET and HTTP/1.1"))
        }
        guard request.headers.values(of: "Sec-WebSocket-Version") == ["13"] else {
            return .failure(HTTPHead.Failure(.unsupportedWebSocketVersion))
        }
        let keys = request.headers.values(of: "Sec-WebSocket-Key")
        guard keys.count == 1, isKey(keys[0]) else { return .failure(.malformed("the key of its WebSocket is no key")) }
        let subprotocols = request.headers.list("Sec-WebSocket-Protocol")
        guard subprotocols.allSatisfy(HTTPHead.isToken) else {
            return .failure(.malformed("a subprotocol is no token"))
        }
        return .success(WebSocketHandshake(acceptance: acceptance(of: keys[0]), subprotocols: subprotocols))
    }

    /// The response that opens the WebSocket.
    func response(subprotocol: String?) -> [UInt8] {
        var text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        text += "Sec-WebSocket-Accept: \(acceptance)\r\n"
        if let subprotocol { text += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// 16 bytes in Base64.
    private static func isKey(_ text: String) -> Bool {
        text.utf8.count == 24 && text.hasSuffix("==")
            && text.utf8.dropLast(2).allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"): true
                default: false
                }
            }
    }

    static func acceptance(of key: String) -> String {
        let input = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        SHA1(input, input.count, &digest)
        var text = [UInt8](repeating: 0, count: 29)
        let count = EVP_EncodeBlock(&text, digest, 20)
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }
}
