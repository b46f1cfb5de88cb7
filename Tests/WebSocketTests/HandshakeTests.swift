import SeededNumbers
import Testing

@testable import TidelogWebSocket

@Suite("Opening a WebSocket")
struct HandshakeTests {
    private static let nonce = Array("the sample nonce".utf8)

    private static func opening(_ subprotocols: [String] = ["graphql-ws", "other"]) -> WebSocketOpening {
        WebSocketOpening(subprotocols: subprotocols, nonce: nonce)
    }

    private static func result(
        _ response: [UInt8], _ opening: WebSocketOpening = opening(), piece: (Int) -> Int = { $0 }
    ) -> Result<WebSocketOpening.Opened?, WebSocketOpening.Failure> {
        var opening = opening
        var rest = response[...]
        do throws(WebSocketOpening.Failure) {
            while !rest.isEmpty {
                let count = min(max(1, piece(rest.count)), rest.count)
                let piece = rest.prefix(count)
                rest = rest.dropFirst(count)
                if let opened = try opening.receive(piece) {
                    return .success(
                        WebSocketOpening.Opened(subprotocol: opened.subprotocol, rest: opened.rest + Array(rest)))
                }
            }
            return .success(nil)
        } catch {
            return .failure(error)
        }
    }

    private static let accept = WebSocketHandshake.acceptance(of: Base64.encode(nonce))

