import Testing
import TidelogAgreement
import TidelogWebSocket

@testable import TidelogServer

/// Each test is a table of inputs and of the actions that a session returns. Times are milliseconds after the connection was
/// opened.
@Suite("Sessions of the real-time protocol")
struct RealTimeSessionTests {
    private typealias Action = RealTimeSession.Action

    private enum Input {
        /// A message from the client; `nil` stands for a text that is not a message.
        case message(RealTimeClientMessage?)
        case accepted(String, until: Int64? = nil)
        case refused(String, RealTimeError)
        /// A response for the subscription with this number.
        case response(UInt64)
        case tick
        case ended

        static func start(_ id: String, _ authorization: [String: String] = [:]) -> Input {
            .message(.start(RealTimeClientMessage.Start(id: id, request: "request", authorization: authorization)))
        }

        static func stop(_ id: String) -> Input { .message(.stop(id: id)) }
    }

    /// An input with its time, and the actions that the session must return.
    private struct Row {
        let time: Int64
        let input: Input
        let actions: [Action]

        init(_ time: Int64, _ input: Input, _ actions: Action...) {
            (self.time, self.input, self.actions) = (time, input, actions)
        }
    }

    /// Gives the inputs to a new session in order, and checks the actions.
    private static func play(
        opening: RealTimeSession.Opening = .admitted(until: nil), _ rows: [Row],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var session = RealTimeSession(opening, at: 0)
        for (index, row) in rows.enumerated() {
            let actions = actions(of: &session, row)
            #expect(
                actions == row.actions, "row \(index): \(text(actions)), not \(text(row.actions))",
                sourceLocation: sourceLocation)
        }
    }

    private static func actions(of session: inout RealTimeSession, _ row: Row) -> [Action] {
        switch row.input {
        case .message(let message): session.received(message, at: row.time)
        case .accepted(let id, let end): session.accepted(id, until: end)
        case .refused(let id, let error): session.refused(id, error)
        case .response(let number): session.message(with: Array("{}".utf8), of: number).map { [.send($0)] } ?? []
        case .tick: session.tick(at: row.time)
        case .ended: session.ended()
        }
    }

    private static func text(_ actions: [Action]) -> [String] {
        actions.map { if case .send(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { "\($0)" } }
    }

    private static func sends(_ text: String) -> Action { .send(Array(text.utf8)) }

    private static func sendsError(_ id: String?, _ type: String, _ message: String, code: Int? = nil) -> Action {
        let id = id.map { #""id":"\#($0)","# } ?? ""
        let code = code.map { #","errorCode":\#($0)"# } ?? ""
        let error = #"{"errorType":"\#(type)","message":"\#(message)"\#(code)}"#
        return sends(#"{\#(id)"type":"error","payload":{"errors":[\#(error)]}}"#)
    }

    private static func check(_ id: String) -> Action { .check(id: id, request: "request", nil) }

    private static func acknowledges(_ id: String) -> Action { sends(#"{"id":"\#(id)","type":"start_ack"}"#) }

    private static func sendsData(_ id: String) -> Action { sends(#"{"id":"\#(id)","type":"data","payload":{}}"#) }

    private static func completes(_ id: String) -> Action { sends(#"{"id":"\#(id)","type":"complete"}"#) }

    private static func isUnauthorized(_ id: String) -> Action {
        sendsError(id, "UnauthorizedException", "You are not authorized to make this call.", code: 401)
    }

    private static let greeting = sends(#"{"type":"connection_ack","payload":{"connectionTimeoutMs":300000}}"#)
    private static let keepAlive = sends(#"{"type":"ka"}"#)

    @Test("the server answers each connection_init with an acknowledgement and a keep-alive message")
    func handshake() {
        Self.play([
            Row(0, .message(.connectionInit), Self.greeting, Self.keepAlive),
            Row(5, .message(.connectionInit), Self.greeting, Self.keepAlive),
        ])
    }

    @Test("a keep-alive message is due 30 seconds after the last one, and after connection_init")
    func keepAlives() {
        Self.play([
            Row(1_000, .message(.connectionInit), Self.greeting, Self.keepAlive), Row(30_999, .tick),
            Row(31_000, .tick, Self.keepAlive), Row(60_999, .tick), Row(65_000, .tick, Self.keepAlive),
            Row(94_999, .tick), Row(94_999, .message(.connectionInit), Self.greeting, Self.keepAlive),
            Row(95_000, .tick), Row(124_999, .tick, Self.keepAlive),
        ])
    }

    @Test("a connection without connection_init and without subscriptions is closed after 30 seconds")
    func patience() {
        let closes = Action.close(.policyViolation, reason: "nothing was asked for")
        Self.play([
            Row(29_999, .tick), Row(30_000, .tick, closes), Row(35_000, .tick), Row(35_000, .message(.connectionInit)),
            Row(35_000, .start("a")), Row(35_000, .ended),
        ])
        Self.play([
            Row(0, .start("a"), Self.check("a")), Row(0, .accepted("a"), .subscribe(1), Self.acknowledges("a")),
            Row(60_000, .tick), Row(60_000, .stop("a"), .unsubscribe(1), Self.completes("a")),
            Row(60_000, .tick, closes), Row(60_000, .accepted("b")),
        ])
        Self.play([Row(29_999, .message(.connectionInit), Self.greeting, Self.keepAlive), Row(30_000, .tick)])
    }

    @Test("a subscription may start before connection_init")
    func startFirst() {
        Self.play([
            Row(0, .start("a"), Self.check("a")), Row(0, .accepted("a"), .subscribe(1), Self.acknowledges("a")),
            Row(1, .response(1), Self.sendsData("a")), Row(40_000, .tick),
            Row(40_000, .message(.connectionInit), Self.greeting, Self.keepAlive),
            Row(40_000, .response(1), Self.sendsData("a")),
        ])
    }

    @Test("the check of a start gets its credentials, and the session passes on the reason of a refusal")
    func checks() {
        let key = RealTimeCredentials(key: "k", authorization: nil)
        let token = RealTimeCredentials(key: nil, authorization: "t")
        Self.play([
            Row(0, .start("a", ["x-api-key": "k", "host": "h"]), .check(id: "a", request: "request", key)),
            Row(0, .start("b", ["authorization": "t"]), .check(id: "b", request: "request", token)),
            Row(0, .start("c", ["host": "h"]), Self.check("c")),
            Row(0, .refused("a", RealTimeError("Type", "Why.")), Self.sendsError("a", "Type", "Why.")),
            Row(0, .accepted("b"), .subscribe(1), Self.acknowledges("b")), Row(0, .stop("a")),
        ])
    }

    @Test("an accepted subscription ends the former one with the same id; a refused one does not")
    func duplicates() {
        Self.play([
            Row(0, .accepted("a"), .subscribe(1), Self.acknowledges("a")), Row(1, .start("a"), Self.check("a")),
            Row(1, .response(1), Self.sendsData("a")),
            Row(1, .refused("a", RealTimeError("Type", "Why.")), Self.sendsError("a", "Type", "Why.")),
            Row(1, .response(1), Self.sendsData("a")),
            Row(2, .accepted("a"), .unsubscribe(1), .subscribe(2), Self.acknowledges("a")), Row(2, .response(1)),
            Row(2, .response(2), Self.sendsData("a")), Row(3, .stop("a"), .unsubscribe(2), Self.completes("a")),
            Row(3, .response(2)),
        ])
    }

    @Test("ids are equal only if their bytes are")
    func exactIDs() {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        Self.play([
            Row(0, .accepted(composed), .subscribe(1), Self.acknowledges(composed)),
            Row(0, .accepted(decomposed), .subscribe(2), Self.acknowledges(decomposed)),
            Row(0, .stop(composed), .unsubscribe(1), Self.completes(composed)),
            Row(0, .response(2), Self.sendsData(decomposed)),
        ])
    }

    @Test("a stop of an unknown id has no effect")
    func unknownStops() {
        Self.play([
            Row(0, .stop("a")), Row(0, .accepted("a"), .subscribe(1), Self.acknowledges("a")), Row(0, .stop("b")),
            Row(0, .stop("a"), .unsubscribe(1), Self.completes("a")), Row(0, .stop("a")), Row(0, .response(1)),
        ])
    }

    @Test("a subscription ends 30 seconds after its credentials have expired, and all other subscriptions continue")
    func expiry() {
        Self.play([
            Row(0, .message(.connectionInit), Self.greeting, Self.keepAlive),
            Row(0, .accepted("a", until: 10_000), .subscribe(1), Self.acknowledges("a")),
            Row(0, .accepted("b"), .subscribe(2), Self.acknowledges("b")),
            Row(0, .accepted("c", until: 5_000), .subscribe(3), Self.acknowledges("c")),
            Row(20_000, .accepted("d", until: 40_001), .subscribe(4), Self.acknowledges("d")),
            Row(29_999, .tick), Row(30_000, .tick, Self.keepAlive), Row(34_999, .tick),
            Row(35_000, .tick, .unsubscribe(3), Self.isUnauthorized("c")), Row(35_000, .response(3)),
            Row(35_000, .response(1), Self.sendsData("a")), Row(35_000, .stop("c")),
            Row(
                70_001, .tick, .unsubscribe(1), Self.isUnauthorized("a"), .unsubscribe(4), Self.isUnauthorized("d"),
                Self.keepAlive), Row(70_001, .response(2), Self.sendsData("b")),
        ])
    }

    @Test("a connection is closed with 1001 when its last subscription has expired, after the errors")
    func lastExpiry() {
        let close = Action.close(.goingAway, reason: "the credentials of all subscriptions have expired")
        Self.play([
            Row(0, .message(.connectionInit), Self.greeting, Self.keepAlive),
            Row(0, .accepted("a", until: 10_000), .subscribe(1), Self.acknowledges("a")),
            Row(0, .accepted("b", until: 30_000), .subscribe(2), Self.acknowledges("b")),
            Row(0, .accepted("c", until: 30_000), .subscribe(3), Self.acknowledges("c")),
            Row(40_000, .tick, .unsubscribe(1), Self.isUnauthorized("a"), Self.keepAlive),
            Row(
                60_000, .tick, .unsubscribe(2), Self.isUnauthorized("b"), .unsubscribe(3), Self.isUnauthorized("c"),
                close), Row(60_000, .start("d")), Row(60_000, .accepted("d")), Row(90_000, .tick),
            Row(90_000, .ended),
        ])
        Self.play([
            Row(0, .accepted("a", until: 10_000), .subscribe(1), Self.acknowledges("a")), Row(39_999, .tick),
            Row(40_000, .tick, .unsubscribe(1), Self.isUnauthorized("a"), close),
        ])
    }

    @Test("a connection stays open when a client stops its last subscription after another one has expired")
    func stopAfterExpiry() {
        Self.play([
            Row(0, .message(.connectionInit), Self.greeting, Self.keepAlive),
            Row(0, .accepted("a", until: 10_000), .subscribe(1), Self.acknowledges("a")),
            Row(0, .accepted("b"), .subscribe(2), Self.acknowledges("b")),
            Row(40_000, .tick, .unsubscribe(1), Self.isUnauthorized("a"), Self.keepAlive),
            Row(40_000, .stop("b"), .unsubscribe(2), Self.completes("b")), Row(45_000, .tick),
        ])
    }

    @Test("expired credentials of the connection start no subscription; other credentials do")
    func expiredOpener() {
        let key = RealTimeCredentials(key: "k", authorization: nil)
        Self.play(
            opening: .admitted(until: 10_000),
            [
                Row(9_999, .start("a"), Self.check("a")), Row(10_000, .start("a"), Self.isUnauthorized("a")),
                Row(10_000, .start("a", ["x-api-key": "k"]), .check(id: "a", request: "request", key)),
                Row(10_000, .message(.connectionInit), Self.greeting, Self.keepAlive),
            ])
    }

    @Test("a client has at most 200 subscriptions, which all continue")
    func limit() {
        let full = (1...200).map { number in
            Row(0, .accepted("\(number)"), .subscribe(UInt64(number)), Self.acknowledges("\(number)"))
        }
        let tooMany = Self.sendsError("x", "MaxSubscriptionsReachedError", "Max number of 200 subscriptions reached")
        Self.play(
            full + [
                Row(1, .start("x"), Self.check("x")), Row(1, .accepted("x"), tooMany),
                Row(1, .response(200), Self.sendsData("200")),
                Row(2, .accepted("7"), .unsubscribe(7), .subscribe(201), Self.acknowledges("7")),
                Row(3, .accepted("x"), tooMany), Row(4, .stop("8"), .unsubscribe(8), Self.completes("8")),
                Row(5, .accepted("x"), .subscribe(202), Self.acknowledges("x")),
            ])
    }

    @Test("an id has 1 to 128 bytes")
    func sizes() {
        let longest = String(repeating: "\u{E9}", count: 64)
        let refused = Self.sendsError(
            nil, "BadRequestException", "The id of a subscription has 1 to 128 bytes.", code: 400)
        Self.play([
            Row(0, .start(longest), Self.check(longest)), Row(0, .start(longest + "i"), refused),
            Row(0, .start(""), refused), Row(0, .stop(longest + "i")),
        ])
    }

    @Test("a text that is no message, and a message of an unknown type, are answered by an error")
    func misunderstandings() {
        let long = String(repeating: "t", count: 41)
        let unsupported = { (id: String?, type: String) in
            Self.sendsError(id, "UnsupportedOperation", "\(type) not supported through the realtime channel")
        }
        Self.play([
            Row(
                0, .message(nil),
                Self.sendsError(nil, "BadRequestException", "The message is not understood.", code: 400)),
            Row(0, .message(.unknown(type: "ping", id: "a")), unsupported("a", "ping")),
            Row(0, .message(.unknown(type: long, id: nil)), unsupported(nil, String(long.dropLast()))),
            Row(0, .message(.connectionInit), Self.greeting, Self.keepAlive),
        ])
    }

    @Test("a refused client gets the reason after its first message, and the connection is closed")
    func refusal() {
        let reason = RealTimeError("Type", "Why.", errorCode: 401)
        let error = Self.sends(
            #"{"type":"connection_error","payload":{"errors":[{"errorType":"Type","message":"Why.","errorCode":401}]}}"#
        )
        let close = Action.close(.policyViolation, reason: "Type")
        let messages: [Input] = [
            .message(.connectionInit), .start("a"), .stop("a"), .message(.unknown(type: "ping", id: nil)),
        ]
        for message in messages {
            Self.play(
                opening: .refused(reason),
                [
                    Row(
                        0, .message(nil),
                        Self.sendsError(nil, "BadRequestException", "The message is not understood.", code: 400)),
                    Row(1, message, error, close), Row(2, message), Row(40_000, .tick), Row(40_000, .ended),
                ])
        }
        Self.play(
            opening: .refused(reason), [Row(30_000, .tick, .close(.policyViolation, reason: "nothing was asked for"))])
    }

    @Test("the end of a connection ends its subscriptions, and no later input has an effect")
    func end() {
        Self.play([
            Row(0, .message(.connectionInit), Self.greeting, Self.keepAlive),
            Row(0, .accepted("b"), .subscribe(1), Self.acknowledges("b")),
            Row(0, .accepted("a", until: 0), .subscribe(2), Self.acknowledges("a")),
            Row(0, .accepted("c"), .subscribe(3), Self.acknowledges("c")), Row(0, .start("d"), Self.check("d")),
            Row(0, .stop("b"), .unsubscribe(1), Self.completes("b")),
            Row(0, .ended, .unsubscribe(2), .unsubscribe(3)), Row(0, .response(2)), Row(0, .accepted("d")),
            Row(0, .refused("d", .unauthorized)), Row(0, .stop("a")), Row(0, .message(nil)), Row(0, .start("a")),
            Row(40_000, .tick), Row(40_000, .ended),
        ])
    }
}
