import Foundation
import TestWaiting
import Testing

@testable import TidelogServer

@Suite("Hostile clients over WebSockets", .timeLimit(.minutes(5)))
struct HostileWebSocketTests {
    private typealias Client = WebSocketClient

    private static let violations: [(String, Int, [UInt8])] = [
        ("not masked", 1_002, Client.frame(1, [65], isMasked: false)),
        ("a reserved bit", 1_002, Client.frame(1, [65], reserved: 0x40)),
        ("another reserved bit", 1_002, Client.frame(9, [], reserved: 0x10)),
        ("an unknown opcode", 1_002, Client.frame(3, [65])),
        ("an unknown control opcode", 1_002, Client.frame(11, [])),
        ("a long control frame", 1_002, Client.frame(9, [UInt8](repeating: 65, count: 126))),
        ("a control frame in fragments", 1_002, Client.frame(9, [], isFinal: false)),
        ("a continuation of nothing", 1_002, Client.frame(0, [65])),
        ("a message inside another", 1_002, Client.frame(1, [65], isFinal: false) + Client.frame(1, [66])),
        ("binary", 1_003, Client.frame(2, [0, 1, 2])),
        ("no UTF-8", 1_007, Client.frame(1, [0xC3, 0x28])),
        ("half a character", 1_007, Client.frame(1, [0xE2, 0x82])),
        ("a surrogate", 1_007, Client.frame(1, [0xED, 0xA0, 0x80])),
        ("a huge length", 1_009, Client.frame(1, [], claimedLength: 1 << 62)),
        ("a negative length", 1_002, Client.frame(1, [], claimedLength: 1 << 63)),
        ("a message that is too long", 1_009, Client.frame(1, [], claimedLength: (256 << 10) + 1)),
        (
            "fragments that are too long together", 1_009,
            Client.frame(1, [UInt8](repeating: 65, count: 200_000), isFinal: false)
                + Client.frame(0, [UInt8](repeating: 65, count: 100_000))
        ),
        ("a length in too many bytes", 1_002, [0x81, 0xFE, 0x00, 0x05, 1, 2, 3, 4]),
        ("half a code", 1_002, Client.frame(8, [0x03])),
        ("a code that may not be sent", 1_002, Client.frame(8, [0x03, 0xED])),
        ("a code below 1000", 1_002, Client.frame(8, [0x00, 0x01])),
        ("a reason that is no text", 1_007, Client.frame(8, [0x03, 0xE8, 0xFF])),
    ]

    /// A service whose WebSockets send back the messages that they receive. It notes how each WebSocket ended.
    private static func echo(notingEndsIn ends: Shared<[WebSocketConnection.End?]>) -> ListenerService {
        ListenerService(
            respond: { _ in HTTPResponse(status: 404) },
            accept: { _ in
                .accept(subprotocol: nil) { connection in
                    for await message in connection.incoming { connection.send(message) }
                    let end = connection.end
                    ends.update { $0.append(end) }
                }
            })
    }

    @Test("a protocol violation closes its socket with the right code, and no other socket")
    func breaking() async throws {
        let ends = Shared<[WebSocketConnection.End?]>([])
        try await serving(Self.echo(notingEndsIn: ends)) { listener in
            try await onThread { [port = listener.port] in
                let other = try WebSocketClient(port, fields: [])
                for (name, code, bytes) in Self.violations {
                    let socket = try WebSocketClient(port, fields: [])
                    socket.send(raw: bytes)
                    #expect(try socket.receive().code == code, "\(name)")
                    socket.send(raw: [UInt8](repeating: 0xFF, count: 1_000))
                    #expect(try socket.client.receiveAll().isEmpty, "\(name)")
                    other.send(name)
                    #expect(try other.receive().text == name)
                }
            }
            // The other socket ends too, and it may end before the last violation was noted.
            try await eventually { ends.value.count == Self.violations.count + 1 }
            let violations = ends.value.filter { if case .violation = $0 { true } else { false } }
            #expect(violations.count == Self.violations.count, "\(ends.value)")
        }
    }

    @Test("a flood of pings is answered, but a client that does not read the answers is disconnected")
    func pings() async throws {
        let ends = Shared<[WebSocketConnection.End?]>([])
        var limits = ListenerLimits()
        limits.stallTime = .milliseconds(300)
        try await serving(Self.echo(notingEndsIn: ends), limits: limits) { listener in
            let port = listener.port
            let reader = try await onThread { try WebSocketClient(port, fields: []) }
            let deaf = try await onThread { try WebSocketClient(port, fields: [], receiveBuffer: 8 << 10) }
            try await onThread {
                let ping = WebSocketClient.frame(9, [UInt8](repeating: 66, count: 125))
                for _ in 0..<500 { reader.send(raw: ping) }
                for _ in 0..<500 {
                    let message = try reader.receive()
                    #expect(message.opcode == 10)
                }
                let many = (0..<100).flatMap { _ in ping }
                // The server stops reading from this client, so the client cannot send everything.
                var sent = 0
                while sent < 4_000, deaf.client.send(many, within: 0.3) { sent += 1 }
                #expect(sent < 4_000)
            }
            try await eventually { ends.value == [.silence] }
            try await onThread {
                // The client reads only now, after the server has given up. If the socket were open, this would not end.
                _ = try deaf.client.receiveAll()
                reader.send("still here")
                #expect(try reader.receive().text == "still here")
            }
        }
    }

    @Test("a client that never finishes a message is disconnected")
    func unfinished() async throws {
        var limits = ListenerLimits()
        limits.silenceTime = .milliseconds(800)
        limits.closeTime = .milliseconds(300)
        try await serving(limits: limits) { listener in
            try await onThread { [port = listener.port] in
                let socket = try WebSocketClient(port)
                socket.send(raw: Array(WebSocketClient.frame(1, [UInt8](repeating: 65, count: 1_000)).prefix(500)))
                let bytes = try socket.client.receiveAll()
                #expect(bytes.contains(0x88))
            }
        }
    }
}
