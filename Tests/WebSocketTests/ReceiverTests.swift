import SeededNumbers
import Testing

@testable import TidelogWebSocket

@Suite("Reading frames")
struct ReceiverTests {
    private typealias Event = WebSocketReceiver.Event

    private static func frames(from sender: WebSocketReceiver.Role) -> [UInt8] {
        let frame = { Conversation.frame($0, $1, isFinal: $2, from: sender) }
        return frame(.text, Array("hello".utf8), true) + frame(.ping, [1, 2, 3], true)
            + frame(.text, Array("a".utf8), false) + frame(.pong, [], true)
            + frame(.continuation, [UInt8](repeating: 66, count: 300), true)
            + frame(.close, [0x03, 0xE8, 0x41], true) + frame(.text, Array("after the end".utf8), true)
    }

    @Test(
        "frames are the same however their bytes are cut, and nothing after a close frame is read",
        arguments: WebSocketReceiver.Role.both)
    func pieces(reader: WebSocketReceiver.Role) {
        let bytes = Self.frames(from: reader.other)
        let expected: [Event] = [
            .text("hello"), .ping([1, 2, 3]), .pong, .text("a" + String(repeating: "B", count: 300)),
            .close(.normal, reason: "A"),
        ]
        for size in 1...bytes.count {
            #expect(Conversation.events(bytes, readBy: reader) { _ in size } == expected)
        }
    }

    @Test(
        "a server refuses frames without a mask, and a client refuses frames with a mask",
        arguments: WebSocketReceiver.Role.both)
    func masks(reader: WebSocketReceiver.Role) {
        for opcode in [WebSocketFrame.Opcode.text, .ping, .close] {
            let events = Conversation.events(Conversation.frame(opcode, [], from: reader), readBy: reader)
            guard case .violation(.protocolError, let reason)? = events.first, events.count == 1 else {
                Issue.record("\(opcode) is taken: \(events)")
                continue
            }
            #expect(reason.contains("masked"))
        }
    }

    private static let violations: [(String, WebSocketCloseCode, @Sendable (WebSocketReceiver.Role) -> [UInt8])] = [
        ("reserved bits", .protocolError, { changed(Conversation.frame(.text, [65], from: $0), 0, 0xC1) }),
        ("an unknown opcode", .protocolError, { changed(Conversation.frame(.text, [65], from: $0), 0, 0x83) }),
        ("an unknown control opcode", .protocolError, { changed(Conversation.frame(.ping, [], from: $0), 0, 0x8B) }),
        ("a fragmented ping", .protocolError, { changed(Conversation.frame(.ping, [], from: $0), 0, 0x09) }),
        ("a long ping", .protocolError, { changed(Conversation.frame(.text, long, from: $0), 0, 0x89) }),
        ("a continuation of nothing", .protocolError, { Conversation.frame(.continuation, [65], from: $0) }),
        (
            "a message inside another", .protocolError,
            {
                Conversation.frame(.text, [65], isFinal: false, from: $0)
                    + Conversation.frame(.text, [66], from: $0)
            }
        ),
        ("a binary message", .unsupportedData, { Conversation.frame(.binary, [0, 1], from: $0) }),
        ("a text that is not UTF-8", .invalidPayload, { Conversation.frame(.text, [0xC3, 0x28], from: $0) }),
        ("half a character", .invalidPayload, { Conversation.frame(.text, [0xE2, 0x82], from: $0) }),
        (
            "a message over the limit", .messageTooBig,
            { Conversation.frame(.text, [UInt8](repeating: 65, count: Conversation.limit + 1), from: $0) }
        ),
        (
            "fragments that are over the limit together", .messageTooBig,
            {
                Conversation.frame(.text, [UInt8](repeating: 65, count: 600), isFinal: false, from: $0)
                    + Conversation.frame(.continuation, [UInt8](repeating: 65, count: 600), from: $0)
            }
        ),
        ("a huge length", .messageTooBig, { [0x81, mask($0) | 127, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4] }),
        ("a negative length", .protocolError, { [0x81, mask($0) | 127, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4] }),
        ("a length in too many bytes", .protocolError, { [0x81, mask($0) | 126, 0, 5, 1, 2, 3, 4] }),
        ("half a code", .protocolError, { Conversation.frame(.close, [3], from: $0) }),
        ("a code that may not be sent", .protocolError, { Conversation.frame(.close, [0x03, 0xED], from: $0) }),
        ("a reason that is not UTF-8", .invalidPayload, { Conversation.frame(.close, [0x03, 0xE8, 0xFF], from: $0) }),
    ]

    private static let long = [UInt8](repeating: 65, count: 126)

    private static func mask(_ sender: WebSocketReceiver.Role) -> UInt8 { sender == .client ? 0x80 : 0 }

    private static func changed(_ bytes: [UInt8], _ place: Int, _ byte: UInt8) -> [UInt8] {
        var bytes = bytes
        bytes[place] = byte
        return bytes
    }

