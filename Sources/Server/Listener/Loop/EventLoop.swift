internal import CWebSockets
internal import TidelogWebSocket

/// The event loop of a listener, on its own thread. All methods run on this thread, and nothing else calls the library.
///
/// The library provides the loop, the sockets and TLS. Types of this module, such as ``HTTPRequestParser`` and
/// ``WebSocketReceiver``, read and write the protocols.
final class EventLoop {
    let service: ListenerService
    let limits: ListenerLimits
    let mailbox: LoopMailbox
    let isSecure: Bool
    let clock = ContinuousClock()

    let context: OpaquePointer
    let host: OpaquePointer
    private let memory: LoopMemory
    var sockets: [SocketID: ServerSocket] = [:]
    var nextID: SocketID = 1
    /// The number of handler and session tasks that have not ended.
    var taskCount = 0
    var sessions: [SocketID: Task<Void, Never>] = [:]
    /// The listening sockets; empty after the loop was stopped.
    var listening: [OpaquePointer] = []
    var isAccepting = true
    var stopsAt: ContinuousClock.Instant?
    var hasEnded = false
    var isTimerSet = false
    private var dateSecond = 0
    private var dateText = ""

    /// - Throws: ``ListenerError`` if the library refuses the configuration, for example a file of the TLS identity.
    init(
        service: ListenerService, limits: ListenerLimits, mailbox: LoopMailbox, identity: TLSIdentity?
    ) throws(ListenerError) {
        self.service = service
        self.limits = limits
        self.mailbox = mailbox
        isSecure = identity != nil
        memory = LoopMemory(identity: identity)
        (context, host) = try memory.makeContext()
        memory.owner = Unmanaged.passUnretained(self).toOpaque()
    }

    /// Serves the clients of `descriptors` until the loop is stopped. Then the method destroys the library's context.
    func run(_ descriptors: [Int32]) {
        for descriptor in descriptors { listen(on: descriptor) }
        mailbox.open(context)
        while !hasEnded, lws_service(context, 0) >= 0 {}
        mailbox.close()
        lws_context_destroy(context)
    }

    /// Runs the commands of other threads.
    func runCommands() {
        for command in mailbox.take() {
            switch command {
            case .respond(let id, let response):
                taskCount -= 1
                respond(id, response)
            case .open(let id, let answer):
                taskCount -= 1
                open(id, answer)
            case .transmit(let id):
                if let socket = sockets[id] { transmit(socket) }
            case .receive(let id):
                guard let socket = sockets[id] else { break }
                socket.isReaderBehind = false
                socket.lastReceived = clock.now
                updateReceiving(socket)
            case .sessionEnded(let id):
                taskCount -= 1
                sessions[id] = nil
            case .stop(let time): stop(within: time)
            }
        }
        endIfDone()
    }

    /// Handles the bytes that a socket received.
    func received(_ socket: ServerSocket, _ bytes: UnsafeRawBufferPointer) {
        socket.lastReceived = clock.now
        socket.hasAskedForSign = false
        if !socket.hasReceived {
            socket.hasReceived = true
            // The library limits the time of the TLS handshake. After the handshake, the loop measures the time itself.
            if isSecure { lws_set_timeout(socket.handle, NO_PENDING_TIMEOUT, 0) }
        }
        switch socket.phase {
        case .reading:
            socket.parser.append(bytes)
            readRequest(socket)
        case .handling, .deciding, .responding:
            socket.parser.append(bytes)
            updateReceiving(socket)
        case .open, .closing: receiveFrames(socket, bytes)
        case .lingering, .ended: break
        }
    }

    /// Handles a closed socket. Either side may have closed it.
    func closed(_ socket: ServerSocket) {
        sockets[socket.id] = nil
        switch socket.phase {
        case .handling(let exchange), .deciding(let exchange, _): exchange.task.cancel()
        case .open(let connection), .closing(let connection, _): connection.finish(.lost)
        default: break
        }
        socket.phase = .ended
        socket.holding = nil
        endIfDone()
    }

    /// The memory in which small pieces of output are combined.
    var room: UnsafeMutableRawBufferPointer { memory.room }

    /// The current time in the format of a header field.
    func date() -> String {
        let second = HTTPDate.secondsSince1970()
        if second != dateSecond {
            dateSecond = second
            dateText = HTTPDate.text(second)
        }
        return dateText
    }

    /// Schedules the next check of the deadlines, if there is anything to check.
    func setTimer() {
        guard !isTimerSet, !sockets.isEmpty || stopsAt != nil || !isAccepting else { return }
        isTimerSet = true
        lws_sul_schedule(context, 0, memory.timer, loopTimer, 250_000)
    }
}

// MARK: - Time

extension EventLoop {
    /// Checks the deadlines of all clients. The timer calls this method four times a second while there are clients.
    func checkTimes() {
        isTimerSet = false
        let now = clock.now
        resumeAccepting()
        for socket in Array(sockets.values) { checkTime(of: socket, now) }
        if let stopsAt, now >= stopsAt { abandonAll() }
        setTimer()
        endIfDone()
    }

    private func checkTime(of socket: ServerSocket, _ now: ContinuousClock.Instant) {
        if let lastSent = socket.lastSent, now >= lastSent + limits.stallTime {
            socket.webSocket?.finish(.silence)
            return abandon(socket)
        }
        if let deadline = socket.deadline, now >= deadline { return timeIsUp(socket) }
        guard case .open(let connection) = socket.phase, !socket.isReaderBehind else { return }
        let silence = now - socket.lastReceived
        if silence >= limits.silenceTime {
            connection.close(.goingAway, reason: "nothing was heard", end: .silence)
        } else if silence >= limits.silenceTime / 2, !socket.hasAskedForSign {
            socket.hasAskedForSign = true
            _ = connection.enqueue(WebSocketFrame.bytes(.ping, []))
        }
    }

    private func timeIsUp(_ socket: ServerSocket) {
        switch socket.phase {
        case .reading:
            if socket.progress == .nothing { linger(socket) } else { refuse(socket, .tooSlow) }
        default: abandon(socket)
        }
    }

    /// Accepts no new clients, and ends the loop as soon as the current clients are done.
    func stop(within time: Duration) {
        let end = clock.now + time
        stopsAt = min(stopsAt ?? end, end)
        for handle in listening { lws_set_timeout(handle, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC) }
        listening = []
        for socket in Array(sockets.values) {
            switch socket.phase {
            case .reading: linger(socket)
            case .open(let connection): connection.close(.goingAway, reason: "the server stops")
            default: break
            }
        }
        setTimer()
    }

    private func abandonAll() {
        for socket in Array(sockets.values) {
            if case .ended = socket.phase { continue }
            abandon(socket)
        }
        for session in sessions.values { session.cancel() }
        // The loop does not wait for sessions that continue after they were cancelled.
        hasEnded = true
    }

    /// Ends the loop if it is stopping and no work is left.
    func endIfDone() {
        guard stopsAt != nil, sockets.isEmpty, taskCount == 0 else { return }
        hasEnded = true
        lws_cancel_service(context)
    }
}
