import FaultHarness
import Foundation
import RawServer
import ServerSupport
import TestWaiting
import Testing
import Tidelog
import TidelogServer
import TidelogSync
import TidelogURLSessionTransport

/// The transport of Apple's systems, here with the `URLSession` of Linux. That one has no WebSockets, and may send a request
/// again without asking.
@Suite("Requests over URLSession", .timeLimit(.minutes(5)))
struct URLSessionTransportTests {
    @Test("method, path, headers and body arrive, and status, headers and body come back")
    func exchange() async throws {
        let seen = Shared<HTTPRequest?>(nil)
        let service = ListenerService(respond: { request in
            seen.set(request)
            return HTTPResponse(
                status: 418, headers: ["X-One": "a", "Content-Type": "text/plain"], body: Array("tea".utf8))
        })
        try await serving(service) { listener in
            let url = try #require(URL(string: "http://localhost:\(listener.port)/a/b?c=d%20e#f"))
            let body = [UInt8](repeating: 7, count: 5_000)
            let transport = URLSessionTransport()
            for method in ["POST", "PUT"] {
                let response = try await transport.send(
                    TransportRequest(method, url, headers: ["X-Key": "a b"], body: body))
                #expect(response.status == 418)
                #expect(response.body == Array("tea".utf8))
                #expect(response.headers["x-one"] == "a")
                #expect(response.headers["content-type"] == "text/plain")
                let request = try #require(seen.value)
                #expect(request.method == method && request.target == "/a/b?c=d%20e")
                #expect(request.headers["x-key"] == "a b")
                #expect(request.headers.list("Accept-Encoding", contains: "gzip"))
                #expect(request.body == body)
            }
        }
    }

    @Test("many requests at once are all answered")
    func many() async throws {
        let server = try RawHTTP.server(RawHTTP.response("", Array("ok".utf8)))
        let request = try RawHTTP.request(server.port)
        let transport = URLSessionTransport()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await transport.send(request).status } }
            for try await status in group { #expect(status == 200) }
        }
    }

    @Test("a response is too large by its declared length and by its bytes")
    func tooLarge() async throws {
        var small = URLSessionTransport.Configuration()
        small.maximumBodyBytes = 10
        let transport = URLSessionTransport(small)
        let ten = try RawHTTP.server(RawHTTP.response("", [UInt8](repeating: 65, count: 10)))
        #expect(try await transport.send(try RawHTTP.request(ten.port)).body.count == 10)
        let declared = RawHTTP.response("", [UInt8](repeating: 65, count: 11))
        let chunked = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n".utf8)
        for response in [declared, chunked] {
            let server = try RawHTTP.server(response)
            let request = try RawHTTP.request(server.port)
            let error = await failure { () throws(TransportError) in _ = try await transport.send(request) }
            #expect(error?.code == .tooLarge, "\(String(describing: error))")
        }
    }

    @Test("a silent server times out, one that hangs up has closed, and a port without a server is unreachable")
    func failures() async throws {
        let silent = try RawServer { connection in _ = connection.waitForEnd() }
        let nothing = try RawHTTP.server([], closes: true)
        let half = try RawHTTP.server(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".utf8), closes: true)
        let free = try await { () async throws -> Int in
            let port = Shared(0)
            try await serving { listener in port.set(listener.port) }
            return port.value
        }()
        // Linux says of a connection without an answer that the answer is malformed.
        let cases: [(Int, [TransportError.Code])] = [
            (silent.port, [.timedOut]), (nothing.port, [.closed, .malformed]), (half.port, [.closed, .malformed]),
            (free, [.unreachable]),
        ]
        let transport = URLSessionTransport()
        for (port, codes) in cases {
            let request = try RawHTTP.request(port, timeout: codes == [.timedOut] ? .milliseconds(300) : .seconds(60))
            let error = try #require(
                await failure { () throws(TransportError) in _ = try await transport.send(request) })
            #expect(codes.contains(error.code), "\(error)")
        }
    }

    @Test("redirections are not followed")
    func redirections() async throws {
        let server = try RawHTTP.server(
            Array("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n".utf8))
        let response = try await URLSessionTransport().send(try RawHTTP.request(server.port))
        #expect(response.status == 302)
        #expect(response.headers["location"] == "http://127.0.0.1:1/")
    }

    @Test("the cancellation of a task ends its request at once")
    func cancellation() async throws {
        let isAsked = Shared(false)
        let server = try RawServer { connection in
            _ = try connection.request()
            isAsked.set(true)
            _ = connection.waitForEnd()
        }
        let transport = URLSessionTransport()
        let request = try RawHTTP.request(server.port)
        let task = Task { () async -> TransportError? in
            await failure { () throws(TransportError) in _ = try await transport.send(request) }
        }
        try await eventually { isAsked.value }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
    }

    @Test("unusable addresses and headers are refused, and plain HTTP goes only to this computer")
    func unusable() async throws {
        let transport = URLSessionTransport()
        for address in [
            "http://example.com/", "http://127.1/", "http://2130706433/", "ftp://localhost/", "https://a:b@localhost/",
            "https:///path",
        ] {
            let request = TransportRequest("GET", try #require(URL(string: address)))
            let error = await failure { () throws(TransportError) in _ = try await transport.send(request) }
            #expect(error?.code == .unusableRequest, "\(address)")
        }
        let url = try #require(URL(string: "http://localhost:1/"))
        for headers in [["a": "b\r\nc: d"], ["a b": "c"], ["": "c"], ["a:": "c"]] {
            let request = TransportRequest("GET", url, headers: headers)
            let error = await failure { () throws(TransportError) in _ = try await transport.send(request) }
            #expect(error?.code == .unusableRequest, "\(headers)")
        }
    }

    @Test("devices sync with a server over URLSession")
    func sync() async throws {
        try await Device.serve { port in
            let (first, second) = (try await Device(port), try await Device(port))
            for number in 0..<30 { try await first.save("p\(number)", ["title": "t", "rating": .int(Int64(number))]) }
            let sent = try await first.engine(transport: URLSessionTransport()).runOnce()
            #expect(sent.failure == nil && sent.pending == 0)
            let received = try await second.engine(transport: URLSessionTransport()).runOnce()
            #expect(received.failure == nil)
            #expect(try await second.post("p7") == "t 7 ")
            try await second.save("p7", ["title": "changed"])
            try await second.delete("p8")
            for device in [second, first] {
                let report = try await device.engine(transport: URLSessionTransport()).runOnce()
                #expect(report.failure == nil && report.pending == 0)
            }
            #expect(try await first.post("p7") == "changed 7 ")
            #expect(try await first.post("p8") == nil)
        }
    }

    #if os(Linux)
        @Test("a WebSocket that the system cannot open is an error, and the call ends")
        func webSocket() async throws {
            try await Device.serve { port in
                let request = WebSocketRequest(
                    try #require(URL(string: "http://127.0.0.1:\(port)/graphql/realtime")), subprotocols: ["graphql-ws"]
                )
                let transport = URLSessionTransport()
                let error = await failure { () throws(TransportError) in _ = try await transport.openWebSocket(request)
                }
                #expect(error != nil)
            }
        }
    #endif
}
