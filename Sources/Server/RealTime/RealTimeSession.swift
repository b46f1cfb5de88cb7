internal import TidelogAgreement
internal import TidelogGraphQLExecution
internal import TidelogWebSocket

/// A session of the real-time protocol with one client: the server's side of the conversation.
///
/// The session is a pure state machine: inputs go in, and actions come out. Times are milliseconds since 1970.
struct RealTimeSession {
    /// An action for the owner of the session.
    enum Action: Equatable {
        /// Sends a message, which is JSON in UTF-8, to the client.
        case send([UInt8])
        /// Checks the request for the subscription `id`. Without credentials, the credentials of the connection are used.
        /// The owner gives the result to ``accepted(_:until:)`` or ``refused(_:_:)``.
        case check(id: String, request: String, RealTimeCredentials?)
        /// Begins the subscription that the owner has just checked. From now on, the owner gives each response of the
        /// subscription to ``message(with:of:)``, together with this number.
        case subscribe(UInt64)
        /// Ends the subscription with this number.
        case unsubscribe(UInt64)
        /// Closes the connection after the messages that were sent before.
        case close(WebSocketCloseCode, reason: String)
    }

    /// The server's decision on the credentials with which a client opened the connection.
    enum Opening {
        /// The caller is known. The credentials expire at this time; `nil` if they do not expire.
        case admitted(until: Int64?)
        /// The caller is refused for this reason.
        case refused(RealTimeError)
    }

    /// The number of subscriptions that a client may have at a time.
    static let maximumSubscriptions = 200
    /// The longest id of a subscription in bytes.
    static let maximumIDBytes = 128
    /// The time in milliseconds after which a connection without any message of the protocol is closed.
    static let patience: Int64 = 30_000
    /// The time in milliseconds between two keep-alive messages to the client.
    static let keepAlivePause: Int64 = 30_000
    /// The time in milliseconds without a keep-alive message after which the client treats the connection as dead.
    static let timeout: Int64 = 300_000
    /// The time in milliseconds for which a token still counts after it has expired, because clocks differ.
    static let leeway: Int64 = 30_000

    private let opening: Opening
    private let openedAt: Int64
    /// When the last keep-alive message was sent; `nil` if the client has not begun the protocol.
    private var keptAliveAt: Int64?
    /// Whether the connection was closed or lost. Inputs then have no effect.
    private var hasEnded = false
    private var nextNumber: UInt64 = 1
    /// The numbers of the client's subscriptions, by the ids that the client gave them.
    private var numbers: [ExactText: UInt64] = [:]
    /// The client's subscriptions, by number.
    private var subscriptions: [UInt64: Subscription] = [:]

    private struct Subscription {
        /// The id that the client gave it.
        let id: ExactText
        /// The bytes before the payload of each data message.
        let head: [UInt8]
        /// The time when the credentials expire; `nil` if they do not expire.
        let expiresAt: Int64?
    }

    /// Begins the session of a connection that was opened at the time `now`.
    init(_ opening: Opening, at now: Int64) { (self.opening, openedAt) = (opening, now) }

    // MARK: Inputs

    /// Handles a message from the client; `nil` if the client sent a text that is no message.
    mutating func received(_ message: RealTimeClientMessage?, at now: Int64) -> [Action] {
        guard !hasEnded else { return [] }
        guard let message else { return [.send(.error(id: nil, .badRequest("The message is not understood.")))] }
        guard case .admitted(let end) = opening else { return refuse() }
        switch message {
        case .connectionInit:
            keptAliveAt = now
            return [.send(.connectionAck(timeoutMilliseconds: Self.timeout)), .send(.keepAlive)]
        case .start(let start): return self.start(start, openerUntil: end, at: now)
        case .stop(let id): return remove(ExactText(id)).map { [.unsubscribe($0), .send(.complete(id: id))] } ?? []
        case .unknown(let type, let id):
            let name = type.prefix(40)
            let message = "\(name) not supported through the realtime channel"
            return [.send(.error(id: id, RealTimeError("UnsupportedOperation", message)))]
        }
    }

    /// Handles that the check of the subscription `id` has succeeded. A subscription with the same id ends first.
    ///
    /// - Parameter end: The time when the credentials expire; `nil` if they do not expire.
    mutating func accepted(_ id: String, until end: Int64?) -> [Action] {
        guard !hasEnded else { return [] }
        let exactID = ExactText(id)
        guard numbers[exactID] != nil || numbers.count < Self.maximumSubscriptions else {
            return [.send(.error(id: id, .tooMany))]
        }
        var actions: [Action] = remove(exactID).map { [.unsubscribe($0)] } ?? []
        let number = nextNumber
        nextNumber += 1
        numbers[exactID] = number
        subscriptions[number] = Subscription(id: exactID, head: RealTimeServerMessage.dataHead(id: id), expiresAt: end)
        actions += [.subscribe(number), .send(.startAck(id: id))]
        return actions
    }

