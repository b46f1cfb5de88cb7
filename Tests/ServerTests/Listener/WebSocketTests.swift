import Foundation
import TestWaiting
import Testing
import TidelogWebSocket

@testable import TidelogServer

@Suite("WebSockets over real sockets", .timeLimit(.minutes(5)))
struct WebSocketTests {
    @Test("the handshake of RFC 6455 is answered, and the response names only the chosen subprotocol")
    func handshake() async throws {
        try await serving { listener in
            try await onThread { [port = listener.port] in
                let token = "header-" + String(repeating: "eyJhbGciOi_-", count: 400)
                let socket = try WebSocketClient(port, fields: ["Sec-WebSocket-Protocol: graphql-ws, \(token)"])
                #expect(socket.header.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
                #expect(socket.header.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
                #expect(socket.header.contains("Sec-WebSocket-Protocol: graphql-ws\r\n"))
                #expect(!socket.header.contains("header-"))
                socket.send("hello")
                #expect(try socket.receive().text == "hello")
            }
        }
    }

    @Test("the service can refuse an offer with a response, and a malformed handshake is refused")
    func refusal() async throws {
        try await serving { listener in
            try await onThread { [port = listener.port] in
                let client = try RawClient(port)
                let refused = try client.ask(WebSocketClient.request("/", ["Sec-WebSocket-Protocol: mqtt"]))
                #expect(refused.status == 400)
                #expect(refused.text == "speak graphql-ws")
                // The connection still accepts requests.
                #expect(try client.ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").text == "GET /a 0")
                let start = "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                let key = "Sec-WebSocket-Key: \(WebSocketClient.key)\r\n"
                let wrong = [
                    (426, start + key + "\r\n"), (426, start + key + "Sec-WebSocket-Version: 8\r\n\r\n"),
                    (400, start + "Sec-WebSocket-Version: 13\r\n\r\n"),
                    (400, start + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: abc\r\n\r\n"),
                    (400, start.replacing("GET", with: "POST") + key + "Sec-WebSocket-Version: 13\r\n\r\n"),
                ]
                for (status, request) in wrong {
                    let client = try RawClient(port)
                    client.send(request)
                    let response = try client.response()
                    #expect(response.status == status)
                    if status == 426 { #expect(response.header.contains("Sec-WebSocket-Version: 13\r\n")) }
                }
            }
        }
    }

    @Test("a fragmented message arrives whole, also with control frames between its fragments")
    func fragments() async throws {
        try await serving { listener in
            try await onThread { [port = listener.port] in
                let socket = try WebSocketClient(port)
                let text = Array("grüße 🌊".utf8)
                socket.send(raw: WebSocketClient.frame(1, Array(text[..<3]), isFinal: false))
                socket.send(raw: WebSocketClient.frame(9, Array("ping".utf8)))
                socket.send(raw: WebSocketClient.frame(0, [], isFinal: false))
                socket.send(raw: WebSocketClient.frame(10, []))
                socket.send(raw: WebSocketClient.frame(0, Array(text[3...])))
                #expect(try socket.receive() == WebSocketClient.Frame(opcode: 10, payload: Array("ping".utf8)))
                #expect(try socket.receive() == WebSocketClient.Frame(opcode: 1, payload: text))
                for length in [0, 1, 125, 126, 65_535, 65_536, 256 << 10] {
                    socket.send(String(repeating: "x", count: length))
                    #expect(try socket.receive().payload.count == length)
                }
            }
        }
    }

    @Test("frames that come with the handshake are not lost")
    func early() async throws {
        try await serving { listener in
            try await onThread { [port = listener.port] in
                let client = try RawClient(port)
                client.send(Array(WebSocketClient.request().utf8) + WebSocketClient.frame(1, Array("early".utf8)))
                _ = try client.receive(through: "\r\n\r\n")
                #expect(try client.receive(7) == [0x81, 5] + Array("early".utf8))
            }
        }
    }

    @Test("both sides can close a WebSocket, and the service learns how it ended")
    func closing() async throws {
        let ends = Shared<[WebSocketConnection.End]>([])
        let service = ListenerService(
            respond: { _ in HTTPResponse(status: 404) },
            accept: { offer in
                .accept(subprotocol: nil) { connection in
                    if offer.request.path == "/leave" { return connection.close(.policyViolation, reason: "no") }
                    if offer.request.path == "/return" { return }
                    for await _ in connection.incoming {}
                    if let end = connection.end { ends.update { $0.append(end) } }
                    #expect(!connection.send("too late"))
                }
            })
        try await serving(service) { listener in
            try await onThread { [port = listener.port] in
                let first = try WebSocketClient(port, fields: [])
                first.send(raw: WebSocketClient.frame(8, [0x03, 0xE8] + Array("bye".utf8)))
                #expect(try first.receive().code == 1_000)
                #expect(try first.client.receiveAll().isEmpty)
                let second = try WebSocketClient(port, fields: [])
                second.send(raw: WebSocketClient.frame(8, []))
                #expect(try second.receive() == WebSocketClient.Frame(opcode: 8, payload: []))
                let third = try WebSocketClient(port, "/leave", fields: [])
                let frame = try third.receiveClose()
                #expect(frame.code == 1_008)
                #expect(frame.payload.dropFirst(2).elementsEqual("no".utf8))
                #expect(try WebSocketClient(port, "/return", fields: []).receiveClose().code == 1_000)
                try WebSocketClient(port, fields: []).client.reset()
            }
            try await eventually { ends.value.count == 3 }
            #expect(ends.value.contains(.closedByClient(.normal, reason: "bye")))
            #expect(ends.value.contains(.closedByClient(nil, reason: "")))
            #expect(ends.value.contains(.lost))
        }
    }

    @Test("a client's messages are read no faster than the service reads them, and no message is lost")
    func backpressure() async throws {
        let (count, most) = (Shared(0), Shared(0))
        let service = ListenerService(
            respond: { _ in HTTPResponse(status: 404) },
            accept: { _ in
                .accept(subprotocol: nil) { connection in
                    try? await Task.sleep(for: .milliseconds(300))
                    for await message in connection.incoming {
                        let waiting = connection.unreadByteCount
                        most.update { $0 = max($0, waiting) }
                        count.update { $0 += message.utf8.count }
                    }
                }
            })
        try await serving(service) { listener in
            try await onThread { [port = listener.port] in
                let socket = try WebSocketClient(port, fields: [])
                let frame = WebSocketClient.frame(1, [UInt8](repeating: 65, count: 10_000))
                for _ in 0..<600 { #expect(socket.send(raw: frame)) }
                socket.send(raw: WebSocketClient.frame(8, [0x03, 0xE8]))
                _ = try socket.client.receiveAll()
            }
            try await eventually { count.value == 6_000_000 }
            #expect(most.value <= (256 << 10) + (32 << 10))
        }
    }

    @Test("a slow reader is disconnected when too much is queued for it, and other clients are served")
    func overflow() async throws {
        let end = Shared<WebSocketConnection.End?>(nil)
        let service = ListenerService(
            respond: { _ in HTTPResponse(status: 200) },
            accept: { _ in
                .accept(subprotocol: nil) { connection in
                    let text = WebSocketConnection.Text(String(repeating: "x", count: 100_000))
                    while connection.send(text) {
                        #expect(connection.queuedByteCount <= 4 << 20)
                    }
                    end.set(connection.end)
                }
            })
        try await serving(service) { listener in
            try await onThread { [port = listener.port] in
                let slow = try WebSocketClient(port, fields: [], receiveBuffer: 8 << 10)
                let limit = ContinuousClock.now + .seconds(60)
                while end.value == nil, ContinuousClock.now < limit { usleep(10_000) }
                #expect(try RawClient(port).ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
                _ = try slow.client.receiveAll()
            }
            try await eventually { end.value == .overflow }
        }
    }

    @Test("a silent client gets a ping and is then disconnected; a client that answers the pings stays")
    func silence() async throws {
        var limits = ListenerLimits()
        limits.silenceTime = .seconds(1)
        limits.closeTime = .milliseconds(300)
        try await serving(limits: limits) { listener in
            try await onThread { [port = listener.port] in
                let silent = try WebSocketClient(port)
                let alive = try WebSocketClient(port)
                let end = ContinuousClock.now + .seconds(3)
                while ContinuousClock.now < end {
                    let frame = try alive.receive()
                    #expect(frame.opcode == 9)
                    alive.send(raw: WebSocketClient.frame(10, frame.payload))
                }
                #expect(try silent.receive().opcode == 9)
                #expect(try silent.receive().code == 1_001)
                #expect(try silent.client.receiveAll().isEmpty)
            }
        }
    }

    @Test("queued messages are sent in order before the close frame")
    func order() async throws {
        let service = ListenerService(
            respond: { _ in HTTPResponse(status: 404) },
            accept: { _ in
                .accept(subprotocol: nil) { connection in
                    for number in 0..<5_000 {
                        connection.send("\(number) " + String(repeating: "y", count: number % 700))
                    }
                }
            })
        try await serving(service) { listener in
            try await onThread { [port = listener.port] in
                let socket = try WebSocketClient(port, fields: [])
                for number in 0..<5_000 { #expect(try socket.receive().text.hasPrefix("\(number) ")) }
                #expect(try socket.receiveClose().code == 1_000)
            }
        }
    }
}
