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

    /// SHA-1 (RFC 3174), which the handshake of a WebSocket requires. It has no security purpose there.
    ///
    /// On Linux, neither the standard library nor Foundation has SHA-1. The code is here so that a client does not need
    /// libcrypto.
    enum SHA1 {
        /// The SHA-1 hash of `message`, which has 20 bytes.
        static func hash(of message: [UInt8]) -> [UInt8] {
            var padded = message + [0x80]
            while padded.count % 64 != 56 { padded.append(0) }
            let bitCount = UInt64(message.count) &* 8
            for shift in stride(from: 56, through: 0, by: -8) {
                padded.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
            }
            var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
            for start in stride(from: 0, to: padded.count, by: 64) { mix(padded[start..<start + 64], into: &state) }
            return state.flatMap { word in
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
            }
        }

        private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
            var words = (0..<16).map { word in
                (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[block.startIndex + word * 4 + $1]) }
            }
            for index in 16..<80 {
                words.append(
                    rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], by: 1))
            }
            var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
            for step in 0..<80 {
                let (mixed, constant): (UInt32, UInt32) =
                    switch step / 20 {
                    case 0: (b & c | ~b & d, 0x5a82_7999)
                    case 1: (b ^ c ^ d, 0x6ed9_eba1)
                    case 2: (b & c | b & d | c & d, 0x8f1b_bcdc)
                    default: (b ^ c ^ d, 0xca62_c1d6)
                    }
                let sum = rotated(a, by: 5) &+ mixed &+ e &+ constant &+ words[step]
                (a, b, c, d, e) = (sum, a, rotated(b, by: 30), c, d)
            }
            state = [state[0] &+ a, state[1] &+ b, state[2] &+ c, state[3] &+ d, state[4] &+ e]
        }

        private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
    }
}
