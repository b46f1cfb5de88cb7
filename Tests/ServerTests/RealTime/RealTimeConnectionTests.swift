import SeededNumbers
import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogAgreement
import TidelogJSON
import TidelogSynchronization
import TidelogWebSocket

@testable import TidelogServer

@Suite("Connections of the real-time protocol", .timeLimit(.minutes(5)))
struct RealTimeConnectionTests {
    private static let sdl = """
        type Post @model { id: ID! title: String! rank: Int }
        type Note @model @auth(rules: [{allow: public}, {allow: private}]) { id: ID! text: String }
        """

    /// A connection, the messages that it sent, and the codes that it closed with.
    private final class Scene: Sendable {
        let served: ServedSchema
        let subscriptions: Subscriptions
        let connection: SubscriberConnection
        let sent = Shared<[String]>([])
        let closed = Shared<[WebSocketCloseCode]>([])
        private let following: Task<Void, any Error>

        init(
            _ authenticator: Authenticator = Authenticator(apiKey: "da2-key"),
            opener: Result<Caller, RealTimeError> = .success(.apiKey)
        ) async throws {
            let served = try await ServedSchema(RealTimeConnectionTests.sdl)
            let subscriptions = Subscriptions(served.service)
            connection = SubscriberConnection(
                subscriptions, authenticator: authenticator, opener: opener, clock: served.clock.read,
                output: SubscriberConnection.Output(
                    send: { [sent] bytes in sent.update { $0.append(String(decoding: bytes, as: UTF8.self)) } },
                    close: { [closed] code, _ in closed.update { $0.append(code) } }))
            let changes = try await served.versions.changes()
            following = Task { try await subscriptions.run(changes) }
            (self.served, self.subscriptions) = (served, subscriptions)
        }

        deinit { following.cancel() }

        /// Gives a message to the connection. Returns the messages that the connection sends in answer.
        func say(_ text: String) -> [String] {
            let count = sent.value.count
            connection.receive(text)
            return Array(sent.value[count...])
        }

        func start(_ id: String, _ query: String, _ authorization: String = "{}") -> [String] {
            var writer = JSONWriter()
            var request = JSONWriter()
            request.beginObject()
            request.key("query")
            request.string(query)
            request.endObject()
            writer.string(String(decoding: request.bytes, as: UTF8.self))
            let data = String(decoding: writer.bytes, as: UTF8.self)
            let extensions = #""extensions":{"authorization":\#(authorization)}"#
            return say(#"{"id":"\#(id)","type":"start","payload":{"data":\#(data),\#(extensions)}}"#)
        }

        func create(_ id: String) async throws {
            _ = try await served.data("mutation { createPost(input: {id: \"\(id)\", title: \"t\"}) { id } }")
        }
    }

    private static let created = "subscription { onCreatePost { id title } }"
    private static let unauthorized =
        #"{"errors":[{"errorType":"UnauthorizedException","message":"You are not authorized to make this call.","#
        + #""errorCode":401}]}"#