    /// Handles that the check of the subscription `id` has failed. A subscription with the same id continues.
    func refused(_ id: String, _ error: RealTimeError) -> [Action] {
        hasEnded ? [] : [.send(.error(id: id, error))]
    }

    /// The message that brings a response of a subscription to the client; `nil` if the subscription has ended.
    ///
    /// - Parameter response: A GraphQL response, as JSON.
    func message(with response: [UInt8], of number: UInt64) -> [UInt8]? {
        subscriptions[number].map { $0.head + response + RealTimeServerMessage.dataTail }
    }

    /// Does the tasks that depend on time: ends subscriptions whose credentials have expired, sends a keep-alive message if
    /// one is due, and closes a connection that the client does not use or whose last subscription has expired.
    ///
    /// Clients connect again after a connection has ended, and then ask their app for a new token. Some clients do not ask for
    /// one after the error of a single subscription, so an idle connection would never bring them a change again.
    mutating func tick(at now: Int64) -> [Action] {
        guard !hasEnded else { return [] }
        var actions: [Action] = []
        let expired = expired(at: now)
        for (number, subscription) in expired {
            _ = remove(subscription.id)
            actions += [.unsubscribe(number), .send(.error(id: subscription.id.text, .unauthorized))]
        }
        if !expired.isEmpty, subscriptions.isEmpty {
            return actions + close(.goingAway, "the credentials of all subscriptions have expired")
        }
        if let last = keptAliveAt {
            guard now - last >= Self.keepAlivePause else { return actions }
            keptAliveAt = now
            actions.append(.send(.keepAlive))
        } else if subscriptions.isEmpty, now - openedAt >= Self.patience {
            actions += close(.policyViolation, "nothing was asked for")
        }
        return actions
    }

    /// Handles the end of the connection. Nothing is sent after this call.
    mutating func ended() -> [Action] {
        hasEnded = true
        defer { (numbers, subscriptions) = ([:], [:]) }
        return subscriptions.keys.sorted().map { .unsubscribe($0) }
    }

    // MARK: Steps

    private mutating func refuse() -> [Action] {
        guard case .refused(let error) = opening else { return [] }
        return [.send(.connectionError(error))] + close(.policyViolation, error.errorType)
    }

    private mutating func close(_ code: WebSocketCloseCode, _ reason: String) -> [Action] {
        assert(subscriptions.isEmpty, "a connection with subscriptions is in use")
        hasEnded = true
        return [.close(code, reason: reason)]
    }

    private func start(_ start: RealTimeClientMessage.Start, openerUntil end: Int64?, at now: Int64) -> [Action] {
        guard (1...Self.maximumIDBytes).contains(start.id.utf8.count) else {
            return [.send(.error(id: nil, .badRequest("The id of a subscription has 1 to 128 bytes.")))]
        }
        let credentials = RealTimeCredentials(start.authorization)
        if credentials.areGiven { return [.check(id: start.id, request: start.request, credentials)] }
        if let end, end <= now { return [.send(.error(id: start.id, .unauthorized))] }
        return [.check(id: start.id, request: start.request, nil)]
    }

    /// The subscriptions whose credentials have expired, in the order in which they began.
    private func expired(at now: Int64) -> [(key: UInt64, value: Subscription)] {
        let expired = subscriptions.filter { _, subscription in
            subscription.expiresAt.map { $0 + Self.leeway <= now } ?? false
        }
        return expired.sorted { $0.key < $1.key }
    }

    /// Removes a subscription. Returns its number; `nil` if there is none with this id.
    private mutating func remove(_ id: ExactText) -> UInt64? {
        guard let number = numbers.removeValue(forKey: id) else { return nil }
        subscriptions[number] = nil
        return number
    }
}

extension RealTimeSession.Action {
    static func send(_ message: RealTimeServerMessage) -> Self { .send(message.json) }
}

extension RealTimeError {
    static let unauthorized = RealTimeError(
        "UnauthorizedException", "You are not authorized to make this call.", errorCode: 401)

    fileprivate static let tooMany = RealTimeError(
        "MaxSubscriptionsReachedError", "Max number of \(RealTimeSession.maximumSubscriptions) subscriptions reached")

    static func badRequest(_ message: String) -> RealTimeError {
        RealTimeError("BadRequestException", message, errorCode: 400)
    }
}
