import RawServer

@testable import TidelogWebSocket

extension RawConnection {
    /// A frame of a client, after its mask was removed.
    struct Frame: Equatable {
        var opcode: UInt8
        var payload: [UInt8]

        var text: String { String(decoding: payload, as: UTF8.self) }
        /// The code of a close frame.
        var code: Int { payload.count < 2 ? 0 : Int(payload[0]) << 8 | Int(payload[1]) }
    }

    /// Answers a client's handshake, and returns its request.
    @discardableResult
    func acceptWebSocket(subprotocol: String? = nil, followedBy frames: [UInt8] = []) throws -> String {
        let request = try receive(through: "\r\n\r\n")
        let key = request.firstMatch(of: /Sec-WebSocket-Key: (.*)\r\n/).map { String($0.1) } ?? ""
        let offered = request.firstMatch(of: /Sec-WebSocket-Protocol: (.*)\r\n/).map { String($0.1) } ?? ""
        let handshake = try WebSocketHandshake(
            .init(
                method: "GET", minorVersion: 1, versions: ["13"], keys: [key],
                subprotocols: offered.split(separator: ", ").map { String($0) }))
        try send(handshake.response(subprotocol: subprotocol) + frames)
        return request
    }

    /// The next frame of the client, which must be masked.
    func frame() throws -> Frame {
        let start = try receive(2)
        guard start[1] & 0x80 != 0 else { throw Ended() }
        var length = Int(start[1] & 0x7F)
        let extra = length == 126 ? 2 : length == 127 ? 8 : 0
        if extra > 0 { length = try receive(extra).reduce(0) { $0 << 8 | Int($1) } }
        let mask = try receive(4)
        let payload = try receive(length)
        return Frame(opcode: start[0] & 0x0F, payload: payload.enumerated().map { $1 ^ mask[$0 & 3] })
    }
}
