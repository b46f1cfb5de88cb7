/// The frames that a server sends: RFC 6455, section 5.2. They are not masked.
enum WebSocketFrame {
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue & 8 != 0 }
    }

    /// A whole message or control frame.
    static func bytes(_ opcode: Opcode, _ payload: some Collection<UInt8>) -> [UInt8] {
        let count = payload.count
        precondition(!opcode.isControl || count <= 125, "a control frame has at most 125 bytes")
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 10)
        bytes.append(0x80 | opcode.rawValue)
        switch count {
        case ...125: bytes.append(UInt8(count))
        case ...0xFFFF:
            bytes.append(126)
            bytes.append(UInt8(count >> 8))
            bytes.append(UInt8(count & 0xFF))
        default:
            bytes.append(127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: count >> shift))
            }
        }
        bytes.append(contentsOf: payload)
        return bytes
    }

    /// A close frame. The reason is cut to what a control frame holds, at the end of a character.
    static func close(_ code: WebSocketCloseCode, _ reason: String) -> [UInt8] {
        var text = Substring(reason)
        while text.utf8.count > 123 { text.unicodeScalars.removeLast() }
        return bytes(.close, [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + Array(text.utf8))
    }
}
