internal import Synchronization
internal import TidelogGraphQL
internal import TidelogWebSocket
internal import TidelogWire

/// The output of a session: a socket, or a substitute for it.
struct RealTimeOutput: Sendable {
    /// Sends a message, which is JSON in UTF-8. The function must not block.
    var send: @Sendable ([UInt8]) -> Void
    /// Closes the connection after the messages that were sent before.
    var close: @Sendable (WebSocketCloseCode, String) -> Void
}

/// A session of the real-time protocol with one client, without a socket.
final class RealTimeSession: Sendable {
    /// The number of subscriptions that a client may have at a time.
    static let maximumSubscriptions = 200
    /// The longest id of a subscription in bytes.
    static let maximumIDBytes = 128
    /// The time in milliseconds after which a connection without any message of the protocol is closed.
    private static let patience: Int64 = 30_000
    /// The time in milliseconds between two keep-alive messages to the client.
    private static let keepAlivePause: Int64 = 30_000
    /// The time in milliseconds without a keep-alive message after which the client treats the connection as dead.
    private static let timeout: Int64 = 300_000
    /// The time in milliseconds for which a token still counts after it has expired, because clocks differ.
    private static let leeway: Int64 = 30_000

    private let subscriptions: Subscriptions
    private let authenticator: Authenticator
    private let clock: @Sendable () -> Int64
    private let output: RealTimeOutput
    /// The caller who opened the connection, or the reason why the caller is refused.
    private let opener: Result<Caller, RealTimeError>
    private let state: Mutex<State>

    private struct State {
        var isInitialised = false
        var hasEnded = false
        let openedAt: Int64
        var keepAliveAt: Int64
        /// The client's subscriptions, by the ids that the client gave them.
        var entries: [ExactText: Entry] = [:]
    }

    private struct Entry {
        /// The number of the subscription in ``Subscriptions``.
        let number: UInt64
        /// The time when the credentials expire, in milliseconds since 1970.
        let endsAt: Int64?
    }

    init(
        _ subscriptions: Subscriptions, authenticator: Authenticator, opener: Result<Caller, RealTimeError>,
        clock: @escaping @Sendable () -> Int64, output: RealTimeOutput
    ) {
        (self.subscriptions, self.authenticator, self.opener) = (subscriptions, authenticator, opener)
        (self.clock, self.output) = (clock, output)
        let now = clock()
        state = Mutex(State(openedAt: now, keepAliveAt: now))
    }

    /// Handles a message from the client.
    func receive(_ text: String) {
        let message: RealTimeClientMessage
        do { message = try RealTimeClientMessage(Array(text.utf8)) } catch {
            return send(.error(id: nil, .badRequest("The message is not understood.")))
        }
        guard case .success(let opener) = opener else { return refuse() }
        switch message {
        case .connectionInit: begin()
        case .start(let start): self.start(start, opener)
        case .stop(let id): stop(id)
        case .unknown(let type, let id):
            let name = type.prefix(40)
            send(
                .error(
                    id: id, RealTimeError("UnsupportedOperation", "\(name) not supported through the realtime channel"))
            )
        }
    }

    /// Does the tasks that depend on time: sends a keep-alive message if one is due, ends subscriptions whose credentials have
    /// expired, and closes a connection that the client does not use.
    func tick() {
        let now = clock()
        let (keepsAlive, expired, isSilent) = state.withLock { state in
            guard !state.hasEnded else { return (false, [(ExactText, Entry)](), false) }
            let expired = state.entries.filter { $0.value.endsAt.map { $0 <= now } ?? false }.map { ($0.key, $0.value) }
            for (id, _) in expired { state.entries[id] = nil }
            let isSilent = !state.isInitialised && state.entries.isEmpty && now - state.openedAt >= Self.patience
            let keepsAlive = state.isInitialised && now - state.keepAliveAt >= Self.keepAlivePause
            if keepsAlive { state.keepAliveAt = now }
            return (keepsAlive, expired, isSilent)
        }
        for (id, entry) in expired {
            subscriptions.remove(entry.number)
            send(.error(id: id.text, .unauthorized))
        }
        if keepsAlive { send(.keepAlive) }
        if isSilent { output.close(.policyViolation, "nothing was asked for") }
    }

