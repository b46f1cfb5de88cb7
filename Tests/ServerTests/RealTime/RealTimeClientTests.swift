import FaultHarness
import Foundation
import ServerSupport
import TestWaiting
import Testing
import TidelogAgreement
import TidelogJSON

@testable import TidelogServer

@Suite("Subscriptions over sockets", .databaseToo, .timeLimit(.minutes(5)))
struct RealTimeClientTests {
    private static let sdl = """
        type Post @model @auth(rules: [{allow: public}, {allow: private}]) { id: ID! title: String! }
        """
    private static let query = "subscription { onCreatePost { id title _version } }"
    private static let start =
        #"{"id":"s","type":"start","payload":{"data":"{\"query\":\"\#(query)\"}","#
        + #""extensions":{"authorization":{"x-api-key":"da2-key","host":"h"}}}}"#

    private static func create(_ port: Int, _ id: String, certificate: String? = nil) throws {
        let mutation = "mutation { createPost(input: {id: \"\(id)\", title: \"t\"}) { id } }"
        guard let certificate else {
            let answer = try RunningServer.ask(port, mutation)
            #expect(answer.status == 200 && !answer.text.contains("errors"), "\(answer.text)")
            return
        }
        _ = try CommandLineTools.output(
            "curl",
            [
                "-sS", "--cacert", certificate, "-H", "x-api-key: da2-key", "-H", "Content-Type: application/json",
                "-d",
                RunningServer.body(mutation), "https://localhost:\(port)/graphql",
            ])
    }

    /// One way in which a client sends its credentials.
    struct Carrier: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let target: String
        let fields: [String]

        private static let header = #"{"host":"h","x-api-key":"da2-key"}"#
        private static let padded = Data(header.utf8).base64EncodedString()

