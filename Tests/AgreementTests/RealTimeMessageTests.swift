import Testing
import TidelogAgreement

@Suite("Messages of the real-time protocol")
struct RealTimeMessageTests {
    @Test("a server reads what a client writes")
    func client() throws {
        let start = RealTimeClientMessage.Start(
            id: "1", request: #"{"query":"subscription { \"a\" }"}"#, authorization: ["x-api-key": "k", "host": "h"])
        let messages: [RealTimeClientMessage] = [
            .connectionInit, .start(start), .stop(id: "a\"b"), .unknown(type: "ping", id: nil),
            .unknown(type: "ping", id: "7"),
        ]
        for message in messages { #expect(try RealTimeClientMessage(message.json) == message) }
        #expect(try RealTimeAuthorization.headers(RealTimeAuthorization.json(["a": "b"])) == ["a": "b"])
    }

    @Test("a client reads what a server writes")
    func server() throws {
        let error = RealTimeError("Unauthorized", "no \"access\"", errorCode: 401)
        let messages: [RealTimeServerMessage] = [
            .connectionAck(timeoutMilliseconds: 7), .keepAlive, .startAck(id: "1"),
            .data(id: "1", payload: Array(#"{"data":{"a":[1,null]}}"#.utf8)), .complete(id: "1"),
            .error(id: "1", error), .error(id: nil, RealTimeError("A", "b")), .connectionError(error),
        ]
        for message in messages { #expect(try RealTimeServerMessage.read(message.json) == message) }
    }

    @Test("AppSync's own forms of messages are read, unknown types are ignored, and malformed messages are errors")
    func forms() throws {
        let read = { (text: String) in try RealTimeServerMessage.read(Array(text.utf8)) }
        #expect(try read(#"{"type":"connection_ack"}"#) == .connectionAck(timeoutMilliseconds: 300_000))
        #expect(try read(#"{"payload":{"x":{}},"type":"ka","id":null}"#) == .keepAlive)
        #expect(try read(#"{"type":"new"}"#) == nil)
        #expect(
            try read(#"{"type":"error","id":"1","payload":[{"message":"m"},{"message":"n"}]}"#)
                == .error(id: "1", RealTimeError("UnknownError", "m")))
        #expect(
            try read(#"{"type":"connection_error","payload":{"errors":[]}}"#)
                == .connectionError(RealTimeError("UnknownError", "The server gave no reason.")))
        let malformed = [
            "", "7", "[]", "{}", #"{"type":7}"#, #"{"type":"data","id":"1"}"#, #"{"type":"data","payload":{}}"#,
            #"{"type":"complete"}"#, #"{"type":"ka"} {}"#, #"{"type":"connection_ack","payload":7}"#,
        ]
        for text in malformed {
            #expect(throws: MalformedMessage.self, "\(text)") { try read(text) }
        }
    }
}
