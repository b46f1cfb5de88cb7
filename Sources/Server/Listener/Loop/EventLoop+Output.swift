internal import CWebSockets
internal import TidelogPlatform

extension EventLoop {
    /// The number of bytes that one socket may send before the other sockets get their turn.
    private static let turn = 512 << 10
    /// The number of bytes of further requests that may wait while a request is answered.
    private static let maximumPipelined = 64 << 10

    /// Sends the queued output, as far as the socket accepts it.
    func flush(_ socket: ServerSocket) {
        if case .ended = socket.phase { return }
        let waiting = socket.output.count
        var isBroken = false
        while !socket.output.isEmpty, lws_partial_buffered(socket.handle) == 0 {
            guard waiting - socket.output.count < Self.turn else {
                lws_callback_on_writable(socket.handle)
                break
            }
            isBroken = !socket.output.writeFirst(using: room) { bytes in
                // The library does not write to the memory that it gets here.
                let start = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
                return lws_write(socket.handle, start, bytes.count, LWS_WRITE_HTTP) >= 0
            }
            if isBroken { break }
        }
        if isBroken { return abandon(socket) }
        let isSent = socket.output.isEmpty && lws_partial_buffered(socket.handle) == 0
        socket.lastSent = isSent ? nil : (socket.output.count < waiting ? nil : socket.lastSent) ?? clock.now
        socket.webSocket?.noteBacklog(socket.output.count)
        updateReceiving(socket)
        if isSent { outputEnded(socket) }
    }

    private func outputEnded(_ socket: ServerSocket) {
        socket.holding = nil
        switch socket.phase {
        case .responding(closes: true): linger(socket)
        case .responding(closes: false):
            socket.phase = .reading
            socket.progress = .nothing
            socket.deadline = clock.now + limits.keepAliveTime
            readRequest(socket)
        case .closing(_, awaitsClient: false): linger(socket)
        case .closing(_, awaitsClient: true):
            if socket.deadline == nil { socket.deadline = clock.now + limits.closeTime }
        default: break
        }
    }

    /// Signals the end of the output, and waits a moment for the client to close the socket. If a socket is closed while bytes
    /// arrive, the client may lose the last bytes that were sent to it.
    func linger(_ socket: ServerSocket) {
        socket.phase = .lingering
        socket.deadline = clock.now + limits.closeTime
        socket.parser = HTTPRequestParser(limits: limits)
        if let session = lws_get_ssl(socket.handle) { SSL_shutdown(session) }
        shutdown(lws_get_socket_fd(socket.handle), Int32(SHUT_WR))
        updateReceiving(socket)
    }

    /// Makes the library close the socket soon.
    func abandon(_ socket: ServerSocket) {
        if case .ended = socket.phase { return }
        switch socket.phase {
        case .handling(let exchange), .deciding(let exchange, _): exchange.task.cancel()
        case .open(let connection), .closing(let connection, _): connection.finish(.lost)
        default: break
        }
        socket.phase = .ended
        socket.holding = nil
        socket.output.removeAll()
        lws_set_timeout(socket.handle, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC)
    }

    /// Starts or stops receiving from the socket. The loop does not receive while too many received bytes would wait.
    ///
    /// The loop also does not receive while the library holds output of the socket. The library reads nothing then, and would
    /// report the same waiting bytes again and again.
    func updateReceiving(_ socket: ServerSocket) {
        if case .ended = socket.phase { return }
        var isReceiving = lws_partial_buffered(socket.handle) == 0
        switch socket.phase {
        case .handling, .deciding, .responding:
            isReceiving = isReceiving && socket.parser.unreadCount < Self.maximumPipelined
        case .open: isReceiving = isReceiving && !socket.isReaderBehind
        default: break
        }
        guard isReceiving != socket.isReceiving else { return }
        socket.isReceiving = isReceiving
        lws_rx_flow_control(socket.handle, isReceiving ? 1 : 0)
    }
}

/// Closes a descriptor that does not belong to the library.
func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
