internal import CWebSockets
internal import TidelogWebSocket

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