    @Test(
        "a protocol violation ends the reading with the right close code, in both roles",
        arguments: WebSocketReceiver.Role.both)
    func breaking(reader: WebSocketReceiver.Role) {
        let message = Conversation.frame(.text, Array("more".utf8), from: reader.other)
        for (name, code, bytes) in Self.violations {
            let events = Conversation.events(bytes(reader.other) + message, readBy: reader)
            guard case .violation(code, _)? = events.last, events.count == 1 else {
                Issue.record("\(name): \(events)")
                continue
            }
        }
    }

    @Test("messages at the limit are accepted, and a frame's length has its shortest form")
    func lengths() {
        for reader in WebSocketReceiver.Role.both {
            for count in [0, 1, 125, 126, 65_535, 65_536, 200_000] {
                let text = String(repeating: "x", count: count)
                let frame = Conversation.frame(.text, Array(text.utf8), from: reader.other)
                let header = (count < 126 ? 2 : count < 65_536 ? 4 : 10) + (reader == .server ? 4 : 0)
                #expect(frame.count == header + count)
                #expect(Conversation.events(frame, readBy: reader, limit: count) == [.text(text)])
            }
        }
    }

    @Test("a mask changes only the payload, by an exclusive or with the four bytes of the mask")
    func masking() {
        let plain = WebSocketFrame.bytes(.text, Array("grüße".utf8))
        let masked = WebSocketFrame.bytes(.text, Array("grüße".utf8), mask: WebSocketFrame.Mask(0x0102_0304))
        #expect(masked[0] == plain[0])
        #expect(masked[1] == plain[1] | 0x80)
        #expect(masked[2..<6] == [1, 2, 3, 4])
        #expect(zip(masked[6...], plain[2...]).map { $0 ^ $1 } == [1, 2, 3, 4, 1, 2, 3])
    }

    @Test("the reason of a close frame is cut between two characters")
    func reasons() {
        let reason = String(repeating: "€", count: 50)
        let events = Conversation.events(WebSocketFrame.close(.goingAway, reason), readBy: .client)
        #expect(events == [.close(.goingAway, reason: String(repeating: "€", count: 41))])
    }

    @Test(
        "random messages in random fragments, read in random pieces, come back equal",
        arguments: WebSocketReceiver.Role.both)
    func roundTrips(reader: WebSocketReceiver.Role) {
        var random = SeededGenerator(0x5EED_0003)
        for _ in 0..<2_000 {
            var bytes: [UInt8] = []
            var expected: [Event] = []
            for _ in 0...random.below(4) {
                let text = Conversation.text(300, &random)
                Self.write(Array(text.utf8), from: reader.other, to: &bytes, &expected, &random)
                expected.append(.text(text))
            }
            let events = Conversation.events(bytes, readBy: reader, limit: 1_200) { _ in 1 + random.below(64) }
            #expect(events == expected)
        }
    }

    /// Cuts a message into fragments with control frames between them.
    private static func write(
        _ payload: [UInt8], from sender: WebSocketReceiver.Role, to bytes: inout [UInt8], _ events: inout [Event],
        _ random: inout SeededGenerator
    ) {
        var rest = payload[...]
        var opcode = WebSocketFrame.Opcode.text
        let frame = { (opcode: WebSocketFrame.Opcode, payload: [UInt8], isFinal: Bool, mask: UInt64) in
            Conversation.frame(
                opcode, payload, isFinal: isFinal, from: sender, mask: UInt32(truncatingIfNeeded: mask))
        }
        while random.once(in: 2) {
            let piece = rest.prefix(random.below(rest.count + 1))
            bytes += frame(opcode, Array(piece), false, random.next())
            rest = rest.dropFirst(piece.count)
            opcode = .continuation
            guard random.once(in: 2) else { continue }
            let control = random.bytes(random.below(126))
            let isPing = random.once(in: 2)
            bytes += frame(isPing ? .ping : .pong, control, true, random.next())
            events.append(isPing ? .ping(control) : .pong)
        }
        bytes += frame(opcode, Array(rest), true, random.next())
    }

    @Test(
        "mutated frames give the same events however they are cut, and no message beyond the limit",
        arguments: WebSocketReceiver.Role.both)
    func mutations(reader: WebSocketReceiver.Role) {
        var random = SeededGenerator(0x5EED_0002)
        for _ in 0..<10_000 {
            var bytes = Self.frames(from: reader.other)
            for _ in 0...random.below(6) { Conversation.mutate(&bytes, &random) }
            let whole = Conversation.events(bytes, readBy: reader)
            #expect(whole == Conversation.events(bytes, readBy: reader) { _ in 1 + random.below(40) })
            for case .text(let text) in whole { #expect(text.utf8.count <= Conversation.limit) }
        }
    }

    @Test("random bytes give no event after a close frame or a violation")
    func randomBytes() {
        var random = SeededGenerator(0x5EED_0004)
        var ends = 0
        for _ in 0..<20_000 {
            let bytes = random.bytes(random.below(200))
            let reader = random.pick(WebSocketReceiver.Role.both)
            let events = Conversation.events(bytes, readBy: reader) { _ in 1 + random.below(40) }
            let end = events.firstIndex { event in
                switch event {
                case .violation, .close: true
                default: false
                }
            }
            if let end {
                #expect(end == events.count - 1)
                ends += 1
            }
        }
        #expect(ends > 15_000)
    }
}
