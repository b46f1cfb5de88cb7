/// The server's side of the opening handshake of a WebSocket: RFC 6455, section 4.2.
package struct WebSocketHandshake: Sendable {
    /// The parts of a client's request that concern the WebSocket.
    package struct Request: Sendable {
        /// The request's method.
        package var method: String
        /// The number after `HTTP/1.`
        package var minorVersion: Int
        /// The values of the fields `Sec-WebSocket-Version`.
        package var versions: [String]
        /// The values of the fields `Sec-WebSocket-Key`.
        package var keys: [String]
        /// The elements of the lists in the fields `Sec-WebSocket-Protocol`.
        package var subprotocols: [String]

        package init(method: String, minorVersion: Int, versions: [String], keys: [String], subprotocols: [String]) {
            self.method = method
            self.minorVersion = minorVersion
            self.versions = versions
            self.keys = keys
            self.subprotocols = subprotocols
        }
    }

    /// The reason why a request opens no WebSocket.
    package enum Failure: Error, Sendable, Equatable {
        /// The request is malformed, for this reason.
        case malformed(String)
        /// The client uses another version of the protocol than 13.
        case unsupportedVersion
    }

    /// The value that proves to the client that the server has read its key.
    package let acceptance: String
    /// The subprotocols that the client offers, in its order.
    package let subprotocols: [String]

    /// Makes the handshake for a request.
    package init(_ request: Request) throws(Failure) {
        guard request.method == "GET", request.minorVersion == 1 else {
            throw .malformed("a WebSocket is opened by GET and HTTP/1.1")
        }
        guard request.versions == ["13"] else { throw .unsupportedVersion }
        guard request.keys.count == 1, Self.isKey(request.keys[0]) else {
            throw .malformed("the key of its WebSocket is no key")
        }
        guard request.subprotocols.allSatisfy({ HTTPToken.isValid($0) }) else {
            throw .malformed("a subprotocol is no token")
        }
        acceptance = Self.acceptance(of: request.keys[0])
        subprotocols = request.subprotocols
    }

    /// The response that opens the WebSocket.
    package func response(subprotocol: String?) -> [UInt8] {
        var text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        text += "Sec-WebSocket-Accept: \(acceptance)\r\n"
        if let subprotocol { text += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// Whether `text` is 16 bytes in Base64.
    private static func isKey(_ text: String) -> Bool {
        text.utf8.count == 24 && text.hasSuffix("==")
            && text.utf8.dropLast(2).allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"): true
                default: false
                }
            }
    }

    /// The server's answer to a client's key.
    static func acceptance(of key: String) -> String {
        Base64.encode(SHA1.hash(of: Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }
}
