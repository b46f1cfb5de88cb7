/// Assembles messages from the bytes that the other side of a WebSocket sends: RFC 6455, sections 5 to 8.
///
/// The receiver is a pure state machine. It holds at most one message, within the limit, and uses no memory between messages.
/// It accepts text messages and refuses binary ones.
package struct WebSocketReceiver {
    /// An event that received bytes complete: a message, a control frame or a violation.
    package enum Event: Equatable, Sendable {
        /// A whole message.
        case text(String)
        /// A ping, which must be answered by a pong with the same bytes.
        case ping([UInt8])
        /// A pong.
        case pong
        /// The other side closes the WebSocket. The code is `nil` if the other side gave none.
        case close(WebSocketCloseCode?, reason: String)
        /// The bytes break the protocol, or they are a message that is not accepted. The receiver ignores all later bytes.
        case violation(WebSocketCloseCode, String)
    }

    private enum State {
        /// The receiver collects the header of a frame.
        case header
        case payload(remaining: Int)
        /// A close frame or a violation has come. The receiver ignores all further bytes.
        case ended
    }

    fileprivate struct Violation: Error {
        let code: WebSocketCloseCode
        let reason: String
    }

    private let role: Role
    private let maximumMessageBytes: Int
    private var state = State.header
    private var header: [UInt8] = []
    private var opcode = WebSocketFrame.Opcode.text
    private var isFinal = false
    /// The mask of the frame; `nil` if it has none.
    private var mask: WebSocketFrame.Mask?
    /// How many bytes of the frame's payload were read.
    private var payloadIndex = 0
    private var isInsideMessage = false
    private var message: [UInt8] = []
    private var control: [UInt8] = []

    /// Makes a receiver for the side `role`. A server accepts only masked frames, and a client accepts only unmasked frames.
    package init(role: Role, maximumMessageBytes: Int) {
        self.role = role
        self.maximumMessageBytes = maximumMessageBytes
    }

    /// Reads `bytes`, and calls `take` with each event that they complete.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer, _ take: (Event) -> Void) {
        var rest = bytes[...]
        do throws(Violation) {
            while true {
                switch state {
                case .ended: return
                case .header:
                    guard try readHeader(&rest) else { return }
                    if case .payload(remaining: 0) = state { try endFrame(take) }
                case .payload(let remaining):
                    guard !rest.isEmpty else { return }
                    let count = min(remaining, rest.count)
                    takePayload(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
                    rest = rest.dropFirst(count)
                    state = .payload(remaining: remaining - count)
                    if count == remaining { try endFrame(take) }
                }
            }
        } catch {
            state = .ended
            header = []
            message = []
            control = []
            take(.violation(error.code, error.reason))
        }
    }

    /// Reads the header of a frame. Returns whether it is complete.
    private mutating func readHeader(_ rest: inout UnsafeRawBufferPointer.SubSequence) throws(Violation) -> Bool {
        while let byte = rest.popFirst() {
            header.append(byte)
            if header.count == 1 { try readFirst(byte) }
            if header.count == 2 { try readSecond(byte) }
            guard header.count >= 2 else { continue }
            let lengthBytes = Self.lengthBytes(header[1])
            let maskStart = 2 + lengthBytes
            guard header.count == maskStart + (role == .server ? 4 : 0) else { continue }
            let length = try payloadLength(lengthBytes)
            if !opcode.isControl, message.count + length > maximumMessageBytes {
                throw Violation(code: .messageTooBig, reason: "a message has at most \(maximumMessageBytes) bytes")
            }
            mask =
                role == .server
                ? WebSocketFrame.Mask(
                    header[maskStart], header[maskStart + 1], header[maskStart + 2], header[maskStart + 3]) : nil
            payloadIndex = 0
            header = []
            state = .payload(remaining: length)
            return true
        }
        return false
    }

    private mutating func readFirst(_ byte: UInt8) throws(Violation) {
        guard byte & 0x70 == 0 else { throw .against("reserved bits are set") }
        guard let opcode = WebSocketFrame.Opcode(rawValue: byte & 0x0F) else { throw .against("unknown opcode") }
        isFinal = byte & 0x80 != 0
        if opcode.isControl {
            guard isFinal else { throw .against("a control frame is fragmented") }
        } else {
            guard (opcode == .continuation) == isInsideMessage else { throw .against("fragments out of order") }
            if opcode == .binary { throw Violation(code: .unsupportedData, reason: "only text is taken") }
        }
        self.opcode = opcode
    }

    private mutating func readSecond(_ byte: UInt8) throws(Violation) {
        let isMasked = byte & 0x80 != 0
        if isMasked, role == .client { throw .against("a server's frame is masked") }
        if !isMasked, role == .server { throw .against("a client's frame is not masked") }
        if opcode.isControl, byte & 0x7F > 125 { throw .against("a control frame is too long") }
    }

    private static func lengthBytes(_ second: UInt8) -> Int {
        switch second & 0x7F {
        case 126: 2
        case 127: 8
        default: 0
        }
    }

    private func payloadLength(_ lengthBytes: Int) throws(Violation) -> Int {
        guard lengthBytes > 0 else { return Int(header[1] & 0x7F) }
        let length = header[2..<(2 + lengthBytes)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length <= UInt64(Int32.max) else {
            guard length >> 63 == 0 else { throw .against("the length of a frame is negative") }
            throw Violation(code: .messageTooBig, reason: "a message has at most \(maximumMessageBytes) bytes")
        }
        guard length > (lengthBytes == 2 ? 125 : 0xFFFF) else { throw .against("a length takes too many bytes") }
        return Int(length)
    }

    private mutating func takePayload(_ bytes: UnsafeRawBufferPointer) {
        var plain = opcode.isControl ? Self.take(&control) : Self.take(&message)
        append(bytes, to: &plain)
        if opcode.isControl { control = plain } else { message = plain }
        payloadIndex += bytes.count
    }

    /// Moves the bytes out of the variable, so that they are not copied when they grow.
    private static func take(_ bytes: inout [UInt8]) -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    private func append(_ bytes: UnsafeRawBufferPointer, to plain: inout [UInt8]) {
        let start = plain.count
        plain.append(contentsOf: bytes)
        mask?.apply(to: &plain, from: start, offset: payloadIndex)
    }

    private mutating func endFrame(_ take: (Event) -> Void) throws(Violation) {
        state = .header
        switch opcode {
        case .text, .continuation, .binary:
            isInsideMessage = !isFinal
            guard isFinal else { return }
            let bytes = message
            message = []
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Violation(code: .invalidPayload, reason: "a text is not UTF-8")
            }
            take(.text(text))
        case .ping: take(.ping(takeControl()))
        case .pong:
            control = []
            take(.pong)
        case .close:
            let event = try closeEvent(takeControl())
            state = .ended
            take(event)
        }
    }

    private mutating func takeControl() -> [UInt8] {
        defer { control = [] }
        return control
    }

    private func closeEvent(_ payload: [UInt8]) throws(Violation) -> Event {
        guard !payload.isEmpty else { return .close(nil, reason: "") }
        guard payload.count >= 2 else { throw .against("a close frame has half a code") }
        let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isValid else { throw .against("the code of a close frame may not be sent") }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else {
            throw Violation(code: .invalidPayload, reason: "a reason is not UTF-8")
        }
        return .close(code, reason: reason)
    }

    /// A side of a WebSocket.
    ///
    /// A client masks every frame that it sends, and a server masks none: RFC 6455, section 5.1.
    package enum Role: Sendable, Hashable {
        /// The side that opened the WebSocket.
        case client
        /// The side that accepted it.
        case server
    }
}

extension WebSocketReceiver.Violation {
    fileprivate static func against(_ reason: String) -> Self { Self(code: .protocolError, reason: reason) }
}
