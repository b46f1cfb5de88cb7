internal import CCurl
internal import TidelogWebSocket

/// The thread's side of a WebSocket. libcurl makes the connection, and the codec reads and writes the frames.
final class CurlSocket {
    typealias Opener = CheckedContinuation<Result<String?, TransportError>, Never>

    /// The longest time for the closing handshake.
    private static let closeTime = Duration.seconds(3)
    /// The longest time during which the socket may accept none of the waiting bytes.
    private static let stallTime = Duration.seconds(30)
    /// The number of bytes after which reading pauses, so that messages can be sent.
    private static let readBudget = 1 << 20

    private let channel: CurlChannel
    private let address: CurlAddress
    private let request: WebSocketRequest
    private let configuration: CurlTransport.Configuration
    private let clock = ContinuousClock()
    private var random = SystemRandomNumberGenerator()
    private var receiver: WebSocketReceiver
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var output: [UInt8] = []
    private var outputStart = 0
    /// The time at which the socket last accepted bytes, or at which the first byte began to wait.
    private var lastSent: ContinuousClock.Instant
    private var lastReceived: ContinuousClock.Instant
    private var hasPinged = false
    /// The time until which the other side may answer the close frame.
    private var closesAt: ContinuousClock.Instant?
    /// Whether further bytes of the other side are ignored and only the close frame must still be sent.
    private var hasEnded = false

    init(
        _ channel: CurlChannel, _ address: CurlAddress, _ request: WebSocketRequest,
        _ configuration: CurlTransport.Configuration
    ) {
        self.channel = channel
        self.address = address
        self.request = request
        self.configuration = configuration
        receiver = WebSocketReceiver(role: .client, maximumMessageBytes: configuration.maximumMessageBytes)
        lastSent = clock.now
        lastReceived = clock.now
    }

    /// Opens the WebSocket, reports the result to the caller, and serves the WebSocket until it ends.
    func run(opened: Opener) {
        defer { channel.endThread() }
        let handle: CurlHandle
        let first: WebSocketOpening.Opened
        do throws(TransportError) {
            handle = try connect()
            first = try shakeHands(handle)
        } catch {
            channel.finish(error)
            return opened.resume(returning: .failure(error))
        }
        opened.resume(returning: .success(first.subprotocol))
        do throws(TransportError) {
            try take(first.rest[...])
            try converse(handle)
        } catch {
            channel.finish(error)
        }
        channel.transfers.remove(handle)
    }

    // MARK: - Opening

    private func connect() throws(TransportError) -> CurlHandle {
        guard request.subprotocols.allSatisfy({ HTTPToken.isValid($0) }) else {
            throw TransportError(.unusableRequest, "A subprotocol is no token.")
        }
        let handle = try CurlHandle(address, configuration)
        handle.set(CURLOPT_CONNECT_ONLY, 1)
        handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        handle.set(CURLOPT_HTTPPROXYTUNNEL, 1)
        handle.set(CURLOPT_TIMEOUT_MS, request.timeout.curlMilliseconds)
        try handle.checkOptions()
        guard channel.transfers.add(handle) else {
            throw TransportError(.unusableRequest, "libcurl does not take the request.")
        }
        while true {
            channel.transfers.perform()
            if let (_, result) = channel.transfers.ended() {
                guard result == CURLE_OK else { throw handle.failure(result) }
                return handle
            }
            if channel.takeWork(backlog: 0).isAbandoned { throw .cancelled }
            channel.transfers.wait(milliseconds: 60_000)
        }
    }

    private func shakeHands(_ handle: CurlHandle) throws(TransportError) -> WebSocketOpening.Opened {
        let deadline = clock.now + request.timeout
        let nonce = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
        var opening = WebSocketOpening(subprotocols: request.subprotocols, nonce: nonce)
        let fields = request.headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        output = opening.request(target: address.target, host: address.authority, fields: fields)
        while true {
            try flush(handle)
            if let bytes = try read(handle) {
                do throws(WebSocketOpening.Failure) {
                    if let opened = try opening.receive(bytes) { return opened }
                } catch {
                    throw TransportError(error)
                }
                continue
            }
            if channel.takeWork(backlog: 0).isAbandoned { throw .cancelled }
            guard clock.now < deadline else {
                throw TransportError(.timedOut, "The server did not answer the handshake in time.")
            }
            try wait(handle, until: deadline, reading: true)
        }
    }

