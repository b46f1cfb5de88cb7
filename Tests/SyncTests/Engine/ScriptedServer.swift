import Foundation
import TidelogJSON
import TidelogSync
import TidelogSynchronization

/// A server whose answers the test writes. Its WebSockets accept every subscription, unless the test says otherwise.
final class ScriptedServer: Transport {
    /// How the server treats WebSockets.
    enum Sockets: Sendable {
        /// A connection takes this many subscriptions, and the server takes this many connections.
        case accepting(perConnection: Int = .max, connections: Int = .max)
        /// The request for a WebSocket is answered with this HTTP status.
        case refused(status: Int)
        /// A WebSocket opens and ends at once.
        case closed
        /// No message is answered.
        case silent
        /// The greeting is answered, and no subscription is.
        case unacknowledged
    }

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
        /// How often a WebSocket was requested.
        var socketRequests = 0
        var treatment: Sockets
    }

    private let state: Mutex<State>
    /// Whether the test answers documents with several mutations. Otherwise the server refuses these.
    private let takesBatches: Bool
    private let answer: @Sendable (Request, Int) throws(TransportError) -> TransportResponse

    /// - Parameter answer: Answers a request. Its second argument is the number of requests of that field so far, including
    ///   this one.
    init(
        sockets: Sockets = .accepting(), takesBatches: Bool = false,
        _ answer: @escaping @Sendable (Request, Int) throws(TransportError) -> TransportResponse
    ) {
        state = Mutex(State(treatment: sockets))
        self.takesBatches = takesBatches
        self.answer = answer
    }

    private static let refusedBatch = json(
        #"{"errors":[{"errorType":"BadRequest","message":"A document has one mutation."}]}"#, status: 400)

    /// The WebSockets that were opened.
    var sockets: [ScriptedSocket] { state.withLock { $0.sockets } }
    /// How often a WebSocket was requested.
    var socketRequestCount: Int { state.withLock { $0.socketRequests } }
    /// The fields of all subscriptions that were requested, in order.
    var starts: [String] { sockets.flatMap(\.starts) }
    /// How many subscriptions were stopped.
    var stopCount: Int { sockets.reduce(0) { $0 + $1.stopCount } }

    /// Treats later WebSockets and later messages in another way.
    func treat(_ sockets: Sockets) { state.withLock { $0.treatment = sockets } }

    var requests: [Request] { state.withLock { $0.requests } }

    /// Sends `record` to the subscribers of `field`.
    func push(_ field: String, _ record: String) {
        for socket in state.withLock({ $0.sockets }) { socket.push(field, record) }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let body = String(decoding: request.body, as: UTF8.self)
        let match = body.firstMatch(of: /\{ ([A-Za-z0-9]+)[ (]/)
        let asked = Request(
            field: match.map { String($0.1) } ?? "", body: body, headers: request.headers,
            isRepeatable: request.isRepeatable)
        let number = state.withLock { state in
            state.requests.append(asked)
            return state.requests.count { $0.field == asked.field }
        }
        if !takesBatches, body.contains("mutation Changes") { return Self.refusedBatch }
        return try answer(asked, number)
    }

    func openWebSocket(_ request: WebSocketRequest) async throws(TransportError) -> any TransportWebSocket {
        let (treatment, openCount) = state.withLock { state in
            state.socketRequests += 1
            return (state.treatment, state.sockets.count { !$0.isClosed })
        }
        switch treatment {
        case .refused(let status): throw TransportError(.refused, "The server answered \(status).", status: status)
        case .accepting(_, let connections) where openCount >= connections:
            throw TransportError(.refused, "The server answered 429.", status: 429)
        default: break
        }
        let socket = ScriptedSocket { [weak self] in self?.state.withLock { $0.treatment } ?? .silent }
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

    /// The answer to the request for a post that the server does not have.
    static var noPost: TransportResponse { json(#"{"data":{"getPost":null}}"#) }

    static func post(_ id: String, version: Int = 1) -> String {
        let metadata = #""_version":\#(version),"_lastChangedAt":5,"_deleted":null"#
        return #"{"id":"\#(id)","title":"t","rating":null,"tags":null,\#(metadata)}"#
    }
}

/// A WebSocket of a scripted server.
final class ScriptedSocket: TransportWebSocket {
    private struct State {
        var messages: [String] = []
        /// The ids of the subscriptions that were begun, by their fields.
        var ids: [String: String] = [:]
        var starts: [String] = []
        var stopCount = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let treatment: @Sendable () -> ScriptedServer.Sockets
    let subprotocol: String? = "graphql-ws"

    init(_ treatment: @escaping @Sendable () -> ScriptedServer.Sockets) { self.treatment = treatment }

    /// The fields of the subscriptions that were requested, in order.
    var starts: [String] { state.withLock { $0.starts } }
    var stopCount: Int { state.withLock { $0.stopCount } }
    /// How many subscriptions the connection has.
    var subscriptionCount: Int { state.withLock { $0.ids.count } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func push(_ field: String, _ record: String) {
        state.withLock { state in
            guard let id = state.ids[field] else { return }
            state.messages.append(#"{"type":"data","id":"\#(id)","payload":{"data":{"\#(field)":\#(record)}}}"#)
        }
    }

    /// Ends the connection, as a server that is restarted.
    func drop() { state.withLock { $0.isClosed = true } }

    func send(_ text: String) async throws(TransportError) {
        guard let message = try? JSONValue(parsing: Array(text.utf8)) else { return }
        let treatment = treatment()
        if case .silent = treatment { return }
        state.withLock { state in
            switch message["type"] {
            case .string("connection_init")?:
                state.messages.append(#"{"type":"connection_ack","payload":{"connectionTimeoutMs":300000}}"#)
            case .string("start")?:
                guard case .string(let id)? = message["id"], let match = text.firstMatch(of: /\{ (on[A-Za-z0-9]+)[ (]/)
                else { return }
                state.starts.append(String(match.1))
                guard case .accepting(let limit, _) = treatment else { return }
                guard state.ids.count < limit else {
                    let error = #"{"errorType":"MaxSubscriptionsReachedError","message":"Max number reached"}"#
                    state.messages.append(#"{"type":"error","id":"\#(id)","payload":{"errors":[\#(error)]}}"#)
                    return
                }
                state.ids[String(match.1)] = id
                state.messages.append(#"{"type":"start_ack","id":"\#(id)"}"#)
            case .string("stop")?:
                guard case .string(let id)? = message["id"] else { return }
                state.stopCount += 1
                state.ids = state.ids.filter { $0.value != id }
                state.messages.append(#"{"type":"complete","id":"\#(id)"}"#)
            default: break
            }
        }
    }

    func receive() async throws(TransportError) -> String {
        while !Task.isCancelled {
            let message = state.withLock { $0.messages.isEmpty ? nil : $0.messages.removeFirst() }
            if let message { return message }
            if case .closed = treatment() { drop() }
            if isClosed { throw TransportError(.closed, "The server closed the WebSocket.", closeCode: 1_001) }
            try? await Task.sleep(for: .milliseconds(2))
        }
        throw TransportError(.cancelled, "The task was cancelled.")
    }

    func close(code: UInt16, reason: String) async { drop() }
}
