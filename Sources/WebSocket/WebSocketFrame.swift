/// Writes frames: RFC 6455, section 5.2.
package enum WebSocketFrame {
    /// The kind of a frame.
    package enum Opcode: UInt8, Sendable {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        /// Whether the frame is a control frame, which belongs to no message. Such a frame is short and is never fragmented.
        package var isControl: Bool { rawValue & 8 != 0 }
    }

    /// The four bytes with which a client masks a frame. Each frame needs new random bytes: RFC 6455, section 5.3.
    package struct Mask: Sendable, Hashable {
        let bytes: (UInt8, UInt8, UInt8, UInt8)

        /// Makes a mask from the four bytes of `number`.
        package init(_ number: UInt32) {
            bytes = (
                UInt8(truncatingIfNeeded: number >> 24), UInt8(truncatingIfNeeded: number >> 16),
                UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)
            )
        }

        init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
            bytes = (first, second, third, fourth)
        }

        package static func == (left: Mask, right: Mask) -> Bool { left.bytes == right.bytes }

        package func hash(into hasher: inout Hasher) { withUnsafeBytes(of: bytes) { hasher.combine(bytes: $0) } }

        /// Masks or unmasks `bytes[start...]`. The first of these bytes has the index `offset` in the frame's payload.
        func apply(to bytes: inout [UInt8], from start: Int, offset: Int) {
            let keys = self.bytes
            bytes.withUnsafeMutableBytes { bytes in
                withUnsafeBytes(of: keys) { keys in
                    for index in start..<bytes.count { bytes[index] ^= keys[(offset + index - start) & 3] }
                }
            }
        }
    }

    /// The bytes of a frame.
    ///
    /// - Parameters:
    ///   - isFinal: Whether the frame is the last one of its message. This is always true for a control frame.
    ///   - mask: The mask of a client's frame; `nil` for a server's frame.
    package static func bytes(
        _ opcode: Opcode, _ payload: some Collection<UInt8>, isFinal: Bool = true, mask: Mask? = nil
    ) -> [UInt8] {
        let count = payload.count
        precondition(!opcode.isControl || count <= 125 && isFinal, "a control frame is whole and has at most 125 bytes")
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 14)
        bytes.append((isFinal ? 0x80 : 0) | opcode.rawValue)
        switch count {
        case ...125: bytes.append(maskBit | UInt8(count))
        case ...0xFFFF:
            bytes.append(maskBit | 126)
            bytes.append(UInt8(count >> 8))
            bytes.append(UInt8(count & 0xFF))
        default:
            bytes.append(maskBit | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: count >> shift))
            }
        }
        guard let mask else {
            bytes.append(contentsOf: payload)
            return bytes
        }
        withUnsafeBytes(of: mask.bytes) { bytes.append(contentsOf: $0) }
        let start = bytes.count
        bytes.append(contentsOf: payload)
        mask.apply(to: &bytes, from: start, offset: 0)
        return bytes
    }

    /// The bytes of a close frame. If the reason is too long for a control frame, it is cut at the end of a character.
    package static func close(_ code: WebSocketCloseCode, _ reason: String, mask: Mask? = nil) -> [UInt8] {
        var text = Substring(reason)
        while text.utf8.count > 123 { text.unicodeScalars.removeLast() }
        let payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + Array(text.utf8)
        return bytes(.close, payload, mask: mask)
    }
}
