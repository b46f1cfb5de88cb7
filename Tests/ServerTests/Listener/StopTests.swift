import Foundation
import TestWaiting
import Testing
import TidelogServer
import TidelogWebSocket

@Suite("Starting and stopping a listener", .timeLimit(.minutes(5)))
struct StopTests {
    @Test("stopping finishes running requests, accepts no new clients and closes WebSockets with 1001")
    func graceful() async throws {
        let (isAtWork, mayEnd) = (Shared(false), Shared(false))
        let ends = Shared<[WebSocketConnection.End?]>([])
        let service = ListenerService(
            respond: { request in
                guard request.path == "/slow" else { return HTTPResponse(status: 200) }
                isAtWork.set(true)
                try? await eventually { mayEnd.value }
                return HTTPResponse(status: 200, text: "done")
            },
            accept: { _ in
                .accept(subprotocol: nil) { connection in
                    for await _ in connection.incoming {}
                    let end = connection.end
                    ends.update { $0.append(end) }
                }
            })
        let listener = try await Listener.start(Listener.Configuration(port: 0), service: service)
        let port = listener.port
        let (busy, idle, socket) = try await onThread {
            let busy = try RawClient(port)
            busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
            let idle = try RawClient(port)
            _ = try idle.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            return (busy, idle, try WebSocketClient(port, fields: []))
        }
        try await eventually { isAtWork.value }
        async let stopped: Void = listener.stop()
        try await onThread {
            #expect(try socket.receiveClose().code == 1_001)
            #expect(try idle.receiveAll().isEmpty)
            mayEnd.set(true)
            let response = try busy.response()
            #expect(response.header.contains("Connection: close\r\n"))
            #expect(response.body == Array("done".utf8))
            #expect(throws: RawClient.Failure.self) { _ = try RawClient(port) }
            busy.closeWriteSide()
        }
        await stopped
        #expect(ends.value == [.closedByServer(.goingAway)])
        // The port is free again, and a listener can be stopped twice.
        let next = try await Listener.start(Listener.Configuration(port: port), service: service)
        #expect(next.port == port)
        await next.stop()
        await next.stop()
    }

    @Test("handlers that take too long during a stop are cancelled")
    func bounded() async throws {
        let (atWork, cancelled) = (Shared(0), Shared(0))
        let wait: @Sendable () async -> Void = {
            atWork.update { $0 += 1 }
            do { try await Task.sleep(for: .seconds(60)) } catch { cancelled.update { $0 += 1 } }
        }
        let service = ListenerService(
            respond: { _ in
                await wait()
                return HTTPResponse(status: 200)
            },
            accept: { _ in .accept(subprotocol: nil) { _ in await wait() } })
        let listener = try await Listener.start(Listener.Configuration(port: 0), service: service)
        let clients = try await onThread { [port = listener.port] in
            let client = try RawClient(port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            return (client, try WebSocketClient(port, fields: []))
        }
        try await eventually { atWork.value == 2 }
        // The handlers would take a minute.
        await listener.stop(within: .milliseconds(600))
        try await eventually { cancelled.value == 2 }
        _ = clients
    }

    @Test("a listener stops when its last reference is released")
    func abandoned() async throws {
        var listener: Listener? = try await Listener.start(Listener.Configuration(port: 0), service: .echo)
        let port = try #require(listener?.port)
        listener = nil
        try await onThread {
            for _ in 0..<100 {
                guard (try? RawClient(port)) != nil else { return }
                usleep(20_000)
            }
            Issue.record("it still listens")
        }
    }

    @Test("stopping while 100 clients send requests leaves no client waiting")
    func busy() async throws {
        let listener = try await Listener.start(Listener.Configuration(port: 0), service: .echo)
        let answered = Shared(0)
        async let asking: Void = onThread { [port = listener.port] in
            let clients = (0..<100).compactMap { _ in try? RawClient(port) }
            while true {
                for client in clients { client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde") }
                for client in clients {
                    guard (try? client.response()) != nil else { return }
                    answered.update { $0 += 1 }
                }
            }
        }
        try await eventually { answered.value > 300 }
        await listener.stop(within: .seconds(5))
        try await asking
    }

    @Test("the error of a listener that cannot start has a code and a sentence that names the host")
    func refusals() async throws {
        let listener = try await Listener.start(Listener.Configuration(port: 0), service: .echo)
        let cases: [(String, Int, ListenerError.Code)] = [
            ("127.0.0.1", listener.port, .portInUse), ("example", 0, .invalidAddress), ("1.2.3", 0, .invalidAddress),
            ("127.0.0.1", 70_000, .invalidAddress), ("192.0.2.1", 0, .invalidAddress),
        ]
        for (host, port, code) in cases {
            do {
                _ = try await Listener.start(Listener.Configuration(host: host, port: port), service: .echo)
                Issue.record("\(host) is listened on")
            } catch {
                #expect(error.code == code)
                #expect(error.message.hasSuffix("."))
                #expect(error.message.contains(host))
            }
        }
        await listener.stop()
    }

    @Test("IPv6 addresses and localhost are listened on")
    func hosts() async throws {
        for host in ["::1", "localhost", "::", "0.0.0.0"] {
            let started = try? await Listener.start(Listener.Configuration(host: host, port: 0), service: .echo)
            guard let listener = started else {
                // This computer has no IPv6.
                #expect(host.contains(":"))
                continue
            }
            #expect(listener.port > 0)
            if host != "::1" {
                let answer = try await onThread { [port = listener.port] in
                    try RawClient(port).ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status
                }
                #expect(answer == 200)
            }
            await listener.stop()
        }
    }
}