    /// Ends the session because the client is gone. Nothing is sent after this call.
    func end() {
        let entries = state.withLock { state in
            state.hasEnded = true
            defer { state.entries = [:] }
            return state.entries
        }
        for entry in entries.values { subscriptions.remove(entry.number) }
    }

    // MARK: Messages

    private func refuse() {
        guard case .failure(let error) = opener else { return }
        send(.connectionError(error))
        output.close(.policyViolation, error.errorType)
    }

    private func begin() {
        state.withLock { state in
            state.isInitialised = true
            state.keepAliveAt = clock()
        }
        send(.connectionAck(timeoutMilliseconds: Self.timeout))
        send(.keepAlive)
    }

    private func start(_ start: RealTimeStart, _ opener: Caller) {
        guard (1...Self.maximumIDBytes).contains(start.id.utf8.count) else {
            return send(.error(id: nil, .badRequest("The id of a subscription has 1 to 128 bytes.")))
        }
        do {
            let caller = try caller(of: start, opener)
            subscribe(try subscriptions.prepare(Self.request(of: start), from: caller), as: start.id)
        } catch {
            send(.error(id: start.id, RealTimeError(error)))
        }
    }

    private func subscribe(_ prepared: PreparedSubscription, as id: String) {
        let endsAt = Self.end(of: prepared.caller)
        // The lock is held until the client has been sent the acknowledgement, so that no change arrives before it.
        state.withLock { state in
            guard !state.hasEnded else { return }
            if let former = state.entries.removeValue(forKey: ExactText(id)) { subscriptions.remove(former.number) }
            guard state.entries.count < Self.maximumSubscriptions else {
                return send(.error(id: id, .tooMany))
            }
            let head = RealTimeServerMessage.dataHead(id: id)
            let number = subscriptions.add(prepared) { [weak self] number, payload in
                self?.deliver(head, payload, of: id, number)
            }
            state.entries[ExactText(id)] = Entry(number: number, endsAt: endsAt)
            send(.startAck(id: id))
        }
    }

    /// The time when the credentials expire, in milliseconds since 1970. Inlining this method makes the optimiser of Swift
    /// 6.3.1 fail with an internal error.
    @inline(never)
    private static func end(of caller: Caller) -> Int64? { caller.expiresAt.map { $0 * 1_000 + leeway } }

    private func caller(of start: RealTimeStart, _ opener: Caller) throws -> Caller {
        let credentials = RealTimeCredentials(start.authorization)
        let now = clock() / 1_000
        guard credentials.areGiven else {
            if let end = opener.expiresAt, end <= now { throw CredentialError.expired }
            return opener
        }
        return try authenticator.caller(key: credentials.key, authorization: credentials.authorization, at: now)
    }

    private static func request(of start: RealTimeStart) throws -> ServiceRequest {
        try ServiceRequest(body: Array(start.request.utf8))
    }

    private func stop(_ id: String) {
        state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: ExactText(id)) else { return }
            subscriptions.remove(entry.number)
            send(.complete(id: id))
        }
    }

    /// Sends a message of a subscription, unless the subscription has ended.
    private func deliver(_ head: [UInt8], _ payload: [UInt8], of id: String, _ number: UInt64) {
        state.withLock { state in
            guard state.entries[ExactText(id)]?.number == number else { return }
            output.send(head + payload + RealTimeServerMessage.dataTail)
        }
    }

    private func send(_ message: RealTimeServerMessage) { output.send(message.json) }
}

extension RealTimeError {
    static let unauthorized = RealTimeError(
        "UnauthorizedException", "You are not authorized to make this call.", errorCode: 401)

    fileprivate static let tooMany = RealTimeError(
        "MaxSubscriptionsReachedError", "Max number of \(RealTimeSession.maximumSubscriptions) subscriptions reached")

    static func badRequest(_ message: String) -> RealTimeError {
        RealTimeError("BadRequestException", message, errorCode: 400)
    }

    /// The error that tells a client why it cannot subscribe.
    fileprivate init(_ error: any Error) {
        switch error {
        case is CredentialError: self = .unauthorized
        case let error as MalformedRequest: self = .badRequest(error.message)
        case let error as RequestErrors:
            let first = error.errors.first
            self.init(first?.errorType ?? "ValidationError", first?.message ?? "The request is not valid.")
        case let error as ResolverError: self.init(error.errorType ?? "BadRequestException", error.message)
        default: self.init("InternalFailure", "The server failed.")
        }
    }
}
