import FaultHarness
import Foundation
import RawServer
import ServerSupport
import TestWaiting
import Testing
import TidelogServer
import TidelogSynchronization

@testable import TidelogClientMachines
@testable import TidelogCurlTransport
@testable import TidelogSync

@Suite("Requests over libcurl", .timeLimit(.minutes(5)))
struct CurlTransportTests {
    @Test("method, path, headers and body arrive, and status, headers and body come back")
    func exchange() async throws {
        let seen = Shared<HTTPRequest?>(nil)
        let service = ListenerService(respond: { request in
            seen.set(request)
            var headers: HTTPHeaders = ["X-One": "a", "Content-Type": "text/plain"]
            headers.add("x-one", "b")
            return HTTPResponse(status: 418, headers: headers, body: Array("tea".utf8))
        })
        try await serving(service) { listener in
            let transport = CurlTransport()
            let url = try #require(URL(string: "http://localhost:\(listener.port)/a/b?c=d%20e#f"))
            for method in ["POST", "PUT"] {
                let response = try await transport.send(
                    TransportRequest(
                        method, url, headers: ["X-Key": "a b", "X-Empty": ""], body: [UInt8](repeating: 7, count: 5_000)
                    ))
                #expect(response.status == 418)
                #expect(response.body == Array("tea".utf8))
                #expect(response.headers["x-one"] == "a, b")
                #expect(response.headers["content-type"] == "text/plain")
                let request = try #require(seen.value)
                #expect(request.method == method)
                #expect(request.target == "/a/b?c=d%20e")
                #expect(request.headers["x-key"] == "a b")
                #expect(request.headers["x-empty"] == "")
                #expect(request.headers["expect"] == nil)
                #expect(request.headers.list("Accept-Encoding", contains: "gzip"))
                #expect(request.body == [UInt8](repeating: 7, count: 5_000))
            }
            let response = try await transport.send(TransportRequest("GET", url))
            #expect(response.status == 418)
            #expect(seen.value?.method == "GET")
        }
    }

