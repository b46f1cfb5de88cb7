internal import TidelogWebSocket

extension EventLoop {
    /// Reads requests as far as the bytes go, and has the first that is complete answered.
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

    /// Reads the body of a request, or answers at once.
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

    /// Gives the client its time for what it is sending.
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

    /// The handler's answer.
    func respond(_ id: SocketID, _ response: HTTPResponse) {
        guard let socket = sockets[id], case .handling(let exchange) = socket.phase else { return }
        send(socket, response, to: exchange.request)
    }

    /// Sends an answer; the socket is closed behind it if the client or a stop wants that.
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
        // A client that takes a byte now and then never stands still, and keeps the response in memory all the same.
        socket.deadline = clock.now + limits.stallTime + .seconds(socket.output.count / limits.minimumSendRate)
        flush(socket)
    }

    /// Answers bytes that are refused, and closes the socket behind it: nobody knows where a next request would begin.
    func refuse(_ socket: ServerSocket, _ refusal: HTTPRefusal) {
        var response = service.refuse(refusal)
        if refusal == .unsupportedWebSocketVersion { response.headers.set("Sec-WebSocket-Version", "13") }
        send(socket, response, HTTPResponse.Framing(closes: true, date: date()))
    }
}