    // MARK: - Serving

    private func converse(_ handle: CurlHandle) throws(TransportError) {
        lastReceived = clock.now
        var wasPaused = false
        while true {
            let work = channel.takeWork(backlog: output.count - outputStart)
            if work.isAbandoned {
                sayGoodbye(.goingAway, "")
                try flush(handle)
                throw .cancelled
            }
            for message in work.messages { queue(.text, message.utf8) }
            if let goodbye = work.goodbye { sayGoodbye(WebSocketCloseCode(rawValue: goodbye.code), goodbye.reason) }
            try flush(handle)
            channel.note(backlog: output.count - outputStart)
            if wasPaused, !work.isPaused { lastReceived = clock.now }
            wasPaused = work.isPaused
            // If the budget is used up, libcurl may hold more bytes. A wait for the socket would not notice them.
            let hasMore = work.isPaused ? false : try readSome(handle)
            try flush(handle)
            let deadline = try checkTime(isPaused: work.isPaused)
            try wait(handle, until: hasMore ? clock.now : deadline, reading: !work.isPaused)
        }
    }

    /// Reads the bytes that have arrived. Returns whether there may be more.
    private func readSome(_ handle: CurlHandle) throws(TransportError) -> Bool {
        var budget = Self.readBudget
        while budget > 0 {
            guard let bytes = try read(handle) else { return false }
            budget -= bytes.count
            try take(bytes)
        }
        return true
    }

    /// Handles bytes of the other side.
    private func take(_ bytes: ArraySlice<UInt8>) throws(TransportError) {
        lastReceived = clock.now
        hasPinged = false
        var end: TransportError?
        bytes.withUnsafeBytes { bytes in
            receiver.receive(bytes) { event in
                switch event {
                case .text(let text): channel.deliver(text)
                case .ping(let payload): if closesAt == nil { queue(.pong, payload) }
                case .pong: break
                case .close(let code, let reason):
                    sayGoodbye(code, "")
                    let text = reason.isEmpty ? "The server closed the WebSocket." : "The server closed: \(reason)"
                    end = TransportError(.closed, text, closeCode: code?.rawValue ?? 1_005)
                case .violation(let code, let reason):
                    sayGoodbye(code, reason)
                    end = TransportError(
                        code == .messageTooBig ? .tooLarge : .malformed, "The server sent what it may not: \(reason).")
                }
            }
        }
        guard let end else { return }
        channel.finish(end)
        hasEnded = true
    }

    private func sayGoodbye(_ code: WebSocketCloseCode?, _ reason: String) {
        guard closesAt == nil else { return }
        closesAt = clock.now + Self.closeTime
        let mask = WebSocketFrame.Mask(random.next())
        if output.count == outputStart { lastSent = clock.now }
        guard let code else {
            output += WebSocketFrame.bytes(.close, [], mask: mask)
            return
        }
        output += WebSocketFrame.close(code.isValid ? code : .normal, reason, mask: mask)
    }

    private func queue(_ opcode: WebSocketFrame.Opcode, _ payload: some Collection<UInt8>) {
        guard closesAt == nil else { return }
        if output.count == outputStart { lastSent = clock.now }
        output += WebSocketFrame.bytes(opcode, payload, mask: WebSocketFrame.Mask(random.next()))
    }

