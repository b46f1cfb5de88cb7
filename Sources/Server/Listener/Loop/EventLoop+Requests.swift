internal import CWebSockets
internal import TidelogPlatform
internal import TidelogWebSocket

extension EventLoop {
    /// Parses the received bytes, and starts to answer the first complete request.
    func readRequest(_ socket: ServerSocket) {
        guard case .reading = socket.phase else { return }
        switch socket.parser.next() {
        case .incomplete: noteProgress(socket)
        case .header(let request, let awaitsContinue): decide(socket, on: request, awaitsContinue: awaitsContinue)
        case .request(var request):
            request.remoteAddress = socket.remoteAddress
            request.isSecure = socket.isSecure
            socket.progress = .nothing
            answer(request, of: socket)
        case .refused(let refusal): refuse(socket, refusal)
        }
        updateReceiving(socket)
    }

    /// Reads the body of a request, or refuses the request by its header.
    private func decide(_ socket: ServerSocket, on request: HTTPRequest, awaitsContinue: Bool) {
        var request = request
        request.remoteAddress = socket.remoteAddress
        request.isSecure = socket.isSecure
        switch service.admit(request) {
        case .refuse(let response):
            socket.progress = .nothing
            send(
                socket, response,
                HTTPResponse.Framing(
                    closes: true, omitsBody: request.method == "HEAD", minorVersion: request.minorVersion, date: date())
            )
        case .admit(let admission):
            socket.parser.admit(admission)
            if awaitsContinue {
                noteProgress(socket)
                socket.output.append(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
                flush(socket)
            } else {
                readRequest(socket)
            }
        }
    }

    /// Sets the deadline for the part of a request that the client is sending.
    private func noteProgress(_ socket: ServerSocket) {
        let progress: ServerSocket.Progress =
            if case .header = socket.parser.state {
                socket.parser.isInsideRequest ? .header : .nothing
            } else {
                .body
            }
        guard progress != socket.progress else { return }
        socket.progress = progress
        switch progress {
        case .nothing: socket.deadline = clock.now + limits.keepAliveTime
        case .header: socket.deadline = clock.now + limits.headerTime
        case .body: socket.deadline = clock.now + limits.bodyTime
        }
    }

    private func answer(_ request: HTTPRequest, of socket: ServerSocket) {
        socket.deadline = nil
        let (id, service, mailbox) = (socket.id, service, mailbox)
        guard WebSocketHandshake.isAsked(by: request) else {
            taskCount += 1
            let task = Task { mailbox.post(.respond(id, await service.respond(request))) }
            socket.phase = .handling(ServerSocket.Exchange(request: request, task: task))
            return
        }
        switch WebSocketHandshake.of(request) {
        case .failure(let failure): refuse(socket, failure.refusal)
        case .success(let handshake):
            taskCount += 1
            let offer = ListenerService.WebSocketOffer(request: request, subprotocols: handshake.subprotocols)
            let task = Task { mailbox.post(.open(id, await service.accept(offer))) }
            socket.phase = .deciding(ServerSocket.Exchange(request: request, task: task), handshake)
        }
    }

    /// Sends the handler's response.
    func respond(_ id: SocketID, _ response: HTTPResponse) {
        guard let socket = sockets[id], case .handling(let exchange) = socket.phase else { return }
        send(socket, response, to: exchange.request)
    }

    /// Sends a response. The socket is closed after it if the client asks for that or if the listener stops.
    func send(_ socket: ServerSocket, _ response: HTTPResponse, to request: HTTPRequest) {
        let isKept =
            request.minorVersion == 1
            ? !request.headers.list("Connection", contains: "close")
            : request.headers.list("Connection", contains: "keep-alive")
        send(
            socket, response,
            HTTPResponse.Framing(
                closes: !isKept || stopsAt != nil, omitsBody: request.method == "HEAD",
                minorVersion: request.minorVersion, date: date()))
    }

    private func send(_ socket: ServerSocket, _ response: HTTPResponse, _ framing: HTTPResponse.Framing) {
        socket.output.append(response.head(framing))
        if !framing.omitsBody, response.hasBody { socket.output.append(response.body) }
        socket.phase = .responding(closes: framing.closes)
        socket.holding = response.holding
        // A client that receives a few bytes now and then never reaches the stall time, but the response would stay in memory.
        socket.deadline = clock.now + limits.stallTime + .seconds(socket.output.count / limits.minimumSendRate)
        flush(socket)
    }

    /// Answers refused bytes and closes the socket, because the beginning of the next request is unknown.
    func refuse(_ socket: ServerSocket, _ refusal: HTTPRefusal) {
        var response = service.refuse(refusal, socket.remoteAddress)
        if refusal == .unsupportedWebSocketVersion { response.headers.set("Sec-WebSocket-Version", "13") }
        send(socket, response, HTTPResponse.Framing(closes: true, date: date()))
    }
}

// MARK: - Accepting sockets

extension EventLoop {
    /// Accepts clients on `descriptor`. The loop closes the descriptor.
    func listen(on descriptor: Int32) {
        var descriptorOrFile = lws_sock_file_fd_type()
        descriptorOrFile.filefd = descriptor
        guard let handle = lws_adopt_descriptor_vhost(host, LWS_ADOPT_RAW_FILE_DESC, descriptorOrFile, nil, nil) else {
            closeDescriptor(descriptor)
            return
        }
        listening.append(handle)
    }

    /// Accepts waiting clients. It accepts a limited number at once, so that the current clients do not wait long.
    func acceptClients(on handle: OpaquePointer) {
        let descriptor = lws_get_socket_fd(handle)
        for _ in 0..<64 {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let accepted = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { tidelog_accept(descriptor, $0, &length) }
            }
            guard accepted >= 0 else {
                switch errno {
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: pauseAccepting()
                default: break
                }
                return
            }
            guard sockets.count < limits.maximumSockets, stopsAt == nil else {
                closeDescriptor(accepted)
                continue
            }
            adopt(accepted, from: address)
        }
    }

    private func adopt(_ descriptor: Int32, from address: sockaddr_storage) {
        var enabled: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &enabled, socklen_t(MemoryLayout<Int32>.size))
        var descriptorOrFile = lws_sock_file_fd_type()
        descriptorOrFile.sockfd = descriptor
        let kind = lws_adoption_type(
            rawValue: LWS_ADOPT_SOCKET.rawValue | (isSecure ? LWS_ADOPT_ALLOW_SSL.rawValue : 0))
        // The library closes the descriptor itself if it refuses it.
        guard let handle = lws_adopt_descriptor_vhost(host, kind, descriptorOrFile, nil, nil) else { return }
        let now = clock.now
        let socket = ServerSocket(
            id: nextID, handle: handle, remoteAddress: SocketAddress.text(of: address), isSecure: isSecure,
            limits: limits, now: now)
        socket.deadline = now + limits.headerTime
        nextID += 1
        sockets[socket.id] = socket
        lws_set_opaque_user_data(handle, Unmanaged.passUnretained(socket).toOpaque())
        setTimer()
    }

    /// Stops accepting clients for a moment, because there are too many open files or too little memory.
    private func pauseAccepting() {
        isAccepting = false
        for handle in listening { lws_rx_flow_control(handle, 0) }
        setTimer()
    }

    /// Accepts clients again after a pause.
    func resumeAccepting() {
        guard !isAccepting else { return }
        isAccepting = true
        for handle in listening { lws_rx_flow_control(handle, 1) }
    }
}
