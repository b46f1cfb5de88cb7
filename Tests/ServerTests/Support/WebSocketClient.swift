/// The client's end of a WebSocket. It can do only what the tests need, but it can break every rule of the protocol.
final class WebSocketClient: Sendable {
    struct Frame: Equatable {
        var opcode: UInt8
        var payload: [UInt8]
        var isFinal = true

        var text: String { String(decoding: payload, as: UTF8.self) }
        /// The code of a close frame.
        var code: Int { payload.count < 2 ? 0 : Int(payload[0]) << 8 | Int(payload[1]) }
    }

    let client: RawClient
    let header: String

    static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    static func request(_ target: String = "/graphql", _ fields: [String] = ["Sec-WebSocket-Protocol: graphql-ws"])
        -> String
    {
        let lines =
            [
                "GET \(target) HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
            ] + fields
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Opens a WebSocket. ``header`` is the header of the server's answer.
    init(
        _ port: Int, _ target: String = "/graphql", fields: [String] = ["Sec-WebSocket-Protocol: graphql-ws"],
        receiveBuffer: Int32? = nil
    ) throws {
        client = try RawClient(port, receiveBuffer: receiveBuffer)
        client.send(Self.request(target, fields))
        header = try client.receive(through: "\r\n\r\n")
    }

    /// The bytes of a frame. By default it is a whole, masked message, as a client must send it.
    static func frame(
        _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, reserved: UInt8 = 0, isMasked: Bool = true,
        claimedLength: UInt64? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | reserved | opcode]
        let length = claimedLength ?? UInt64(payload.count)
        let bit: UInt8 = isMasked ? 0x80 : 0
        switch length {
        case ...125: bytes.append(bit | UInt8(length))
        case ...0xFFFF: bytes += [bit | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
        default:
            bytes.append(bit | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: length >> UInt64(shift)))
            }
        }
        guard isMasked else { return bytes + payload }
        let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    @discardableResult
    func send(_ text: String) -> Bool { client.send(Self.frame(1, Array(text.utf8))) }

    @discardableResult
    func send(raw bytes: [UInt8]) -> Bool { client.send(bytes) }

    /// Receives the next frame of the server. A server must not mask its frames.
    func receive(within seconds: Double = 60) throws -> Frame {
        let start = try client.receive(2, within: seconds)
        var length = Int(start[1] & 0x7F)
        let extra = length == 126 ? 2 : length == 127 ? 8 : 0
        if extra > 0 { length = try client.receive(extra).reduce(0) { $0 << 8 | Int($1) } }
        let payload = try client.receive(length, within: seconds)
        return Frame(opcode: start[0] & 0x0F, payload: payload, isFinal: start[0] & 0x80 != 0)
    }

    /// Receives frames up to a close frame and returns it. Answers it, and then waits for the end of the connection.
    func receiveClose() throws -> Frame {
        var frame = try receive()
        while frame.opcode != 8 { frame = try receive() }
        send(raw: Self.frame(8, frame.payload))
        _ = try client.receiveAll()
        return frame
    }
}
