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
            let offer = WebSocketOffer(request: request, subprotocols: handshake.subprotocols)
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