    private static func response(
        status: String = "HTTP/1.1 101 Switching Protocols", _ changes: [String: String?] = [:]
    ) -> [UInt8] {
        var fields: [String: String?] = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept,
            "Sec-WebSocket-Protocol": "graphql-ws",
        ]
        for (name, value) in changes { fields[name] = value }
        let lines = fields.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }
        return Array((status + "\r\n" + lines.joined() + "\r\n").utf8)
    }

    @Test("keys are answered as in the RFC's example, and SHA-1 and Base64 give their published values")
    func vectors() {
        #expect(WebSocketHandshake.acceptance(of: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        let hexadecimal = { (text: String) in
            WebSocketHandshake.SHA1.hash(of: Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                .joined()
        }
        #expect(hexadecimal("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(hexadecimal("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
        #expect(
            hexadecimal("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
        #expect(hexadecimal(String(repeating: "a", count: 1_000)) == "291e9a6c66994949b57ba5e650361e98fc36b1ba")
        let texts = ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE="]
        for (text, encoded) in texts { #expect(Base64.encode(Array(text.utf8)) == encoded) }
        #expect(Base64.encode([0xFB, 0xFF, 0xBF]) == "+/+/")
    }

    @Test("client and server agree however the response is cut, and the frames after the response are not lost")
    func agreement() throws {
        let opening = Self.opening()
        let request = String(
            decoding: opening.request(target: "/graphql?a=b", host: "localhost:80", fields: [("X-A", "b c")]),
            as: UTF8.self)
        #expect(request.hasPrefix("GET /graphql?a=b HTTP/1.1\r\nHost: localhost:80\r\n"))
        #expect(request.hasSuffix("X-A: b c\r\n\r\n"))
        let key = try #require(request.firstMatch(of: /Sec-WebSocket-Key: (.*)\r\n/)?.1)
        #expect(request.contains("Sec-WebSocket-Protocol: graphql-ws, other\r\n"))
        let handshake = try WebSocketHandshake(
            .init(method: "GET", minorVersion: 1, versions: ["13"], keys: [String(key)], subprotocols: ["graphql-ws"]))
        let response = handshake.response(subprotocol: "graphql-ws") + [1, 2, 3]
        for size in 1...response.count {
            let opened = try Self.result(response, opening) { _ in size }.get()
            #expect(opened == WebSocketOpening.Opened(subprotocol: "graphql-ws", rest: [1, 2, 3]))
        }
    }

    @Test("names of fields and of the upgrade are read without regard to case")
    func cases() throws {
        let text = "HTTP/1.1 101\r\nUPGRADE:  WebSocket\t\r\nconnection: keep-alive , UPGRADE\r\n"
        let opened = try Self.result(Array("\(text)sec-websocket-accept: \(Self.accept)\r\n\r\n".utf8)).get()
        #expect(opened == WebSocketOpening.Opened(subprotocol: nil, rest: []))
    }

    @Test("a response that does not open a WebSocket gives a typed error")
    func refusals() {
        let unknown = Self.response(status: "HTTP/1.1 401 Unauthorized")
        #expect(Self.result(unknown) == .failure(.refused(status: 401, errorType: nil)))
        #expect(
            Self.result(Self.response(status: "HTTP/1.1 200 OK")) == .failure(.refused(status: 200, errorType: nil)))
        let named = Array("HTTP/1.1 403 Forbidden\r\nX-Amzn-ErrorType: AccessDeniedException\r\n\r\n".utf8)
        #expect(Self.result(named) == .failure(.refused(status: 403, errorType: "AccessDeniedException")))
        let malformed: [(String, [UInt8])] = [
            ("status line", Self.response(status: "HTTP/1.0 101 Switching Protocols")),
            ("status line", Self.response(status: "101")),
            ("header field", Self.response(["a b": "c"])),
            ("upgrades", Self.response(["Upgrade": "h2c"])),
            ("upgrades", Self.response(["Upgrade": String?.none])),
            ("connection", Self.response(["Connection": "close"])),
            ("key", Self.response(["Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOp="])),
            ("key", Self.response(["Sec-WebSocket-Accept": String?.none])),
            ("extension", Self.response(["Sec-WebSocket-Extensions": "permessage-deflate"])),
            ("offered", Self.response(["Sec-WebSocket-Protocol": "mqtt"])),
            ("UTF-8", Array("HTTP/1.1 101 \u{FF}".utf8) + [0xFF, 13, 10, 13, 10]),
        ]
        for (word, response) in malformed {
            guard case .failure(.malformed(let reason)) = Self.result(response), reason.contains(word) else {
                Issue.record("\(word): \(Self.result(response))")
                continue
            }
        }
        let endless = Array("HTTP/1.1 101 A\r\nX: ".utf8) + [UInt8](repeating: 65, count: 40_000)
        #expect(Self.result(endless) { _ in 1_000 } == .failure(.tooLong))
        #expect(Self.result(endless + [13, 10, 13, 10]) == .failure(.tooLong))
    }

    @Test("a request that is not a valid handshake of version 13 gives a typed error")
    func requests() {
        let key = Base64.encode(Self.nonce)
        let failure = { (request: WebSocketHandshake.Request) -> WebSocketHandshake.Failure? in
            do throws(WebSocketHandshake.Failure) { _ = try WebSocketHandshake(request) } catch { return error }
            return nil
        }
        let good = WebSocketHandshake.Request(
            method: "GET", minorVersion: 1, versions: ["13"], keys: [key], subprotocols: [])
        #expect(failure(good) == nil)
        let changes: [(inout WebSocketHandshake.Request) -> Void] = [
            { $0.method = "POST" }, { $0.minorVersion = 0 }, { $0.keys = [] }, { $0.keys = [key, key] },
            { $0.keys = ["abc"] }, { $0.keys = [String(key.dropLast(3)) + "?=="] }, { $0.subprotocols = ["a b"] },
        ]
        for change in changes {
            var request = good
            change(&request)
            guard case .malformed? = failure(request) else {
                Issue.record("\(request) is taken")
                continue
            }
        }
        var request = good
        request.versions = ["8"]
        #expect(failure(request) == .unsupportedVersion)
    }

    @Test("mutated responses are read the same way however they are cut")
    func mutations() {
        var random = SeededGenerator(0x5EED_0005)
        for _ in 0..<5_000 {
            var bytes = Self.response()
            for _ in 0...random.below(4) { Conversation.mutate(&bytes, &random) }
            let pieces = Self.result(bytes) { _ in 1 + random.below(30) }
            #expect(pieces == Self.result(bytes), "\(String(decoding: bytes, as: UTF8.self))")
        }
    }
}
