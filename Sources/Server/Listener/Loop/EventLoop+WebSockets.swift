internal import TidelogWebSocket

extension EventLoop {
    /// Opens or refuses the WebSocket, after the service has answered the offer.
    func open(_ id: SocketID, _ answer: ListenerService.WebSocketAnswer) {
        guard let socket = sockets[id], case .deciding(let exchange, let handshake) = socket.phase else { return }
        guard case .accept(let subprotocol, let session) = answer, stopsAt == nil else {
            if case .refuse(let response) = answer {
                send(socket, response, to: exchange.request)
            } else {
                send(socket, HTTPResponse(status: 503, text: "The server stops.\n"), to: exchange.request)
            }
            return
        }
        let connection = WebSocketConnection(
            id, exchange.request, subprotocol: subprotocol, mailbox: mailbox, limits: limits)
        let early = socket.parser.takeUnread()
        socket.output.append(handshake.response(subprotocol: subprotocol))
        socket.phase = .open(connection)
        socket.lastReceived = clock.now
        taskCount += 1
        let mailbox = mailbox
        sessions[id] = Task {
            await session(connection)
            connection.close()
            mailbox.post(.sessionEnded(id))
        }
        flush(socket)
        if !early.isEmpty { early.withUnsafeBytes { receiveFrames(socket, $0) } }
    }

    /// Reads the frames that a client sent over its WebSocket.
    func receiveFrames(_ socket: ServerSocket, _ bytes: UnsafeRawBufferPointer) {
        socket.receiver.receive(bytes) { event in
            guard let connection = socket.webSocket else { return }
            switch event {
            case .text(let text):
                if case .open = socket.phase, connection.deliver(text) { socket.isReaderBehind = true }
            case .ping(let payload): _ = connection.enqueue(WebSocketFrame.bytes(.pong, payload))
            case .pong: break
            case .close(let code, let reason): clientCloses(socket, connection, code: code, reason: reason)
            case .violation(let code, let reason):
                connection.close(code, reason: reason, end: .violation(code, reason))
                transmit(socket)
                // The bytes after a violation cannot be read. The loop therefore does not wait for a close frame from the
                // client.
                if case .closing = socket.phase { socket.phase = .closing(connection, awaitsClient: false) }
            }
        }
        if case .ended = socket.phase { return }
        flush(socket)
    }

    private func clientCloses(
        _ socket: ServerSocket, _ connection: WebSocketConnection, code: WebSocketCloseCode?, reason: String
    ) {
        let (frames, isClosing, _) = connection.takeQueue()
        connection.finish(.closedByClient(code, reason: reason))
        frames.forEach { socket.output.append($0) }
        if !isClosing {
            let echo = code.map { WebSocketFrame.close($0, "") } ?? WebSocketFrame.bytes(.close, [])
            socket.output.append(echo)
        }
        socket.phase = .closing(connection, awaitsClient: false)
    }

    /// Sends the queued frames of the socket's WebSocket.
    func transmit(_ socket: ServerSocket) {
        guard let connection = socket.webSocket else { return }
        let (frames, isClosing, end) = connection.takeQueue()
        // A slow client would have to read all waiting frames before it could read a close frame.
        if end == .overflow { return abandon(socket) }
        frames.forEach { socket.output.append($0) }
        if isClosing, case .open = socket.phase { socket.phase = .closing(connection, awaitsClient: true) }
        flush(socket)
    }
}

extension WebSocketHandshake {
    /// Whether `request` asks for a WebSocket.
    static func isAsked(by request: HTTPRequest) -> Bool {
        request.headers.list("Upgrade", contains: "websocket")
            && request.headers.list("Connection", contains: "upgrade")
    }

    /// The handshake for a request that asks for a WebSocket, or the reason why the request is refused.
    static func of(_ request: HTTPRequest) -> Result<WebSocketHandshake, HTTPHead.Failure> {
        do throws(Failure) {
            return .success(
                try WebSocketHandshake(
                    Request(
                        method: request.method, minorVersion: request.minorVersion,
                        versions: request.headers.values(of: "Sec-WebSocket-Version"),
                        keys: request.headers.values(of: "Sec-WebSocket-Key"),
                        subprotocols: request.headers.list("Sec-WebSocket-Protocol"))))
        } catch {
            switch error {
            case .malformed(let reason): return .failure(.malformed(reason))
            case .unsupportedVersion: return .failure(HTTPHead.Failure(.unsupportedWebSocketVersion))
            }
        }
    }
}
