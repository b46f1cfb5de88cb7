import Foundation
import Synchronization
import TidelogJSON
import TidelogSync

/// A server whose answers the test writes. Its WebSocket accepts every subscription.
final class ScriptedServer: Transport {
    struct Request: Sendable {
        /// The name of the operation's field, such as `syncPosts`.
        let field: String
        let body: String
        let headers: [String: String]
        /// Whether the transport may send the request again.
        let isRepeatable: Bool
    }

    private struct State {
        var requests: [Request] = []
        var sockets: [ScriptedSocket] = []
    }

    private let state = Mutex(State())
    private let answer: @Sendable (Request, Int) throws(TransportError) -> TransportResponse

    /// - Parameter answer: Answers a request. Its second argument is the number of requests of that field so far, including
    ///   this one.
    init(_ answer: @escaping @Sendable (Request, Int) throws(TransportError) -> TransportResponse) {
        self.answer = answer
    }

    var requests: [Request] { state.withLock { $0.requests } }

    /// Sends `record` to the subscribers of `field`.
    func push(_ field: String, _ record: String) {
        for socket in state.withLock({ $0.sockets }) { socket.push(field, record) }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let body = String(decoding: request.body, as: UTF8.self)
        let match = body.firstMatch(of: /\{ ([A-Za-z]+)[ (]/)
        let asked = Request(
            field: match.map { String($0.1) } ?? "", body: body, headers: request.headers,
            isRepeatable: request.isRepeatable)
        let number = state.withLock { state in
            state.requests.append(asked)
            return state.requests.count { $0.field == asked.field }
        }
        return try answer(asked, number)
    }

    func openWebSocket(_ request: WebSocketRequest) async throws(TransportError) -> any TransportWebSocket {
        let socket = ScriptedSocket()
        state.withLock { $0.sockets.append(socket) }
        return socket
    }

    // MARK: Answers

    static func json(_ text: String, status: Int = 200, _ headers: [String: String] = [:]) -> TransportResponse {
        TransportResponse(status: status, headers: headers, body: Array(text.utf8))
    }

    /// A page of `syncPosts` with these items.
    static func page(_ items: [String], next: String? = nil, at startedAt: Int = 1_000) -> TransportResponse {
        let token = next.map { "\"\($0)\"" } ?? "null"
        let list = items.joined(separator: ",")
        return json(
            """
            {"data":{"syncPosts":{"items":[\(list)],"nextToken":\(token),"startedAt":\(startedAt)}}}
            """)
    }

    static func post(_ id: String, version: Int = 1) -> String {
        let metadata = #""_version":\#(version),"_lastChangedAt":5,"_deleted":null"#
        return #"{"id":"\#(id)","title":"t","rating":null,"tags":null,\#(metadata)}"#
    }
}

/// The WebSocket of a scripted server.
private final class ScriptedSocket: TransportWebSocket {
    private struct State {
        var messages: [String] = []
        /// The ids of the subscriptions, by their fields.
        var ids: [String: String] = [:]
    }

    private let state = Mutex(State())
    let subprotocol: String? = "graphql-ws"

    func push(_ field: String, _ record: String) {
        state.withLock { state in
            guard let id = state.ids[field] else { return }
            state.messages.append(#"{"type":"data","id":"\#(id)","payload":{"data":{"\#(field)":\#(record)}}}"#)
        }
    }

    func send(_ text: String) async throws(TransportError) {
        guard let message = try? JSONValue(parsing: Array(text.utf8)) else { return }
        state.withLock { state in
            switch message["type"] {
            case .string("connection_init")?:
                state.messages.append(#"{"type":"connection_ack","payload":{"connectionTimeoutMs":300000}}"#)
            case .string("start")?:
                guard case .string(let id)? = message["id"], let match = text.firstMatch(of: /\{ (on[A-Za-z]+)[ (]/)
                else { return }
                state.ids[String(match.1)] = id
                state.messages.append(#"{"type":"start_ack","id":"\#(id)"}"#)
            default: break
            }
        }
    }

    func receive() async throws(TransportError) -> String {
        while !Task.isCancelled {
            let message = state.withLock { $0.messages.isEmpty ? nil : $0.messages.removeFirst() }
            if let message { return message }
            try? await Task.sleep(for: .milliseconds(2))
        }
        throw TransportError(.cancelled, "The task was cancelled.")
    }

    func close(code: UInt16, reason: String) async {}
}