    @Test("requests one after the other share a connection, and many at once are all answered")
    func reuse() async throws {
        let server = try RawHTTP.server(RawHTTP.response("", Array("ok".utf8)))
        let transport = CurlTransport()
        let request = try RawHTTP.request(server.port)
        for _ in 0..<20 { #expect(try await transport.send(request).body == Array("ok".utf8)) }
        #expect(server.connectionCount == 1)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await transport.send(request).status } }
            for try await status in group { #expect(status == 200) }
        }
        let opened = server.connectionCount
        let change = try RawHTTP.request(server.port, method: "POST")
        for _ in 0..<20 {
            _ = try await transport.send(request)
            _ = try await transport.send(change)
        }
        #expect(server.connectionCount == opened)
    }

    /// A server that answers the first request of each connection. If that request is for `/first`, the server then reads
    /// another request whole. It closes the connection without a further byte. All requests are added to `seen`.
    private static func serverThatHangsUp(_ seen: Shared<[String]>) throws -> RawServer {
        try RawServer { connection in
            let first = try connection.request()
            seen.update { $0.append(first) }
            try connection.send(RawHTTP.response("", Array("ok".utf8)))
            guard first.hasPrefix("GET /first ") else { return }
            let second = try connection.request()
            seen.update { $0.append(second) }
        }
    }

    @Test(
        "a request that may change something is sent once, also if a reused connection ends without an answer",
        arguments: ["POST", "PUT", "DELETE"], [0, 300, 3_000_000])
    func sentOnce(_ method: String, _ byteCount: Int) async throws {
        let seen = Shared<[String]>([])
        let server = try Self.serverThatHangsUp(seen)
        let transport = CurlTransport()
        #expect(try await transport.send(RawHTTP.request(server.port, "/first")).status == 200)
        var request = try RawHTTP.request(server.port, "/change", method: method)
        request.body = [UInt8](repeating: 65, count: byteCount)
        let change = request
        let error = await failure { () throws(TransportError) in _ = try await transport.send(change) }
        #expect(error?.code == .closed)
        // The next request needs a connection of its own. When it is answered, the server has seen all requests before it.
        #expect(try await transport.send(RawHTTP.request(server.port, "/last")).status == 200)
        #expect(seen.value.map { $0.prefix { $0 != " " } } == ["GET", method[...], "GET"])
        #expect(seen.value[1].hasSuffix("\r\n\r\n" + String(repeating: "A", count: byteCount)))
    }

    @Test("a request that may be repeated is sent again if a reused connection ends without an answer")
    func sentAgain() async throws {
        let seen = Shared<[String]>([])
        let server = try Self.serverThatHangsUp(seen)
        let transport = CurlTransport()
        #expect(try await transport.send(RawHTTP.request(server.port, "/first")).status == 200)
        var request = try RawHTTP.request(server.port, "/query", method: "POST")
        request.body = Array("{}".utf8)
        request.isRepeatable = true
        #expect(try await transport.send(request).status == 200)
        #expect(seen.value.map { $0.prefix { $0 != " " } } == ["GET", "POST", "POST"])
    }

    @Test("compressed bodies are expanded, and a body with invalid compression is malformed")
    func compression() async throws {
        let expected = Array(String(repeating: "hello, ", count: 200).utf8)
        let bodies = [
            ("gzip", "H4sIAAAAAAACA8tIzcnJ11HIGKVGqVFqlBql6EMBAEiJ7dt4BQAA"),
            ("deflate", "eNrLSM3JyddRyBilRqlRapQapehDAQASq9sQ"),
        ]
        let transport = CurlTransport()
        for (name, text) in bodies {
            let body = Array(try #require(Data(base64Encoded: text)))
            let server = try RawHTTP.server(RawHTTP.response("Content-Encoding: \(name)\r\n", body))
            let response = try await transport.send(try RawHTTP.request(server.port))
            #expect(response.body == expected)
        }
        let broken = try RawHTTP.server(RawHTTP.response("Content-Encoding: gzip\r\n", Array("not gzip at all".utf8)))
        let request = try RawHTTP.request(broken.port)
        let error = await failure { () throws(TransportError) in _ = try await transport.send(request) }
        #expect(error?.code == .malformed)
    }

    /// 17 MiB of zeros, compressed twice.
    private static let bomb =
        "H4sIAAAAAAACA+3bOw4BYRQF4H/MFB4JegVLUGokNGqNWixArUMiKgWNdViDHehEZwEiolCJx9iEZPJ91a1PeXJufZ"
        + "UPqVx82UfR95hvXrtrvhgAAACAjJufFnFaBoTG+9jrDwAAAICsG1XKya8UeA5rXXEAAABA5i3brepvIXCfjRNxAAAA"
        + "QOZtH+dNWgV0Du/jtBn7moB/uCWlwmQdQjX6AMRwervOQwAA"

    @Test("a response is too large by its declared length, its bytes, its expanded bytes or its headers")
    func limits() async throws {
        let limit = 16 << 20
        let transport = CurlTransport()
        let whole = try RawHTTP.server(RawHTTP.response("", [UInt8](repeating: 65, count: limit)))
        #expect(try await transport.send(try RawHTTP.request(whole.port)).body.count == limit)

        let announced = try RawHTTP.server(Array("HTTP/1.1 200 OK\r\nContent-Length: \(limit + 1)\r\n\r\n".utf8))
        let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 65, count: 1 << 20) + Array("\r\n".utf8)
        let endless = try RawServer { connection in
            _ = try connection.request()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while true { try connection.send(chunk) }
        }
        let zeros = Array(try #require(Data(base64Encoded: Self.bomb)))
        let bomb = try RawHTTP.server(RawHTTP.response("Content-Encoding: gzip, gzip\r\n", zeros))
        let line = "X: \(String(repeating: "y", count: 1_000))\r\n"
        let fields = try RawHTTP.server(Array(("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 300)).utf8))
        for server in [announced, endless, bomb, fields] {
            // The server `announced` sends no body, so that request can only end because of the length in the header.
            let request = try RawHTTP.request(server.port)
            let error = await failure { () throws(TransportError) in _ = try await transport.send(request) }
            #expect(error?.code == .tooLarge)
        }
        var small = CurlTransport.Configuration()
        small.maximumBodyBytes = 10
        let ten = try RawHTTP.server(RawHTTP.response("", [UInt8](repeating: 65, count: 10)))
        #expect(try await CurlTransport(small).send(try RawHTTP.request(ten.port)).body.count == 10)
    }

    @Test("each way in which a server fails has its error code")
    func failures() async throws {
        let silent = try RawServer { connection in _ = connection.waitForEnd() }
        let half = try RawHTTP.server(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".utf8), closes: true)
        let nothing = try RawHTTP.server([], closes: true)
        let babble = try RawHTTP.server(Array("220 mail.example ESMTP\r\n".utf8), closes: true)
        let cases: [(Int, TransportError.Code)] = [
            (silent.port, .timedOut), (half.port, .closed), (nothing.port, .closed), (babble.port, .malformed),
        ]
        let transport = CurlTransport()
        for (port, code) in cases {
            let request = try RawHTTP.request(port, timeout: code == .timedOut ? .milliseconds(300) : .seconds(60))
            let error = await failure { () throws(TransportError) in _ = try await transport.send(request) }
            #expect(error?.code == code, "\(String(describing: error))")
        }
    }

    @Test("a port without a server is unreachable")
    func unreachable() async throws {
        // A server has just used this port and has stopped, so the port is free.
        let port = try await { () async throws -> Int in
            let port = Shared(0)
            try await serving { listener in port.set(listener.port) }
            return port.value
        }()
        let request = try RawHTTP.request(port)
        let transport = CurlTransport()
        let error = await failure { () throws(TransportError) in _ = try await transport.send(request) }
        #expect(error?.code == .unreachable)
    }

    @Test("redirections are not followed")
    func redirections() async throws {
        let server = try RawHTTP.server(
            Array("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n".utf8))
        let response = try await CurlTransport().send(try RawHTTP.request(server.port))
        #expect(response.status == 302)
        #expect(response.headers["location"] == "http://127.0.0.1:1/")
    }

    @Test("the cancellation of a task ends its request at once, and the server sees the end")
    func cancellation() async throws {
        let events = Shared<[String]>([])
        let server = try RawServer { connection in
            _ = try connection.request()
            events.update { $0.append("asked") }
            let hasEnded = connection.waitForEnd()
            events.update { $0.append(hasEnded ? "ended" : "waited") }
        }
        let transport = CurlTransport()
        let request = try RawHTTP.request(server.port)
        let task = Task { () async -> TransportError? in
            await failure { () throws(TransportError) in _ = try await transport.send(request) }
        }
        try await eventually { events.value == ["asked"] }
        let start = ContinuousClock.now
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        #expect(ContinuousClock.now - start < .seconds(20))
        try await eventually { events.value == ["asked", "ended"] }

        let late = Task { () async -> TransportError? in
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure { () throws(TransportError) in _ = try await transport.send(request) }
        }
        #expect(await late.value?.code == .cancelled)
        #expect(server.connectionCount == 1)
    }

    @Test("plain HTTP is allowed only to this computer, in each notation of its address, unless the app allows more")
    func plainHTTP() async throws {
        let own = [
            "http://localhost/", "HTTP://LOCALHOST:8080/a", "http://127.0.0.1", "http://127.1/", "http://0x7f000001/",
            "ws://127.255.255.254/", "http://[::1]:80/", "http://[0:0:0:0:0:0:0:1]/",
        ]
        for text in own {
            let url = try #require(URL(string: text))
            #expect(throws: Never.self, "\(text)") { try CurlAddress(url, allowsPlainHTTP: false) }
        }
        let others = [
            "http://example.com/", "http://127.example.com/", "http://localhost.example.com/", "http://128.0.0.1/",
            "http://127.0.0.1.example.com/", "ws://10.0.0.1/", "http://[::2]/", "http://0.0.0.0/",
        ]
        let transport = CurlTransport()
        for text in others {
            let url = try #require(URL(string: text))
            let error = await failure { () throws(TransportError) in
                _ = try await transport.send(TransportRequest("GET", url))
            }
            #expect(error?.code == .unusableRequest, "\(text)")
            let refused = await failure { () throws(TransportError) in
                _ = try await transport.openWebSocket(WebSocketRequest(url))
            }
            #expect(refused?.code == .unusableRequest, "\(text)")
            #expect(throws: Never.self) { try CurlAddress(url, allowsPlainHTTP: true) }
        }
    }

    @Test("a request with an unusable address or header is refused with an error")
    func unusable() async throws {
        let transport = CurlTransport()
        for text in ["ftp://localhost/", "file:///etc/passwd", "https://user:secret@localhost/", "localhost"] {
            let url = try #require(URL(string: text))
            let error = await failure { () throws(TransportError) in
                _ = try await transport.send(TransportRequest("GET", url))
            }
            #expect(error?.code == .unusableRequest, "\(text)")
        }
        let url = try #require(URL(string: "http://localhost:1/"))
        for headers in [["X": "a\r\nY: b"], ["X: a\r\nY": "b"], ["": "a"], ["X": "\0"]] {
            let error = await failure { () throws(TransportError) in
                _ = try await transport.send(TransportRequest("GET", url, headers: headers))
            }
            #expect(error?.code == .unusableRequest)
        }
    }

    @Test(
        "a self-signed certificate is refused unless the client is configured to trust it",
        .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
    func certificates() async throws {
        let directory = try TemporaryDirectory()
        let files = try CommandLineTools.makeIdentity(in: directory)
        let other = try CommandLineTools.makeIdentity(in: directory, name: "other")
        try await serving(identity: TLSIdentity(certificateFile: files.certificate, keyFile: files.key)) { listener in
            let request = TransportRequest("GET", try #require(URL(string: "https://localhost:\(listener.port)/a")))
            for trusted in [nil, other.certificate, directory.file("missing").path] {
                var configuration = CurlTransport.Configuration()
                configuration.trustedCertificates = trusted
                let transport = CurlTransport(configuration)
                let error = await failure { () throws(TransportError) in _ = try await transport.send(request) }
                #expect(error?.code == .tls)
            }
            var configuration = CurlTransport.Configuration()
            configuration.trustedCertificates = files.certificate
            let response = try await CurlTransport(configuration).send(request)
            #expect(String(decoding: response.body, as: UTF8.self) == "GET /a 0")
        }
    }
}