    /// Checks all time limits, sends a ping if one is due, and returns the time of the next check.
    private func checkTime(isPaused: Bool) throws(TransportError) -> ContinuousClock.Instant {
        let now = clock.now
        if hasEnded, outputStart == output.count { throw TransportError(.closed, "The WebSocket has ended.") }
        if let closesAt {
            guard now < closesAt else { throw TransportError(.timedOut, "The server did not answer the goodbye.") }
            return closesAt
        }
        var next = now + .seconds(3_600)
        if outputStart < output.count {
            guard now < lastSent + Self.stallTime else {
                throw TransportError(.timedOut, "The server does not read the messages that are sent to it.")
            }
            next = min(next, lastSent + Self.stallTime)
        }
        // While the user does not read, no messages of the server are read, so its silence means nothing.
        guard !isPaused else { return next }
        let silence = now - lastReceived
        guard silence < configuration.silenceTime else {
            throw TransportError(.timedOut, "Nothing was heard of the server for \(configuration.silenceTime).")
        }
        if silence >= configuration.silenceTime / 2, !hasPinged {
            hasPinged = true
            queue(.ping, [])
            return now
        }
        return min(next, lastReceived + (hasPinged ? configuration.silenceTime : configuration.silenceTime / 2))
    }

    // MARK: - The socket

    /// Sends the waiting bytes, as far as the socket accepts them.
    private func flush(_ handle: CurlHandle) throws(TransportError) {
        while outputStart < output.count {
            var sent = 0
            let code = output[outputStart...].withUnsafeBytes { bytes in
                curl_easy_send(handle.pointer, bytes.baseAddress, bytes.count, &sent)
            }
            if code == CURLE_AGAIN { return }
            guard code == CURLE_OK else { throw TransportError(.closed, "The connection was lost.") }
            outputStart += sent
            lastSent = clock.now
        }
        (output, outputStart) = ([], 0)
    }

    /// The bytes that have arrived; `nil` if there are none at the moment.
    private func read(_ handle: CurlHandle) throws(TransportError) -> ArraySlice<UInt8>? {
        var count = 0
        let code = buffer.withUnsafeMutableBytes { bytes in
            curl_easy_recv(handle.pointer, bytes.baseAddress, bytes.count, &count)
        }
        if code == CURLE_AGAIN { return nil }
        guard code == CURLE_OK, count > 0 else {
            throw TransportError(.closed, "The connection was lost.", closeCode: 1_006)
        }
        return buffer[..<count]
    }

    private func wait(
        _ handle: CurlHandle, until deadline: ContinuousClock.Instant, reading: Bool
    ) throws(TransportError) {
        var socket = curl_socket_t(-1)
        guard tidelog_curl_socket(handle.pointer, &socket) == CURLE_OK, socket >= 0 else {
            throw TransportError(.closed, "The connection was lost.", closeCode: 1_006)
        }
        let time = deadline - clock.now
        let milliseconds = time <= .zero ? 0 : Int32(min(time.curlMilliseconds, 3_600_000))
        channel.transfers.wait(
            milliseconds: milliseconds, for: socket, writing: outputStart < output.count, reading: reading)
    }
}

extension TransportError {
    /// The failure of a handshake.
    fileprivate init(_ failure: WebSocketOpening.Failure) {
        switch failure {
        case .refused(let status, let errorType):
            self.init(
                .refused, "The server refused the WebSocket with status \(status).", status: status,
                errorType: errorType)
        case .malformed(let reason):
            self.init(.malformed, "The response opens no WebSocket: \(reason).")
        case .tooLong: self.init(.tooLarge, "The header of the handshake's response is too long.")
        }
    }
}

/// The user's side of an open WebSocket.
final class CurlWebSocket: TransportWebSocket {
    let subprotocol: String?
    private let channel: CurlChannel

    init(_ channel: CurlChannel, subprotocol: String?) {
        self.channel = channel
        self.subprotocol = subprotocol
    }

    deinit { channel.abandon() }

    func send(_ text: String) async throws(TransportError) { try channel.send(text) }

    func receive() async throws(TransportError) -> String { try await channel.receive() }

    func close(code: UInt16, reason: String) async { await channel.close(code: code, reason: reason) }
}
