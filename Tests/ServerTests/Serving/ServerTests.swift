import Foundation
import ServerSupport
import TestWaiting
import Testing
import TidelogAgreement

@testable import TidelogServer

@Suite("A server", .databaseToo, .timeLimit(.minutes(5)))
struct ServerTests {
    private static let sdl = """
        type Open @model { id: ID! text: String }
        type Mixed @model @auth(rules: [{allow: public}, {allow: private}, {allow: private, provider: oidc}]) {
          id: ID! text: String
        }
        """

    private static func claims(_ issuer: String, _ changes: String = "") -> String {
        let now = Int(Date().timeIntervalSince1970)
        return #"{"iss":"\#(issuer)","aud":"app","sub":"s","exp":\#(now + 600),"iat":\#(now)\#(changes)}"#
    }

    @Test(
        "callers are recognised by key or token, and refusals give no reason",
        .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
    func credentials() async throws {
        let signer = try TokenSigner(.ec, id: "own")
        let stranger = try TokenSigner(.ec, id: "own")
        let keys = try JSONWebKeySet(parsing: Array(#"{"keys":[\#(try signer.jsonWebKey())]}"#.utf8))
        let verifier = { TokenVerifier(keys: keys, issuer: $0, audiences: ["app"]) }
        let authenticator = Authenticator(
            apiKey: "da2-key", userPools: [verifier("https://pool")], oidc: [verifier("https://other")])
        let providers = Shared<[String?]>([])
        try await RunningServer.run(
            Self.sdl, authenticator, log: { request in providers.update { $0.append(request.provider?.rawValue) } }
        ) {
            port in
            let pool = try signer.token(Self.claims("https://pool"))
            let other = try signer.token(Self.claims("https://other"))
            let accepted: [[(String, String)]] = [
                [("x-api-key", "da2-key")], [("Authorization", pool)], [("authorization", "Bearer \(pool)")],
                [("Authorization", "bearer \(other)")],
            ]
            for headers in accepted {
                let answer = try RunningServer.ask(port, "{ listMixeds { items { id } } }", headers)
                #expect(answer.status == 200)
                #expect(answer.text == #"{"data":{"listMixeds":{"items":[]}}}"#)
            }
            let expired = #"{"iss":"https://pool","aud":"app","sub":"s","exp":1000}"#
            let refused: [[(String, String)]] = [
                [], [("x-api-key", "da2-kex")], [("x-api-key", "")], [("Authorization", "")],
                [("Authorization", "da2-key")], [("Authorization", try stranger.token(Self.claims("https://pool")))],
                [("Authorization", try signer.token(expired))],
                [("Authorization", try signer.token(Self.claims("https://third")))],
                [("Authorization", try signer.token(Self.claims("https://pool", #","nbf":99999999999"#)))],
                [("Authorization", try signer.token(#"{"iss":"https://pool","sub":"s","exp":99999999999}"#))],
                [("Authorization", "Basic \(pool)")], [("x-api-key", "no"), ("Authorization", pool)],
            ]
            for headers in refused {
                let answer = try RunningServer.ask(port, "{ listMixeds { items { id } } }", headers)
                #expect(answer.status == 401, "\(headers)")
                let message = "You are not authorized to make this call."
                #expect(
                    answer.text == #"{"errors":[{"errorType":"UnauthorizedException","message":"\#(message)"}]}"#,
                    "\(headers)")
            }
        }
        #expect(providers.value == ["apiKey", "userPools", "userPools", "oidc"] + [String?](repeating: nil, count: 12))
    }

    @Test("a body is read as JSON whatever of GraphQL's and JSON's content types it has, and refused with another")
    func contentTypes() async throws {
        try await RunningServer.run(Self.sdl, Authenticator(apiKey: "da2-key")) { port in
            let cases = [
                ("application/json", 200), ("application/json; charset=utf-8", 200), ("application/graphql", 200),
                ("Application/GraphQL ; charset=utf-8", 200), ("application/graphql+json", 200), ("text/plain", 400),
                ("application/graphqlx", 400),
            ]
            for (type, status) in cases {
                let body = RunningServer.body("{ listOpens { items { id } } }")
                let answer = try RawClient(port).ask(
                    "POST /graphql HTTP/1.1\r\nHost: x\r\nx-api-key: da2-key\r\nContent-Type: \(type)\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
                #expect(answer.status == status, "\(type): \(answer.text)")
            }
            let query = "{ listOpens { items { id } } }"
            let plain = try RawClient(port).ask(
                "POST /graphql HTTP/1.1\r\nHost: x\r\nx-api-key: da2-key\r\nContent-Type: application/graphql\r\n"
                    + "Content-Length: \(query.utf8.count)\r\n\r\n\(query)")
            #expect(plain.status == 400, "\(plain.text)")
        }
    }

    @Test("the listener's own refusals have the same form as the errors of the service")
    func refusals() async throws {
        try await RunningServer.run(Self.sdl, Authenticator(apiKey: "da2-key")) { port in
            let cases = [
                ("POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n", 413, "RequestEntityTooLarge"),
                ("GET /graphql HTTP/1.1\r\n\r\n", 400, "MalformedHttpRequest"),
                ("GET /graphql HTTP/3.1\r\nHost: x\r\n\r\n", 505, "BadRequest"),
            ]
            for (request, status, type) in cases {
                let answer = try RawClient(port).ask(request)
                #expect(answer.status == status)
                #expect(answer.text.hasPrefix(#"{"errors":[{"errorType":"\#(type)Exception","message":""#))
            }
        }
    }

    @Test(
        "a client that speaks TLS to a server without TLS is named in a notice, and the next client is served")
    func tlsClients() async throws {
        let notices = Shared<[String]>([])
        try await RunningServer.serve(
            Self.sdl, Authenticator(apiKey: "da2-key"), notice: { text in notices.update { $0.append(text) } }
        ) { port in
            try await onThread {
                let client = try RawClient(port)
                // The beginning of curl's ClientHello.
                client.send([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03])
                #expect(String(decoding: try client.receiveAll(), as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
                #expect(try RunningServer.ask(port, "{ listOpens { items { id } } }").status == 200)
            }
        }
        #expect(notices.value.count == 1)
        for part in ["127.0.0.1", "TLS", "--tls-cert"] { #expect(notices.value.first?.contains(part) == true) }
    }

    @Test("the server reads a body only from a caller with credentials, and only if the request may have one")
    func unreadBodies() async throws {
        let statuses = Shared<[Int]>([])
        try await RunningServer.run(
            Self.sdl, Authenticator(apiKey: "da2-key"),
            log: { request in statuses.update { $0.append(request.status) } }
        ) { port in
            // None of these clients sends its body. The server answers without it, and closes the socket.
            let cases = [
                ("POST /graphql", "", 401), ("POST /graphql", "x-api-key: no\r\n", 401),
                ("POST /graphql", "x-api-key: no\r\nExpect: 100-continue\r\n", 401), ("GET /schema.graphql", "", 401),
                ("POST /nowhere", "", 404), ("PUT /graphql", "x-api-key: da2-key\r\n", 405), ("GET /health", "", 400),
                ("OPTIONS /graphql", "", 400),
            ]
            for framing in ["Content-Length: 1000000", "Transfer-Encoding: chunked"] {
                for (line, fields, status) in cases {
                    let client = try RawClient(port)
                    client.send("\(line) HTTP/1.1\r\nHost: x\r\n\(fields)\(framing)\r\n\r\n")
                    let all = String(decoding: try client.receiveAll(), as: UTF8.self)
                    #expect(all.hasPrefix("HTTP/1.1 \(status) "), "\(line) \(fields): \(all.prefix(60))")
                    #expect(all.contains("Connection: close"))
                }
            }
            #expect(try RunningServer.ask(port, "{ listOpens { items { id } } }").status == 200)
        }
        #expect(statuses.value.filter { $0 == 401 }.count == 8)
    }
}
