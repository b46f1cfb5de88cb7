import Testing
import TidelogAgreement

@testable import TidelogClientMachines
@testable import TidelogSync

@Suite("A client's conversation of the real-time protocol")
struct RealTimeConversationTests {
    private typealias Action = RealTimeConversation.Action

    private static func start(_ id: String) -> RealTimeClientMessage.Start {
        RealTimeClientMessage.Start(id: id, request: #"{"query":"q"}"#, authorization: ["x-api-key": "k"])
    }

    private static func sent(_ message: RealTimeClientMessage) -> Action { .send(message.json) }

    private static let acknowledgement = RealTimeServerMessage.connectionAck(timeoutMilliseconds: 5_000).json
    private static let lost = RealTimeError("ConnectionLost", "gone")

    /// A conversation that the server has acknowledged, and that has asked for the subscriptions 1 and 2.
    private static func open() -> RealTimeConversation {
        var conversation = RealTimeConversation()
        _ = conversation.received(acknowledgement)
        for id in ["1", "2"] { _ = conversation.subscribe(start(id)) }
        return conversation
    }

    @Test("subscriptions wait for the server's acknowledgement, which also says how long silence may last")
    func greeting() {
        var conversation = RealTimeConversation()
        #expect(conversation.opened() == [Self.sent(.connectionInit)])
        #expect(conversation.subscribe(Self.start("1")) == [])
        #expect(conversation.subscribe(Self.start("2")) == [])
        #expect(conversation.unsubscribe("2") == [])
        #expect(conversation.received(Self.acknowledgement) == [Self.sent(.start(Self.start("1")))])
        #expect(conversation.timeoutMilliseconds == 5_000)
        #expect(conversation.subscribe(Self.start("3")) == [Self.sent(.start(Self.start("3")))])
        #expect(conversation.received(Self.acknowledgement) == [])
    }

    @Test("a message is delivered to its subscription, and a message of an unknown subscription is ignored")
    func messages() {
        var conversation = Self.open()
        let data = { (id: String) in RealTimeServerMessage.data(id: id, payload: Array("{}".utf8)).json }
        #expect(conversation.received(RealTimeServerMessage.startAck(id: "1").json) == [.began(id: "1")])
        #expect(conversation.received(data("1")) == [.deliver(id: "1", payload: Array("{}".utf8))])
        #expect(conversation.received(data("9")) == [])
        #expect(conversation.received(RealTimeServerMessage.keepAlive.json) == [])
        #expect(conversation.received(Array(#"{"type":"new","id":"1"}"#.utf8)) == [])
        #expect(conversation.received(RealTimeServerMessage.complete(id: "1").json) == [.end(id: "1", nil)])
        #expect(conversation.received(data("1")) == [])
        let error = RealTimeError("Unauthorized", "no", errorCode: 401)
        #expect(
            conversation.received(RealTimeServerMessage.error(id: "2", error).json) == [.end(id: "2", error)])
        #expect(conversation.isIdle)
    }

    @Test("a subscriber that leaves sends one stop message for its subscription")
    func leaving() {
        var conversation = Self.open()
        #expect(conversation.unsubscribe("1") == [Self.sent(.stop(id: "1"))])
        #expect(conversation.unsubscribe("1") == [])
        #expect(!conversation.isIdle)
    }

    @Test("each error or loss of the connection ends every subscription once")
    func ends() {
        let error = RealTimeError("UnauthorizedException", "no", errorCode: 401)
        let ways: [(inout RealTimeConversation) -> [Action]] = [
            { $0.received(RealTimeServerMessage.connectionError(error).json) },
            { $0.received(RealTimeServerMessage.error(id: nil, error).json) }, { $0.received(Array("{".utf8)) },
            { $0.received(Array(#"{"type":"data","id":"1"}"#.utf8)) }, { $0.timedOut() }, { $0.lost("gone") },
        ]
        for way in ways {
            var conversation = Self.open()
            let actions = way(&conversation)
            #expect(actions.count == 3)
            guard case .end(id: "1", .some)? = actions.first, case .fail? = actions.last else {
                Issue.record("\(actions)")
                continue
            }
            #expect(conversation.isIdle)
            #expect(conversation.lost("again") == [])
            #expect(conversation.received(Self.acknowledgement) == [])
            guard case .end(id: "3", .some)? = conversation.subscribe(Self.start("3")).first else {
                Issue.record("A subscription begins after the end.")
                continue
            }
        }
    }
}