    @Test("a client opens a connection, subscribes, gets the changes and stops the subscription")
    func whole() async throws {
        let scene = try await Scene()
        #expect(
            scene.say(#"{"type":"connection_init"}"#) == [
                #"{"type":"connection_ack","payload":{"connectionTimeoutMs":300000}}"#, #"{"type":"ka"}"#,
            ])
        #expect(scene.start("a", Self.created) == [#"{"id":"a","type":"start_ack"}"#])
        #expect(scene.start("b\\n\\\"", Self.created).count == 1)
        try await scene.create("1")
        try await eventually { scene.sent.value.count == 6 }
        #expect(
            scene.sent.value.suffix(2) == [
                #"{"id":"a","type":"data","payload":{"data":{"onCreatePost":{"id":"1","title":"t"}}}}"#,
                #"{"id":"b\n\"","type":"data","payload":{"data":{"onCreatePost":{"id":"1","title":"t"}}}}"#,
            ])
        #expect(scene.say(#"{"id":"a","type":"stop"}"#) == [#"{"id":"a","type":"complete"}"#])
        #expect(scene.say(#"{"id":"a","type":"stop"}"#).isEmpty)
        try await scene.create("2")
        try await eventually { scene.sent.value.count == 8 }
        #expect(scene.sent.value.last?.hasPrefix(#"{"id":"b\n\"","#) == true)
        #expect(scene.subscriptions.count == 1)
        scene.connection.end()
        #expect(scene.subscriptions.count == 0)
        #expect(scene.start("c", Self.created).isEmpty)
    }

    @Test("a subscription that reuses an id replaces the earlier subscription with this id")
    func reuse() async throws {
        let scene = try await Scene()
        _ = scene.start("a", "subscription { onDeletePost { id } }")
        #expect(scene.start("a", Self.created) == [#"{"id":"a","type":"start_ack"}"#])
        #expect(scene.subscriptions.count == 1)
        try await scene.create("1")
        try await eventually { scene.sent.value.count == 3 }
        #expect(scene.sent.value.last?.contains("onCreatePost") == true)
    }

    @Test("an invalid subscription or message gets an error, and the connection continues")
    func refusals() async throws {
        let scene = try await Scene()
        let cases = [
            ("{ listPosts { nextToken } }", "UnsupportedOperation"),
            (#"mutation { deletePost(input: {id: "1"}) { id } }"#, "UnsupportedOperation"),
            ("subscription { onCreatePost { nothing } }", "ValidationError"), ("subscription {", "ValidationError"),
            ("", "BadRequestException"),
        ]
        for (query, type) in cases {
            let answer = scene.start("x", query)
            #expect(answer.count == 1)
            let known = ["ValidationError", "BadRequestException", "MalformedHttpRequestException"]
            let isExpected =
                answer.first?.hasPrefix(#"{"id":"x","type":"error","payload":{"errors":[{"errorType":""#) == true
                && (answer.first?.contains(type) == true || known.contains { answer.first?.contains($0) == true })
            #expect(isExpected, "\(query): \(answer)")
        }
        for text in ["", "no JSON", "[]", "{}", #"{"type":"start","id":"a"}"#, #"{"type":1}"#, #"{"type":"stop"}"#] {
            let answer = scene.say(text)
            #expect(answer.count == 1 && answer.first?.hasPrefix(#"{"type":"error""#) == true, "\(text): \(answer)")
        }
        #expect(scene.say(#"{"type":"ping","id":"q"}"#).first?.contains("UnsupportedOperation") == true)
        #expect(scene.start(String(repeating: "i", count: 129), Self.created).first?.contains("BadRequest") == true)
        #expect(scene.subscriptions.count == 0)
        #expect(scene.closed.value.isEmpty)
        #expect(scene.start("y", Self.created) == [#"{"id":"y","type":"start_ack"}"#])
    }

    @Test("a connection accepts at most 200 subscriptions, and these continue")
    func limit() async throws {
        let scene = try await Scene()
        for number in 1...200 { #expect(scene.start("\(number)", Self.created).first?.contains("start_ack") == true) }
        #expect(scene.start("201", Self.created).first?.contains("MaxSubscriptionsReachedError") == true)
        #expect(scene.start("200", Self.created).first?.contains("start_ack") == true)
        #expect(scene.say(#"{"id":"5","type":"stop"}"#).count == 1)
        #expect(scene.start("201", Self.created).first?.contains("start_ack") == true)
        let count = scene.sent.value.count
        try await scene.create("1")
        try await eventually { scene.sent.value.count == count + 200 }
    }

    @Test("an unauthorized client gets an error after its first message, and the connection is closed")
    func unauthorized() async throws {
        for word in [#"{"type":"connection_init"}"#, #"{"type":"stop","id":"1"}"#] {
            let scene = try await Scene(opener: .failure(.unauthorized))
            #expect(scene.say(word) == [#"{"type":"connection_error","payload":\#(Self.unauthorized)}"#])
            #expect(scene.closed.value == [.policyViolation])
        }
    }

    @Test("a subscription uses its own credentials, or the connection's if it has none")
    func credentials() async throws {
        let scene = try await Scene()
        let query = "subscription { onCreateNote { id } }"
        #expect(scene.start("own", query, #"{"x-api-key":"da2-key"}"#) == [#"{"id":"own","type":"start_ack"}"#])
        #expect(scene.start("none", query) == [#"{"id":"none","type":"start_ack"}"#])
        let refused = [#"{"id":"bad","type":"error","payload":\#(Self.unauthorized)}"#]
        #expect(scene.start("bad", query, #"{"x-api-key":"da2-other"}"#) == refused)
        #expect(scene.start("bad", query, #"{"Authorization":"a.b.c"}"#) == refused)
    }

    @Test(
        "an expired token ends its subscriptions within a minute, and no other",
        .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
    func expiry() async throws {
        let signer = try TokenSigner(.ec, id: "own")
        let keys = try JSONWebKeySet(parsing: Array(#"{"keys":[\#(try signer.jsonWebKey())]}"#.utf8))
        let verifier = TokenVerifier(keys: keys, issuer: "https://pool", audiences: ["app"])
        let scene = try await Scene(Authenticator(apiKey: "da2-key", userPools: [verifier]))
        let now = scene.served.clock.now / 1_000
        let token = try signer.token(#"{"iss":"https://pool","aud":"app","sub":"s","exp":\#(now + 100)}"#)
        let query = "subscription { onCreateNote { id } }"
        _ = scene.say(#"{"type":"connection_init"}"#)
        #expect(scene.start("key", query).first?.contains("start_ack") == true)
        #expect(scene.start("token", query, #"{"Authorization":"\#(token)"}"#).first?.contains("start_ack") == true)
        let count = scene.sent.value.count
        scene.served.clock.now += 99_000
        scene.connection.tick()
        #expect(scene.sent.value[count...] == [#"{"type":"ka"}"#])
        scene.served.clock.now += 55_000
        scene.connection.tick()
        #expect(
            scene.sent.value[(count + 1)...] == [
                #"{"id":"token","type":"error","payload":\#(Self.unauthorized)}"#, #"{"type":"ka"}"#,
            ])
        #expect(scene.subscriptions.count == 1)
        #expect(scene.start("late", query, #"{"Authorization":"\#(token)"}"#).first?.contains("Unauthorized") == true)
    }

    @Test("a client gets a keep-alive message every 30 seconds, and the connection of a silent client is closed")
    func keepAlive() async throws {
        let scene = try await Scene()
        let silent = try await Scene()
        _ = scene.say(#"{"type":"connection_init"}"#)
        for _ in 0..<60 {
            scene.served.clock.now += 5_000
            silent.served.clock.now += 5_000
            scene.connection.tick()
            silent.connection.tick()
        }
        #expect(scene.sent.value.filter { $0 == #"{"type":"ka"}"# }.count == 11)
        #expect(scene.closed.value.isEmpty)
        #expect(silent.closed.value.first == .policyViolation)
    }

    @Test("20,000 mutated messages do not stop a connection", .timeLimit(.minutes(5)))
    func mutated() async throws {
        let scene = try await Scene()
        var random = SeededGenerator(7)
        let messages = [
            #"{"type":"connection_init","payload":{}}"#,
            #"{"id":"a","type":"start","payload":{"data":"{\"query\":\"subscription { onCreatePost { id } }\"}","#
                + #""extensions":{"authorization":{"x-api-key":"da2-key","host":"h"}}}}"#,
            #"{"id":"a","type":"stop"}"#,
        ]
        for _ in 0..<20_000 {
            var bytes = Array(messages[Int.random(in: 0..<messages.count, using: &random)].utf8)
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
                }
                if bytes.isEmpty { break }
            }
            scene.connection.receive(String(decoding: bytes, as: UTF8.self))
        }
        #expect(scene.start("after", Self.created).first?.contains("start_ack") == true)
        scene.connection.end()
        #expect(scene.subscriptions.count == 0)
    }
}
