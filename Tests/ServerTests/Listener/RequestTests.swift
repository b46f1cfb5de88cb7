import Foundation
import TestWaiting
import Testing

@testable import TidelogServer

@Suite("Requests over real sockets", .timeLimit(.minutes(5)))
struct RequestTests {
    @Test("a socket serves one request after the other")
    func keepAlive() async throws {
        try await serving { listener in
            try await onThread { [port = listener.port] in
                let client = try RawClient(port)
                for number in 0..<50 {
                    let answer = try client.ask("GET /\(number)?a=b HTTP/1.1\r\nHost: x\r\n\r\n")
                    #expect(answer.status == 200)
                    #expect(answer.text == "GET /\(number) 0")
                }
            }
        }
    }

    @Test("pipelined requests are answered in their order, however long each of them takes")
    func pipelining() async throws {
        let service = ListenerService { request in
            if request.path == "/0" { try? await Task.sleep(for: .milliseconds(50)) }
            return HTTPResponse(status: 200, text: request.path + String(decoding: request.body, as: UTF8.self))
        }
        try await serving(service) { listener in
            try await onThread { [port = listener.port] in
                let client = try RawClient(port)
                var requests = ""
                for number in 0..<200 {
                    requests += "POST /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
                }
                client.send(requests)
                for number in 0..<200 {
                    let response = try client.response()
                    #expect(String(decoding: response.body, as: UTF8.self) == "/\(number)abc")
                }
            }
        }
    }

    @Test("the handler sees method, path, query, header, body and where the request came from")
    func parts() async throws {
        let seen = Shared<HTTPRequest?>(nil)
        let service = ListenerService { request in
            seen.set(request)
            return HTTPResponse(status: 204)
        }
        try await serving(service) { listener in
            try await onThread { [port = listener.port] in
                let client = try RawClient(port)
                client.send(
                    "PUT /a%20b/%C3%BC?x=1%2B1&y=a+b&z&x=2 HTTP/1.1\r\nHOST: x\r\nX-Api-Key:  k \r\n"
                        + "Content-Length: 2\r\n\r\nhi")
                let response = try client.response()
                #expect(response.status == 204)
                #expect(!response.header.lowercased().contains("content-length"))
            }
            let request = try #require(seen.value)
            #expect(request.method == "PUT")
            #expect(request.path == "/a b/ü")
            #expect(request.target == "/a%20b/%C3%BC?x=1%2B1&y=a+b&z&x=2")
            let items = [("x", "1+1"), ("y", "a b"), ("z", ""), ("x", "2")].map { HTTPRequest.QueryItem($0.0, $0.1) }
            #expect(request.query == items)
            #expect(request.headers["x-api-key"] == "k")
            #expect(request.body == Array("hi".utf8))
            #expect(request.remoteAddress == "127.0.0.1")
            #expect(!request.isSecure)
        }
    }

    @Test("HEAD and OPTIONS reach the handler, and HEAD is answered without the body")
    func otherMethods() async throws {
        try await serving { listener in
            try await onThread { [port = listener.port] in
                let client = try RawClient(port)
                client.send("HEAD /h HTTP/1.1\r\nHost: x\r\n\r\nOPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")
                let head = try client.response(hasBody: false)
                #expect(head.header.contains("Content-Length: 9\r\n"))
                let options = try client.response()
                #expect(String(decoding: options.body, as: UTF8.self) == "OPTIONS * 0")
            }
        }
    }

    @Test("a body can be sent with its length, in chunks, or after 100 Continue")
    func bodies() async throws {
        try await serving { listener in
            try await onThread { [port = listener.port] in
                let client = try RawClient(port)
                let whole = String(repeating: "x", count: 1 << 20)
                let request = "POST / HTTP/1.1\r\nHost: x\r\n"
                let first = try client.ask(request + "Content-Length: \(1 << 20)\r\n\r\n" + whole)
                #expect(first.text == "POST / 1048576")
                let chunks = "5;name=value\r\nhello\r\nA\r\n, world :)\r\n0\r\nTrailer: x\r\n\r\n"
                let second = try client.ask(request + "Transfer-Encoding: chunked\r\n\r\n" + chunks)
                #expect(second.text == "POST / 15")
                client.send(request + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
                #expect(try client.receive(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
                #expect(try client.ask("abc").text == "POST / 3")
            }
        }
    }

    @Test("the socket is closed after the response if the client uses HTTP/1.0 or asks for it")
    func closing() async throws {
        try await serving { listener in
            try await onThread { [port = listener.port] in
                for request in ["GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"] {
                    let client = try RawClient(port)
                    client.send(request)
                    let all = String(decoding: try client.receiveAll(), as: UTF8.self)
                    #expect(all.contains("Connection: close\r\n"))
                    #expect(all.hasSuffix("GET / 0"))
                }
            }
        }
    }

    @Test("a long response reaches a slow reader completely, and other clients are served at the same time")
    func slowReader() async throws {
        let body = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
        let service = ListenerService { request in
            request.path == "/long" ? HTTPResponse(status: 200, body: body) : HTTPResponse(status: 200, text: "short")
        }
        try await serving(service) { listener in
            try await onThread { [port = listener.port] in
                let slow = try RawClient(port, receiveBuffer: 8 << 10)
                slow.send("GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
                var received = 0
                let header = try slow.receive(through: "\r\n\r\n")
                #expect(header.contains("Content-Length: \(body.count)"))
                while received < body.count {
                    let count = min(256 << 10, body.count - received)
                    let piece = try slow.receive(count)
                    #expect(piece.elementsEqual(body[received..<(received + count)]))
                    received += count
                    #expect(try RawClient(port).ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").text == "short")
                }
            }
        }
    }

    @Test("a header value of a handler cannot begin another header field")
    func splitting() async throws {
        let service = ListenerService { _ in
            HTTPResponse(status: 200, headers: ["X-A": "1\r\nX-B: 2", "Content-Length": "99"], body: [65])
        }
        try await serving(service) { listener in
            try await onThread { [port = listener.port] in
                let client = try RawClient(port)
                client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                let response = try client.response()
                #expect(response.header.contains("X-A: 1  X-B: 2\r\n"))
                #expect(response.body == [65])
            }
        }
    }

    @Test("the handler's task is cancelled when the client goes away")
    func cancellation() async throws {
        let (isAtWork, isCancelled) = (Shared(false), Shared(false))
        let service = ListenerService { _ in
            isAtWork.set(true)
            do { try await Task.sleep(for: .seconds(60)) } catch { isCancelled.set(true) }
            return HTTPResponse(status: 200)
        }
        try await serving(service) { listener in
            let client = try RawClient(listener.port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            try await eventually { isAtWork.value }
            client.reset()
            try await eventually { isCancelled.value }
        }
    }

    @Test("HTTP dates have the right weekday, date and time, also around leap days")
    func dates() {
        #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(1_709_164_800) == "Thu, 29 Feb 2024 00:00:00 GMT")
        #expect(HTTPDate.text(4_107_542_399) == "Sun, 28 Feb 2100 23:59:59 GMT")
    }
}
