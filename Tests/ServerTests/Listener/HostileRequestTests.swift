import Foundation
import TestWaiting
import Testing
import TidelogServer

@Suite("Hostile clients over HTTP", .timeLimit(.minutes(5)))
struct HostileRequestTests {
    @Test(
        "a malformed request gets a refusal that the service writes, and the socket is closed",
        arguments: [
            (400, "GET / HTTP/1.1\r\n\r\n"),
            (400, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
            (400, "GET / HTTP/1.1\r\nHost : a\r\n\r\n"),
            (400, "GET / HTTP/1.1\r\nHost: a\r\n folded: b\r\n\r\n"),
            (400, "GET / HTTP/1.1\nHost: a\n\n"),
            (400, "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n"),
            (400, "GET / HTTP/1.1\r\nHost: a\u{0}\r\n\r\n"),
            (400, "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
            (400, "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n"),
            (400, "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n"),
            (400, "GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n"),
            (400, "GET a HTTP/1.1\r\nHost: a\r\n\r\n"),
            (400, "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"),
            (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
            (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc"),
            (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\nabc"),
            (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\nabc"),
            (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            (400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
            (400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n18 18\r\n"),
            (400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5 x;a\r\n"),
            (400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n"),
            (400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\r\n"),
            (413, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n"),
            (413, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n"),
            (413, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999999999999\r\n\r\n"),
            (414, "GET /" + String(repeating: "a", count: 40_000)),
            (417, "POST / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nContent-Length: 1\r\n\r\n"),
            (431, "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 40_000)),
            (431, "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "a: b\r\n", count: 101) + "\r\n"),
            (501, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"),
            (505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"),
            (400, "\u{16}\u{3}\u{1}\u{2}"),
        ])
    func malformed(status: Int, request: String) async throws {
        try await serving { listener in
            try await onThread { [port = listener.port] in
                let client = try RawClient(port)
                client.send(request)
                let all = String(decoding: try client.receiveAll(), as: UTF8.self)
                #expect(all.hasPrefix("HTTP/1.1 \(status) "), "\(all.prefix(100))")
                #expect(all.contains("X-Refusal: \(status)\r\n"))
                #expect(all.contains("Connection: close\r\n"))
                #expect(all.hasSuffix("\r\n\r\n{}"), "\(all.suffix(100))")
                #expect(try RawClient(port).ask("GET /ok HTTP/1.1\r\nHost: x\r\n\r\n").text == "GET /ok 0")
            }
        }
    }

    @Test("a body beyond the limit is refused while it is still being sent")
    func longBody() async throws {
        try await serving { listener in
            try await onThread { [port = listener.port] in
                let client = try RawClient(port)
                client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000000\r\n\r\n")
                client.send([UInt8](repeating: 65, count: 1 << 20), within: 2)
                #expect(try client.response().status == 413)
            }
        }
    }

    @Test("a slow sender is closed with 408, a silent client without a response, and other clients are served")
    func slow() async throws {
        var limits = ListenerLimits()
        limits.headerTime = .milliseconds(600)
        limits.bodyTime = .milliseconds(600)
        limits.keepAliveTime = .milliseconds(300)
        try await serving(limits: limits) { listener in
            try await onThread { [port = listener.port] in
                let body = try RawClient(port)
                body.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
                let silent = try RawClient(port)
                let kept = try RawClient(port)
                #expect(try kept.ask("GET /kept HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
                let header = try RawClient(port)
                for byte in "GET / HTTP/1.1\r\nHost: x\r\nX: aaaa" {
                    header.send(String(byte))
                    #expect(try RawClient(port).ask("GET /o HTTP/1.1\r\nHost: x\r\n\r\n").text == "GET /o 0")
                    usleep(50_000)
                }
                #expect(String(decoding: try header.receiveAll(), as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
                #expect(String(decoding: try body.receiveAll(), as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
                #expect(try silent.receiveAll().isEmpty)
                #expect(try kept.receiveAll().isEmpty)
            }
        }
    }

    @Test("clients that disconnect at any point of an exchange do not disturb other clients")
    func leaving() async throws {
        let service = ListenerService { request in
            if request.path == "/slow" { try? await Task.sleep(for: .milliseconds(20)) }
            return HTTPResponse(status: 200, body: [UInt8](repeating: 65, count: request.path == "/ok" ? 2 : 3 << 20))
        }
        try await serving(service) { listener in
            try await onThread { [port = listener.port] in
                let parts = [
                    "", "G", "GET /slow HTTP/1.1\r\nHo", "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n",
                    "GET /long HTTP/1.1\r\nHost: x\r\n\r\n",
                    "POST /long HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc",
                    WebSocketClient.request(),
                ]
                for number in 0..<140 {
                    let client = try RawClient(port)
                    client.send(parts[number % parts.count])
                    switch number % 4 {
                    case 0: client.reset()
                    case 1: client.closeWriteSide()
                    case 2: _ = try? client.receive(10, within: 0.05)
                    default: break
                    }
                }
                #expect(try RawClient(port).ask("GET /ok HTTP/1.1\r\nHost: x\r\n\r\n").text == "AA")
            }
        }
    }

    @Test("a client that reads too slowly is disconnected, and its response is released")
    func dripping() async throws {
        var limits = ListenerLimits()
        (limits.stallTime, limits.minimumSendRate) = (.milliseconds(500), 64 << 20)
        let held = Shared<[WeakBox]>([])
        let service = ListenerService { _ in
            let object = HeldObject()
            held.update { $0.append(WeakBox(object)) }
            var response = HTTPResponse(status: 200, body: [UInt8](repeating: 65, count: 64 << 20))
            response.holding = object
            return response
        }
        try await serving(service, limits: limits) { listener in
            try await onThread { [port = listener.port] in
                let client = try RawClient(port, receiveBuffer: 8 << 10)
                client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                // After the server has closed the socket, the client can still read bytes from the system's buffers. The loop
                // therefore also ends when the response is released.
                let isHeld = { held.value.isEmpty || held.value.contains { $0.object != nil } }
                var count = 0
                while count < 400, isHeld(), (try? client.receive(4_096, within: 10)) != nil {
                    count += 1
                    usleep(20_000)
                }
                #expect(count > 1 && count < 400)
            }
            try await eventually { held.value.count == 1 && held.value.allSatisfy { $0.object == nil } }
        }
    }

    /// An object that a response keeps alive.
    private final class HeldObject: Sendable {}

    /// Sound as `@unchecked Sendable`: a weak reference is read and cleared atomically.
    private final class WeakBox: @unchecked Sendable {
        private(set) weak var object: HeldObject?

        init(_ object: HeldObject) { self.object = object }
    }

    @Test("a client that does not read its response is disconnected")
    func stalled() async throws {
        var limits = ListenerLimits()
        limits.stallTime = .milliseconds(500)
        let service = ListenerService { _ in HTTPResponse(status: 200, body: [UInt8](repeating: 65, count: 64 << 20)) }
        try await serving(service, limits: limits) { listener in
            try await onThread { [port = listener.port] in
                let client = try RawClient(port, receiveBuffer: 8 << 10)
                client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                // The server cuts off only a client that does not read in time. This wait is long enough on a busy machine too.
                usleep(4_000_000)
                let all = try client.receiveAll()
                #expect(all.count < 64 << 20)
            }
        }
    }

    @Test("500 sockets are served at the same time, and a socket above the limit is refused")
    func many() async throws {
        var limits = ListenerLimits()
        limits.maximumSockets = 500
        try await serving(limits: limits) { listener in
            try await onThread { [port = listener.port] in
                let clients = try (0..<500).map { _ in try RawClient(port) }
                for client in clients { client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n") }
                for client in clients { #expect(try client.response().status == 200) }
                let oneTooMany = try RawClient(port)
                oneTooMany.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(throws: RawClient.Failure.self) { try oneTooMany.response() }
                for client in clients {
                    #expect(try client.ask("GET /b HTTP/1.1\r\nHost: x\r\n\r\n").text == "GET /b 0")
                }
            }
        }
    }
}
