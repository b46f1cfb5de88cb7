internal import TidelogAgreement

/// One WebSocket of the real-time protocol and the subscriptions that share it.
actor RealTimeConnection {
    /// The receiving side of a subscription.
    struct Subscriber {
        /// Receives the payload of a message. Returns false if the subscriber has no room for it.
        let deliver: @Sendable ([UInt8]) -> Bool
        let end: @Sendable (GraphQLClientError?) -> Void
        /// Resumed when the server has begun the subscription or refused it.
        var began: CheckedContinuation<GraphQLClientError?, Never>?
    }

    private let socket: any TransportWebSocket
    private var conversation = RealTimeConversation()
    private var subscribers: [String: Subscriber] = [:]
    private var nextNumber = 0
    /// The number of callers that got the connection and have not subscribed yet.
    private var reservations = 0
    /// How many subscriptions the server has begun on this connection, and not ended.
    private(set) var begunCount = 0
    /// The largest such number that the connection has had.
    private(set) var largestCount = 0
    private var lastHeard = ContinuousClock.now
    private var reader: Task<Void, Never>?
    /// Ends the connection when the server was silent for too long.
    private var watcher: Task<Void, Never>?
    /// Whether the connection has ended and accepts no further subscriptions.
    private(set) var hasEnded = false

    /// Whether the connection has ended after the server had begun a subscription on it.
    var endedAfterUse: Bool { hasEnded && largestCount > 0 }

    init(_ socket: any TransportWebSocket) { self.socket = socket }

    /// Sends the greeting to the server, and begins to read.
    func start() async {
        await run(conversation.opened())
        reader = Task { [weak self, socket] in
            while true {
                do throws(TransportError) {
                    let text = try await socket.receive()
                    guard let self else { return }
                    await self.received(Array(text.utf8))
                } catch {
                    await self?.lost(error)
                    return
                }
            }
        }
        watch()
    }

    private func watch() {
        watcher?.cancel()
        watcher = Task { [weak self] in
            while let wait = await self?.timeToWait() {
                do { try await Task.sleep(for: wait) } catch { return }
            }
        }
    }

    deinit {
        reader?.cancel()
        watcher?.cancel()
    }

    /// Keeps the connection open for one call of `subscribe`. Returns false if the connection has ended already, or has
    /// `limit` subscriptions.
    func reserve(limit: Int? = nil) -> Bool {
        guard !hasEnded, subscribers.count + reservations < limit ?? .max else { return false }
        reservations += 1
        return true
    }

    /// Begins a subscription, and returns its id when the server has begun it.
    func subscribe(
        _ request: [UInt8], _ authorization: [String: String],
        deliver: @escaping @Sendable ([UInt8]) -> Bool, end: @escaping @Sendable (GraphQLClientError?) -> Void
    ) async throws(GraphQLClientError) -> String {
        reservations = max(0, reservations - 1)
        nextNumber += 1
        let id = "\(nextNumber)"
        let start = RealTimeClientMessage.Start(
            id: id, request: String(decoding: request, as: UTF8.self), authorization: authorization)
        let actions = conversation.subscribe(start)
        let failure = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                subscribers[id] = Subscriber(deliver: deliver, end: end, began: continuation)
                Task { await run(actions) }
            }
        } onCancel: {
            Task { await self.unsubscribe(id) }
        }
        if let failure { throw failure }
        return id
    }

    /// Ends a subscription. The WebSocket is closed with the last one.
    func unsubscribe(_ id: String) async {
        if let subscriber = subscribers.removeValue(forKey: id) {
            if subscriber.began == nil { begunCount -= 1 }
            subscriber.began?.resume(returning: GraphQLClientError(TransportError.cancelled))
        }
        await run(conversation.unsubscribe(id))
        await closeIfIdle()
    }

    /// Closes the WebSocket if it has no subscription, and no caller is about to subscribe.
    func closeIfIdle() async { if conversation.isIdle, reservations == 0 { await close() } }

    /// Ends every subscription and closes the WebSocket.
    func disconnect() async { await run(conversation.lost("The connection was closed here.")) }

    private func close() async {
        guard !hasEnded else { return }
        hasEnded = true
        _ = conversation.lost("The connection was closed here.")
        reader?.cancel()
        watcher?.cancel()
        await socket.close(code: 1_000, reason: "")
    }

    private func received(_ text: [UInt8]) async {
        lastHeard = .now
        let limit = conversation.timeoutMilliseconds
        await run(conversation.received(text))
        // The server's greeting names how long it may be silent.
        if conversation.timeoutMilliseconds < limit, !hasEnded { watch() }
    }

    private func lost(_ error: TransportError) async {
        guard error.code != .cancelled else { return }
        await run(conversation.lost(error.message))
    }

    /// How long to wait until the time must be checked next; `nil` if no check is needed.
    private func timeToWait() async -> Duration? {
        guard !hasEnded else { return nil }
        let limit = Duration.milliseconds(conversation.timeoutMilliseconds)
        let silence = ContinuousClock.now - lastHeard
        guard silence < limit else {
            await run(conversation.timedOut())
            return nil
        }
        return limit - silence
    }

    private func run(_ actions: [RealTimeConversation.Action]) async {
        for action in actions {
            switch action {
            case .send(let bytes):
                do throws(TransportError) {
                    try await socket.send(String(decoding: bytes, as: UTF8.self))
                } catch {
                    await run(conversation.lost(error.message))
                }
            case .began(let id):
                guard let began = subscribers[id]?.began else { continue }
                began.resume(returning: nil)
                subscribers[id]?.began = nil
                begunCount += 1
                largestCount = max(largestCount, begunCount)
            case .deliver(let id, let payload):
                guard let subscriber = subscribers[id], !subscriber.deliver(payload) else { continue }
                subscribers[id] = nil
                if subscriber.began == nil { begunCount -= 1 }
                subscriber.end(
                    GraphQLClientError(.fellBehind, "The subscriber reads so slowly that messages would be lost."))
                await run(conversation.unsubscribe(id))
            case .end(let id, let error):
                guard let subscriber = subscribers.removeValue(forKey: id) else { continue }
                let failure = error.map { GraphQLClientError($0) }
                if let began = subscriber.began {
                    let refusal = GraphQLClientError(.malformedResponse, "The server ended what it had not begun.")
                    began.resume(returning: failure ?? refusal)
                } else {
                    begunCount -= 1
                    subscriber.end(failure)
                    // The server may have ended every subscription because their token has expired, and close the WebSocket
                    // next. A new subscription on this WebSocket would then be lost with it.
                    await closeIfIdle()
                }
            case .fail: await close()
            }
        }
    }
}

extension GraphQLClientError {
    /// The failure for an error of the real-time protocol.
    fileprivate init(_ error: RealTimeError) {
        guard error.errorType != "ConnectionLost" else {
            self.init(.transport, error.message)
            return
        }
        let response = GraphQLResponseError(message: error.message, errorType: error.errorType)
        self.init([response], status: error.errorCode.map { Int($0) })
    }
}
