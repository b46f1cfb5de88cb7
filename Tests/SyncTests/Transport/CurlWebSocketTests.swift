import FaultHarness
import Foundation
import RawServer
import ServerSupport
import TestWaiting
import Testing
import TidelogServer
import TidelogSync

@testable import TidelogWebSocket

@Suite("WebSockets over libcurl", .timeLimit(.minutes(5)))
struct CurlWebSocketTests {
    private static func request(
        _ port: Int, _ target: String = "/graphql", subprotocols: [String] = ["graphql-ws"],
        timeout: Duration = .seconds(60)
    ) throws -> WebSocketRequest {
        WebSocketRequest(
            try #require(URL(string: "ws://127.0.0.1:\(port)\(target)")), subprotocols: subprotocols, timeout: timeout)
    }

    private static func open(_ server: RawServer, _ configuration: CurlTransport.Configuration = .init()) async throws
        -> any TransportWebSocket
    {
        try await CurlTransport(configuration).openWebSocket(request(server.port, subprotocols: []))
    }

    /// Reads messages from `socket` until reading fails. Returns the messages and the error.
    private static func end(of socket: any TransportWebSocket) async -> (messages: [String], error: TransportError?) {
        var messages: [String] = []
        do throws(TransportError) {
            while true { messages.append(try await socket.receive()) }
        } catch {
            return (messages, error)
        }
    }

    @Test("a listener echoes messages of all kinds of lengths, and many queued messages in order")
    func echo() async throws {
        var limits = ListenerLimits()
        limits.maximumMessageBytes = 4 << 20
        limits.maximumQueuedBytes = 16 << 20
        try await serving(limits: limits) { listener in
            let socket = try await CurlTransport().openWebSocket(
                try Self.request(listener.port, subprotocols: ["graphql-ws", "other"]))
            #expect(socket.subprotocol == "graphql-ws")
            for length in [0, 1, 125, 126, 65_535, 65_536, 2 << 20] {
                let text = String(repeating: "ü", count: length / 2)
                try await socket.send(text)
                #expect(try await socket.receive() == text)
            }
            for number in 0..<1_000 { try await socket.send("\(number)") }
            for number in 0..<1_000 { #expect(try await socket.receive() == "\(number)") }
            await socket.close(code: 1_000, reason: "done")
        }
    }

    @Test("the handshake carries target, subprotocols and headers, and a frame that comes with the answer is received")
    func handshake() async throws {
        let seen = Shared("")
        let server = try RawServer { connection in
            let early = WebSocketFrame.bytes(.text, Array("early".utf8))
            let request = try connection.acceptWebSocket(subprotocol: "two", followedBy: early)
            seen.set(request)
            _ = connection.waitForEnd()
        }
        var request = try Self.request(server.port, "/a?b=c%20d", subprotocols: ["one", "two"])
        request.headers = ["X-Key": "value"]
        let socket = try await CurlTransport().openWebSocket(request)
        #expect(socket.subprotocol == "two")
        #expect(try await socket.receive() == "early")
        // The server stores the request only after it has answered.
        try await eventually { !seen.value.isEmpty }
        #expect(seen.value.hasPrefix("GET /a?b=c%20d HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"))
        #expect(seen.value.contains("Sec-WebSocket-Protocol: one, two\r\n"))
        #expect(seen.value.contains("X-Key: value\r\n"))
    }

    @Test("a large message in fragments with pings in between arrives whole, and each ping is answered")
    func fragments() async throws {
        let pongs = Shared<[RawConnection.Frame]>([])
        let piece = [UInt8](repeating: 66, count: 300_000)
        let server = try RawServer { connection in
            try connection.acceptWebSocket()
            try connection.send(WebSocketFrame.bytes(.text, piece, isFinal: false))
            for number in UInt8(0)..<10 {
                try connection.send(WebSocketFrame.bytes(.ping, [number]))
                try connection.send(WebSocketFrame.bytes(.continuation, piece, isFinal: number == 9))
                let frame = try connection.frame()
                pongs.update { $0.append(frame) }
            }
            _ = connection.waitForEnd()
        }
        let socket = try await Self.open(server)
        #expect(try await socket.receive() == String(repeating: "B", count: 3_300_000))
        try await eventually { pongs.value.count == 10 }
        #expect(pongs.value == (UInt8(0)..<10).map { RawConnection.Frame(opcode: 10, payload: [$0]) })
    }

    @Test("the server's close code and reason reach the reader, and the close frame is answered")
    func closing() async throws {
        let answers = Shared<[Int]>([])
        let closes: [(bytes: [UInt8], code: UInt16, reason: String)] = [
            (WebSocketFrame.close(.normal, ""), 1_000, ""),
            (WebSocketFrame.close(WebSocketCloseCode(rawValue: 4_001), "token expired"), 4_001, "token expired"),
            (WebSocketFrame.bytes(.close, []), 1_005, ""),
        ]
        for (bytes, code, reason) in closes {
            let server = try RawServer { connection in
                try connection.acceptWebSocket()
                try connection.send(WebSocketFrame.bytes(.text, Array("last".utf8)) + bytes)
                let frame = try connection.frame()
                answers.update { $0.append(frame.opcode == 8 ? frame.code : -1) }
            }
            let socket = try await Self.open(server)
            let (messages, error) = await Self.end(of: socket)
            #expect(messages == ["last"])
            #expect(error?.code == .closed)
            #expect(error?.closeCode == code)
            #expect(reason.isEmpty || error?.message.contains(reason) == true)
            let afterwards = await failure { () throws(TransportError) in try await socket.send("more") }
            #expect(afterwards == error)
            // The answer to a close frame without a code has no code either.
            try await eventually { answers.value.last == (bytes.count > 2 ? Int(code) : 0) }
        }
    }

    @Test("a close sends the queued messages, then the close code, and waits for the server's answer")
    func goodbye() async throws {
        let frames = Shared<[RawConnection.Frame]>([])
        let server = try RawServer { connection in
            try connection.acceptWebSocket()
            for _ in 0..<2 {
                let frame = try connection.frame()
                frames.update { $0.append(frame) }
            }
            try connection.send(WebSocketFrame.close(.normal, ""))
            _ = connection.waitForEnd()
        }
        let socket = try await Self.open(server)
        try await socket.send("last")
        await socket.close(code: 4_000, reason: "enough")
        #expect(frames.value.map(\.opcode) == [1, 8])
        #expect(frames.value.map(\.code).last == 4_000)
        let error = await failure { () throws(TransportError) in _ = try await socket.receive() }
        #expect(error?.code == .closed)
        // A second close has nothing to do.
        await socket.close(code: 1_000, reason: "")
    }

    @Test("a server that breaks the protocol gets the matching close code, and reading ends with an error")
    func violations() async throws {
        let cases: [([UInt8], Int, TransportError.Code)] = [
            (WebSocketFrame.bytes(.text, [65], mask: WebSocketFrame.Mask(1)), 1_002, .malformed),
            (WebSocketFrame.bytes(.text, [0xC3, 0x28]), 1_007, .malformed),
            (WebSocketFrame.bytes(.binary, [1]), 1_003, .malformed),
            (WebSocketFrame.bytes(.text, [UInt8](repeating: 65, count: 1_001)), 1_009, .tooLarge),
        ]
        var configuration = CurlTransport.Configuration()
        configuration.maximumMessageBytes = 1_000
        for (bytes, closeCode, code) in cases {
            let told = Shared(0)
            let server = try RawServer { connection in
                try connection.acceptWebSocket()
                try connection.send(bytes)
                let frame = try connection.frame()
                told.set(frame.code)
            }
            let socket = try await Self.open(server, configuration)
            let (messages, error) = await Self.end(of: socket)
            #expect(messages.isEmpty)
            #expect(error?.code == code)
            try await eventually { told.value == closeCode }
        }
    }

    @Test("a silent server is sent a ping, and the WebSocket ends if it does not answer")
    func silence() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.silenceTime = .milliseconds(600)
        let frames = Shared<[UInt8]>([])
        let server = try RawServer { connection in
            try connection.acceptWebSocket()
            let frame = try connection.frame()
            frames.update { $0.append(frame.opcode) }
            _ = connection.waitForEnd()
        }
        let socket = try await Self.open(server, configuration)
        let (_, error) = await Self.end(of: socket)
        #expect(error?.code == .timedOut)
        #expect(frames.value == [9])

        // If the server answers pings, the connection stays open, however long neither side sends a message.
        configuration.silenceTime = .seconds(2)
        try await serving { [configuration] listener in
            let socket = try await CurlTransport(configuration).openWebSocket(try Self.request(listener.port))
            try await Task.sleep(for: .seconds(5))
            try await socket.send("still here")
            #expect(try await socket.receive() == "still here")
        }
    }

    @Test("a failed opening of a WebSocket is a typed error")
    func refusals() async throws {
        let transport = CurlTransport()
        try await serving { listener in
            let request = try Self.request(listener.port, subprotocols: ["mqtt"])
            let error = await failure { () throws(TransportError) in _ = try await transport.openWebSocket(request) }
            #expect(error?.code == .refused)
            #expect(error?.status == 400)
        }
        let accept =
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
        let cases: [(String?, TransportError.Code)] = [
            ("HTTP/1.1 101 Switching Protocols\r\n\(accept)\r\n", .malformed), ("220 mail\r\n\r\n", .malformed),
            ("", .closed), (nil, .timedOut), (String(repeating: "x", count: 100_000), .tooLarge),
        ]
        for (answer, code) in cases {
            let server = try RawServer { connection in
                _ = try connection.receive(through: "\r\n\r\n")
                if let answer { try connection.send(answer) } else { _ = connection.waitForEnd() }
            }
            let request = try Self.request(server.port, timeout: answer == nil ? .milliseconds(300) : .seconds(60))
            let error = await failure { () throws(TransportError) in _ = try await transport.openWebSocket(request) }
            #expect(error?.code == code, "\(String(describing: error))")
        }
    }

    @Test("cancelling an opening ends it at once, and cancelling a reader leaves the WebSocket open")
    func cancellation() async throws {
        let isAsked = Shared(false)
        let silent = try RawServer { connection in
            _ = try connection.receive(through: "\r\n\r\n")
            isAsked.set(true)
            _ = connection.waitForEnd()
        }
        let request = try Self.request(silent.port)
        let opening = Task { () async -> TransportError? in
            await failure { () throws(TransportError) in _ = try await CurlTransport().openWebSocket(request) }
        }
        try await eventually { isAsked.value }
        opening.cancel()
        #expect(await opening.value?.code == .cancelled)

        try await serving { listener in
            let socket = try await CurlTransport().openWebSocket(try Self.request(listener.port))
            let reading = Task { () async -> TransportError? in
                await failure { () throws(TransportError) in _ = try await socket.receive() }
            }
            try await Task.sleep(for: .milliseconds(50))
            reading.cancel()
            #expect(await reading.value?.code == .cancelled)
            try await socket.send("again")
            #expect(try await socket.receive() == "again")
        }
    }

    @Test("a released WebSocket is closed, and a lost connection ends a WebSocket with an error")
    func ends() async throws {
        let hasEnded = Shared(false)
        let server = try RawServer { connection in
            try connection.acceptWebSocket()
            hasEnded.set(connection.waitForEnd())
        }
        do {
            let socket = try await Self.open(server)
            #expect(!hasEnded.value)
            _ = socket
        }
        try await eventually { hasEnded.value }

        let lost = try RawServer { connection in try connection.acceptWebSocket() }
        let (_, error) = await Self.end(of: try await Self.open(lost))
        #expect(error?.code == .closed)
        #expect(error?.closeCode == 1_006)
    }

    @Test("a slow reader makes the server wait instead of filling memory, and gets every message")
    func slowReader() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.maximumMessageBytes = 64 << 10
        let sent = Shared(0)
        let count = 2_000
        let server = try RawServer { connection in
            try connection.acceptWebSocket()
            for number in 0..<count {
                let text = Array("\(number) ".utf8) + [UInt8](repeating: 65, count: 20_000)
                try connection.send(WebSocketFrame.bytes(.text, text))
                sent.set(number + 1)
            }
            _ = connection.waitForEnd()
        }
        let socket = try await Self.open(server, configuration)
        // The server sends until the buffers of the system and of the client are full.
        var before = -1
        while before != sent.value {
            before = sent.value
            try await Task.sleep(for: .milliseconds(500))
        }
        #expect(sent.value < count)
        for number in 0..<count { #expect(try await socket.receive().hasPrefix("\(number) ")) }
    }

    @Test("a message that exceeds the limit of queued bytes is refused, and the WebSocket stays open")
    func sendQueue() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.maximumQueuedBytes = 1_000
        try await serving { listener in
            let socket = try await CurlTransport(configuration).openWebSocket(try Self.request(listener.port))
            let text = String(repeating: "x", count: 1_001)
            let error = await failure { () throws(TransportError) in try await socket.send(text) }
            #expect(error?.code == .tooLarge)
            try await socket.send(String(text.dropLast()))
            #expect(try await socket.receive().count == 1_000)
        }
    }

    @Test(
        "a WebSocket over TLS opens only if the server's certificate is trusted",
        .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
    func certificates() async throws {
        let directory = try TemporaryDirectory()
        let files = try CommandLineTools.makeIdentity(in: directory)
        var limits = ListenerLimits()
        limits.maximumMessageBytes = 4 << 20
        let identity = TLSIdentity(certificateFile: files.certificate, keyFile: files.key)
        try await serving(limits: limits, identity: identity) { listener in
            let url = try #require(URL(string: "wss://localhost:\(listener.port)/graphql"))
            let request = WebSocketRequest(url, subprotocols: ["graphql-ws"])
            let error = await failure { () throws(TransportError) in
                _ = try await CurlTransport().openWebSocket(request)
            }
            #expect(error?.code == .tls)
            var configuration = CurlTransport.Configuration()
            configuration.trustedCertificates = files.certificate
            let socket = try await CurlTransport(configuration).openWebSocket(request)
            for length in [1, 3_000_000] {
                let text = String(repeating: "x", count: length)
                try await socket.send(text)
                #expect(try await socket.receive() == text)
            }
            await socket.close(code: 1_000, reason: "")
        }
    }
}