        static let all = [
            Carrier(
                testDescription: "in the query, as gql", target: "/graphql?header=\(padded)&payload=e30=",
                fields: ["Sec-WebSocket-Protocol: graphql-ws"]),
            Carrier(
                testDescription: "as a subprotocol, as amplify-js", target: "/graphql/realtime",
                fields: ["Sec-WebSocket-Protocol: graphql-ws, header-\(Base64URL.encode(Array(header.utf8)))"]),
            Carrier(
                testDescription: "as header fields, as amplify-swift", target: "/graphql/realtime",
                fields: ["Sec-WebSocket-Protocol: graphql-ws", "x-api-key: da2-key"]),
        ]
    }

    @Test(
        "a client is recognised by credentials in the query, in a subprotocol or in header fields",
        arguments: Carrier.all)
    func carriers(carrier: Carrier) async throws {
        try await RunningServer.run(Self.sdl, Authenticator(apiKey: "da2-key")) { port in
            let client = try WebSocketClient(port, carrier.target, fields: carrier.fields)
            #expect(client.header.hasPrefix("HTTP/1.1 101 "))
            #expect(client.header.contains("Sec-WebSocket-Protocol: graphql-ws\r\n"))
            client.send(#"{"type":"connection_init"}"#)
            #expect(try client.receive().text.contains("connection_ack"))
            #expect(try client.receive().text == #"{"type":"ka"}"#)
            client.send(Self.start)
            #expect(try client.receive().text == #"{"id":"s","type":"start_ack"}"#)
            for number in 1...3 { try Self.create(port, "p\(number)") }
            for number in 1...3 {
                let post = #"{"id":"p\#(number)","title":"t","_version":1}"#
                #expect(
                    try client.receive().text
                        == #"{"id":"s","type":"data","payload":{"data":{"onCreatePost":\#(post)}}}"#)
            }
            client.send(#"{"type":"stop","id":"s"}"#)
            #expect(try client.receive().text == #"{"id":"s","type":"complete"}"#)
        }
    }

    @Test("if the changes cannot be followed, clients are disconnected, so that they connect again and ask for them")
    func brokenChanges() async throws {
        // A database has its own changes.
        guard ServedRecords.place == .store else { return }
        let store = Shared<BrokenChanges?>(nil)
        try await RunningServer.serve(
            Self.sdl, Authenticator(apiKey: "da2-key"),
            disturbed: { records, _ in
                let broken = BrokenChanges(records)
                store.update { $0 = broken }
                return broken
            }
        ) { port in
            try await onThread {
                let isBroken = try #require(store.value).isBroken
                func subscribe() throws -> WebSocketClient {
                    let client = try WebSocketClient(
                        port, "/graphql", fields: ["Sec-WebSocket-Protocol: graphql-ws", "x-api-key: da2-key"])
                    client.send(Self.start)
                    return client
                }
                let client = try subscribe()
                #expect(try client.receive().text.contains("start_ack"))
                isBroken.update { $0 = true }
                try Self.create(port, "missed")
                #expect(try client.receiveClose().code == 1_013)
                // Its place is not taken by a subscription that receives nothing.
                #expect(try subscribe().receiveClose().code == 1_013)
                isBroken.update { $0 = false }
                while try !subscribe().receive().text.contains("start_ack") {}
            }
        }
    }

    @Test("a client that does not authenticate, or does not offer graphql-ws, is refused and disconnected")
    func refused() async throws {
        try await RunningServer.run(Self.sdl, Authenticator(apiKey: "da2-key")) { port in
            let cases: [(target: String, fields: [String], error: String)] = [
                ("/graphql", ["x-api-key: da2-other"], "UnauthorizedException"),
                ("/graphql", [], "UnauthorizedException"),
                ("/graphql?header=%21%21", [], "BadRequestException"),
                ("/graphql?header=e30", [], "UnauthorizedException"),
            ]
            for (target, fields, error) in cases {
                let client = try WebSocketClient(
                    port, target, fields: ["Sec-WebSocket-Protocol: graphql-ws"] + fields)
                client.send(#"{"type":"connection_init"}"#)
                let answer = try client.receive().text
                #expect(answer.hasPrefix(#"{"type":"connection_error","payload":{"errors":[{"errorType":"\#(error)""#))
                #expect(try client.receiveClose().code == 1_008)
            }
            let silent = try WebSocketClient(port, "/graphql", fields: ["x-api-key: da2-key"])
            #expect(try silent.receiveClose().code == 1_002)
            let elsewhere = try WebSocketClient(port, "/elsewhere", fields: ["Sec-WebSocket-Protocol: graphql-ws"])
            #expect(elsewhere.header.hasPrefix("HTTP/1.1 404 "))
        }
    }

    @Test("a change reaches 990 subscribed clients after 10 other clients have disconnected")
    func many() async throws {
        try await RunningServer.run(Self.sdl, Authenticator(apiKey: "da2-key")) { port in
            var clients: [WebSocketClient] = []
            for _ in 0..<1_000 {
                let client = try WebSocketClient(
                    port, "/graphql", fields: ["Sec-WebSocket-Protocol: graphql-ws", "x-api-key: da2-key"])
                client.send(Self.start)
                clients.append(client)
            }
            for client in clients { #expect(try client.receive().text.contains("start_ack")) }
            for client in clients[..<10] { client.client.reset() }
            try Self.create(port, "one")
            for client in clients[10...] {
                // On a busy machine, the server sends signs of life in the meantime.
                var text = try client.receive().text
                while text.contains(#""type":"ka""#) { text = try client.receive().text }
                #expect(text.contains(#""onCreatePost":{"id":"one""#))
            }
        }
    }

    @Test(
        "Python's gql subscribes with a key and with a token, with and without TLS",
        .enabled(if: CommandLineTools.python != nil, "the Python package gql is missing"),
        .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"), arguments: [false, true])
    func gql(isSecure: Bool) async throws {
        let python = try #require(CommandLineTools.python)
        let directory = try TemporaryDirectory()
        let files = isSecure ? try CommandLineTools.makeIdentity(in: directory) : nil
        let signer = try TokenSigner(.rsa, id: "own")
        let keys = try JSONWebKeySet(parsing: Array(#"{"keys":[\#(try signer.jsonWebKey())]}"#.utf8))
        let authenticator = Authenticator(
            apiKey: "da2-key", userPools: [TokenVerifier(keys: keys, issuer: "https://pool", audiences: ["app"])])
        let now = Int(Date().timeIntervalSince1970)
        let token = try signer.token(#"{"iss":"https://pool","aud":"app","sub":"s","exp":\#(now + 600)}"#)
        let script = """
            import asyncio, json, ssl, sys
            from gql import Client, gql
            from gql.transport.appsync_auth import AppSyncApiKeyAuthentication, AppSyncJWTAuthentication
            from gql.transport.appsync_websockets import AppSyncWebsocketsTransport
            async def hear(session, count):
                heard = []
                async for result in session.subscribe(gql("subscription { onCreatePost { id title _version } }")):
                    heard.append(result["onCreatePost"]["id"])
                    if len(heard) == count:
                        return heard
            async def main(url, certificate, token):
                context = ssl.create_default_context(cafile=certificate) if certificate else None
                more = {"ssl": context} if context else {}
                key = AppSyncApiKeyAuthentication(host="localhost", api_key="da2-key")
                jwt = AppSyncJWTAuthentication(host="localhost", jwt=token)
                wrong = AppSyncApiKeyAuthentication(host="localhost", api_key="da2-other")
                try:
                    async with Client(transport=AppSyncWebsocketsTransport(url=url, auth=wrong, **more)):
                        print("accepted")
                except Exception as error:
                    print("refused" if "Unauthorized" in str(error) else repr(error))
                async with Client(transport=AppSyncWebsocketsTransport(url=url, auth=key, **more)) as first, \\
                           Client(transport=AppSyncWebsocketsTransport(url=url, auth=jwt, **more)) as second:
                    heard = await asyncio.gather(hear(first, 5), hear(first, 3), hear(second, 4))
                print(json.dumps(heard))
            asyncio.run(main(*sys.argv[1:]))
            """
        let identity = files.map { TLSIdentity(certificateFile: $0.certificate, keyFile: $0.key) }
        let (lines, errors) = try await RunningServer.run(
            Self.sdl, authenticator, identity: identity
        ) { port -> ([String], String) in
            let url = "\(isSecure ? "wss" : "ws")://localhost:\(port)/graphql"
            // The test cannot see when the client has subscribed. It creates posts until the client has received enough of
            // them.
            let isOver = Shared(false)
            Thread.detachNewThread {
                for number in 0..<2_000 where !isOver.value {
                    try? Self.create(port, "\(number)", certificate: files?.certificate)
                    usleep(20_000)
                }
            }
            defer { isOver.set(true) }
            let child = try ChildProcess(python, ["-c", script, url, files?.certificate ?? "", token])
            _ = try child.wait()
            return (child.lines, child.errorText)
        }
        #expect(lines.count == 2 && lines.first == "refused", "\(lines) \(errors)")
        let heard = try JSONValue(parsing: Array((lines.last ?? "").utf8))
        Self.expectLists(heard)
    }

    /// Expects the three lists of ids that the client received, each in order and complete.
    private static func expectLists(_ heard: JSONValue) {
        guard case .array(let lists) = heard else {
            Issue.record("the client printed no lists: \(heard)")
            return
        }
        for list in lists {
            guard case .array(let ids) = list, !ids.isEmpty else {
                Issue.record("the client printed no ids: \(heard)")
                continue
            }
            let numbers = ids.compactMap { if case .string(let text) = $0 { Int(text) } else { nil } }
            let first = numbers.first ?? 0
            #expect(numbers == Array(first..<(first + numbers.count)), "in order, none left out")
        }
        #expect(lists.count == 3)
    }
}
