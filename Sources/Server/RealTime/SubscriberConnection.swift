internal import TidelogAgreement
internal import TidelogGraphQLExecution
internal import TidelogSynchronization
internal import TidelogWebSocket

/// A client's connection to the real-time protocol, without a socket. It runs the actions of a ``RealTimeSession``.
///
/// Any thread may call its methods.
final class SubscriberConnection: Sendable {
    private let subscriptions: Subscriptions
    private let authenticator: Authenticator
    private let clock: @Sendable () -> Int64
    private let output: Output
    /// The caller who opened the connection, or the reason why the caller is refused.
    private let opener: Result<Caller, RealTimeError>
    /// The lock is held while actions run, so that the client gets the acknowledgement of a subscription before its first
    /// change. It is not held during a check, because a check can take long.
    private let state: Mutex<State>

    private struct State {
        var session: RealTimeSession
        /// The numbers of the client's subscriptions in ``Subscriptions``, by the numbers that the session gave them.
        var numbers: [UInt64: UInt64] = [:]
    }

    init(
        _ subscriptions: Subscriptions, authenticator: Authenticator, opener: Result<Caller, RealTimeError>,
        clock: @escaping @Sendable () -> Int64, output: Output
    ) {
        self.subscriptions = subscriptions
        self.authenticator = authenticator
        self.opener = opener
        (self.clock, self.output) = (clock, output)
        let opening: RealTimeSession.Opening =
            switch opener {
            case .success(let caller): .admitted(until: Self.end(of: caller))
            case .failure(let error): .refused(error)
            }
        state = Mutex(State(session: RealTimeSession(opening, at: clock())))
    }

    /// Handles a message from the client.
    func receive(_ text: String) {
        let message = try? RealTimeClientMessage(Array(text.utf8))
        let now = clock()
        let actions = state.withLock { state in
            let actions = state.session.received(message, at: now)
            run(actions, &state)
            return actions
        }
        for case .check(let id, let request, let credentials) in actions { check(id, request, credentials, at: now) }
    }

    /// Does the tasks that depend on time.
    func tick() {
        let now = clock()
        state.withLock { run($0.session.tick(at: now), &$0) }
    }

    /// Ends the session because the client is gone. Nothing is sent after this call.
    func end() { state.withLock { run($0.session.ended(), &$0) } }

    // MARK: Actions

    /// Runs the actions of the session, except a check. `prepared` is the subscription that was checked, if there is one.
    private func run(
        _ actions: [RealTimeSession.Action], _ state: inout State, beginning prepared: PreparedSubscription? = nil
    ) {
        for action in actions {
            switch action {
            case .send(let message): output.send(message)
            case .subscribe(let number):
                guard let prepared else { preconditionFailure("a subscription begins after its check") }
                state.numbers[number] = subscriptions.add(prepared) { [weak self] _, response in
                    self?.deliver(response, of: number)
                }
            case .unsubscribe(let number):
                if let number = state.numbers.removeValue(forKey: number) { subscriptions.remove(number) }
            case .close(let code, let reason): output.close(code, reason)
            case .check: break
            }
        }
    }

    /// Checks the credentials and the request of a subscription, and gives the session the result.
    private func check(_ id: String, _ request: String, _ credentials: RealTimeCredentials?, at now: Int64) {
        do {
            let caller = try caller(with: credentials, at: now)
            let request = try ServiceRequest(body: Array(request.utf8))
            let prepared = try subscriptions.prepare(request, from: caller)
            let end = Self.end(of: caller)
            state.withLock { run($0.session.accepted(id, until: end), &$0, beginning: prepared) }
        } catch {
            let error = RealTimeError(error)
            state.withLock { run($0.session.refused(id, error), &$0) }
        }
    }

    private func caller(with credentials: RealTimeCredentials?, at now: Int64) throws -> Caller {
        guard let credentials else { return try opener.get() }
        return try authenticator.caller(
            key: credentials.key, authorization: credentials.authorization, at: now / 1_000)
    }

    /// The time when the credentials expire, in milliseconds since 1970. Inlining this method makes the optimiser of Swift
    /// 6.3.1 fail with an internal error.
    @inline(never)
    private static func end(of caller: Caller) -> Int64? { caller.expiresAt.map { $0 * 1_000 } }

    /// Sends a response of a subscription, unless the subscription has ended.
    private func deliver(_ response: [UInt8], of number: UInt64) {
        state.withLock { state in
            if let message = state.session.message(with: response, of: number) { output.send(message) }
        }
    }

    /// The output of a connection: a socket, or a substitute for it.
    struct Output: Sendable {
        /// Sends a message, which is JSON in UTF-8. The function must not block.
        var send: @Sendable ([UInt8]) -> Void
        /// Closes the connection after the messages that were sent before.
        var close: @Sendable (WebSocketCloseCode, String) -> Void
    }
}

extension RealTimeError {
    /// The error that tells a client why it cannot subscribe.
    fileprivate init(_ error: any Error) {
        switch error {
        case is CredentialError: self = .unauthorized
        case let error as ServiceRequest.Malformed: self = .badRequest(error.message)
        case let error as RequestErrors:
            let first = error.errors.first
            self.init(first?.errorType ?? "ValidationError", first?.message ?? "The request is not valid.")
        case let error as ResolverError: self.init(error.errorType ?? "BadRequestException", error.message)
        default: self.init("InternalFailure", "The server failed.")
        }
    }
}
