internal import TidelogAgreement

/// A client's conversation with a server of the real-time protocol, over one WebSocket.
///
/// The conversation is a pure state machine: inputs go in, and actions come out.
struct RealTimeConversation {
    /// An action for the owner of the conversation.
    enum Action: Equatable {
        case send([UInt8])
        /// The server has begun the subscription.
        case began(id: String)
        /// The server sent a response for the subscription.
        case deliver(id: String, payload: [UInt8])
        /// The subscription has ended; without an error if the server completed it.
        case end(id: String, RealTimeError?)
        /// The whole conversation has ended. The owner must close the WebSocket.
        case fail(RealTimeError)
    }

    private enum Phase {
        case greeting
        case open
        case ended
    }

    private var phase = Phase.greeting
    /// The subscriptions that the server was asked for or will be asked for.
    private var subscriptions: Set<String> = []
    /// The subscriptions to send when the server has answered the greeting.
    private var waiting: [RealTimeClientMessage.Start] = []
    /// Why the conversation has ended.
    private var failure: RealTimeError?
    /// The number of milliseconds without a message after which the connection counts as lost.
    private(set) var timeoutMilliseconds: Int64 = 30_000

    /// The WebSocket is open.
    func opened() -> [Action] { [.send(RealTimeClientMessage.connectionInit.json)] }

    /// Asks for a subscription whose id is new.
    mutating func subscribe(_ start: RealTimeClientMessage.Start) -> [Action] {
        precondition(!subscriptions.contains(start.id), "each subscription has its own id")
        switch phase {
        case .greeting:
            subscriptions.insert(start.id)
            waiting.append(start)
            return []
        case .open:
            subscriptions.insert(start.id)
            return [.send(RealTimeClientMessage.start(start).json)]
        case .ended: return [.end(id: start.id, failure)]
        }
    }

    /// Handles the end of the subscriber of `id`.
    mutating func unsubscribe(_ id: String) -> [Action] {
        guard subscriptions.remove(id) != nil, phase != .ended else { return [] }
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: index)
            return []
        }
        return [.send(RealTimeClientMessage.stop(id: id).json)]
    }

    /// Whether there is no subscription.
    var isIdle: Bool { subscriptions.isEmpty }

    /// Handles the message `text` of the server.
    mutating func received(_ text: [UInt8]) -> [Action] {
        guard phase != .ended else { return [] }
        let message: RealTimeServerMessage?
        do throws(MalformedMessage) {
            message = try RealTimeServerMessage.read(text)
        } catch {
            return fail(RealTimeError("MalformedMessage", "The server sent a text that is no message."))
        }
        switch message {
        case .connectionAck(let timeout)?:
            guard phase == .greeting else { return [] }
            phase = .open
            timeoutMilliseconds = max(1_000, timeout)
            defer { waiting = [] }
            return waiting.map { .send(RealTimeClientMessage.start($0).json) }
        case .startAck(let id)?: return subscriptions.contains(id) ? [.began(id: id)] : []
        case .data(let id, let payload)?:
            return subscriptions.contains(id) ? [.deliver(id: id, payload: payload)] : []
        case .complete(let id)?: return subscriptions.remove(id) == nil ? [] : [.end(id: id, nil)]
        case .error(let id?, let error)?: return subscriptions.remove(id) == nil ? [] : [.end(id: id, error)]
        case .error(nil, let error)?, .connectionError(let error)?: return fail(error)
        case .keepAlive?, nil: return []
        }
    }

    /// Handles that no message came for ``timeoutMilliseconds``.
    mutating func timedOut() -> [Action] {
        fail(RealTimeError("ConnectionLost", "Nothing was heard of the server for too long."))
    }

    /// Handles the end of the WebSocket.
    mutating func lost(_ reason: String) -> [Action] { fail(RealTimeError("ConnectionLost", reason)) }

    private mutating func fail(_ error: RealTimeError) -> [Action] {
        guard phase != .ended else { return [] }
        phase = .ended
        failure = error
        defer { (subscriptions, waiting) = ([], []) }
        return subscriptions.sorted().map { .end(id: $0, error) } + [.fail(error)]
    }
}
