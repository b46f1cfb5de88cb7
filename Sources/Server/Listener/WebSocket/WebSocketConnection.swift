internal import TidelogSynchronization
package import TidelogWebSocket

/// An open WebSocket of a client. Any thread may call its methods, and they never wait for the client.
package final class WebSocketConnection: Sendable {
    /// The request that opened the WebSocket.
    package let request: HTTPRequest
    /// The subprotocol of the WebSocket; `nil` if it has none.
    package let subprotocol: String?

    let socket: SocketID
    let state: Mutex<State>
    let mailbox: LoopMailbox
    let maximumQueuedBytes: Int
    /// The limit of bytes that may wait for the reader. Above it, the socket stops receiving.
    let maximumUnreadBytes: Int

    /// The state that the loop's thread shares with the users of the connection.
    struct State {
        /// The frames that the loop has not taken yet.
        var queue: [[UInt8]] = []
        /// The number of bytes in ``queue``.
        var queuedBytes = 0
        /// The number of bytes that the loop took and has not sent.
        var backlog = 0
        /// Whether the loop was already told that the queue has frames.
        var isAnnounced = false
        /// Whether a close frame was queued. No frame is queued after it.
        var isClosing = false
        var unread: ArraySlice<String> = []
        var unreadBytes = 0
        var isPaused = false
        var reader: CheckedContinuation<String?, Never>?
        /// How the WebSocket ended. Set as soon as no further message can be read.
        var end: End?
    }

    init(
        _ socket: SocketID, _ request: HTTPRequest, subprotocol: String?, mailbox: LoopMailbox, limits: ListenerLimits
    ) {
        self.socket = socket
        self.request = request
        self.subprotocol = subprotocol
        self.mailbox = mailbox
        maximumQueuedBytes = limits.maximumQueuedBytes
        maximumUnreadBytes = limits.maximumMessageBytes
        state = Mutex(State())
    }

    /// How the WebSocket ended; `nil` while it is open.
    package var end: End? { state.withLock { $0.end } }

    /// The number of bytes that wait to be sent.
    package var queuedByteCount: Int { state.withLock { $0.queuedBytes + $0.backlog } }

    /// The cost of the messages that wait to be read: their bytes, and an overhead for each message.
    var unreadByteCount: Int { state.withLock { $0.unreadBytes } }

    /// The client's messages, in order, until the WebSocket ends. Only one reader may use the sequence.
    package var incoming: Messages { Messages(connection: self) }

    /// Queues `text` after the messages that were sent before.
    ///
    /// - Returns: Whether the text was queued. It was not if the WebSocket has ended or is closing. If too many bytes wait, the
    ///   WebSocket ends.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Text(text)) }

    /// Queues `text` after the messages that were sent before, like ``send(_:)-(String)``.
    @discardableResult
    package func send(_ text: Text) -> Bool { enqueue(text.frame) }

    /// Closes the WebSocket. Queued messages are still sent, followed by the code and the reason. Messages that arrive later
    /// are dropped.
    package func close(_ code: WebSocketCloseCode = .normal, reason: String = "") {
        close(code, reason: reason, end: .closedByServer(code))
    }

    /// The messages of a client. The socket stops receiving while too many messages wait to be read.
    package struct Messages: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let connection: WebSocketConnection

        /// Returns the sequence itself, which is its own iterator.
        package func makeAsyncIterator() -> Messages { self }

        /// The next message; `nil` at the end, or if the task was cancelled.
        package func next() async -> String? { await connection.nextMessage() }
    }

    /// The reason why a WebSocket ended.
    package enum End: Sendable, Equatable {
        /// The client closed the WebSocket. The code is `nil` if the client sent none.
        case closedByClient(WebSocketCloseCode?, reason: String)
        /// The service closed the WebSocket, or the listener did so because it stops.
        case closedByServer(WebSocketCloseCode)
        /// The client violated the protocol, or sent a message that the listener does not accept.
        case violation(WebSocketCloseCode, String)
        /// More bytes waited for the client than the limit.
        case overflow
        /// The client sent nothing for too long, or did not receive the bytes that were sent to it.
        case silence
        /// The connection was lost.
        case lost
    }

    /// A text message, encoded as a WebSocket frame. The same value can be sent to many clients.
    package struct Text: Sendable {
        let frame: [UInt8]

        /// Encodes `text`.
        package init(_ text: String) {
            var text = text
            frame = text.withUTF8 { WebSocketFrame.bytes(.text, $0) }
        }

        /// Encodes bytes, which must be UTF-8.
        package init(utf8 bytes: [UInt8]) { frame = WebSocketFrame.bytes(.text, bytes) }
    }

    func enqueue(_ frame: [UInt8]) -> Bool {
        let (isQueued, announces, reader) = state.withLock { state in
            guard state.end == nil, !state.isClosing else { return (false, false, Reader?.none) }
            guard state.backlog + state.queuedBytes + frame.count <= maximumQueuedBytes else {
                (state.queue, state.queuedBytes) = ([], 0)
                return (false, state.announce(), state.finish(.overflow))
            }
            state.queue.append(frame)
            state.queuedBytes += frame.count
            return (true, state.announce(), nil)
        }
        reader?.resume(returning: nil)
        if announces { mailbox.post(.transmit(socket)) }
        return isQueued
    }

    func close(_ code: WebSocketCloseCode, reason: String, end: End) {
        let (announces, reader) = state.withLock { state in
            guard !state.isClosing, state.end != .overflow else { return (false, Reader?.none) }
            let frame = WebSocketFrame.close(code, reason)
            state.isClosing = true
            state.queue.append(frame)
            state.queuedBytes += frame.count
            return (state.announce(), state.finish(end))
        }
        reader?.resume(returning: nil)
        if announces { mailbox.post(.transmit(socket)) }
    }

    private func nextMessage() async -> String? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (message, waits, resumes) = state.withLock { state -> (String?, Bool, Bool) in
                    if let message = state.unread.popFirst() {
                        state.unreadBytes -= Self.cost(message)
                        let resumes = state.isPaused && state.unreadBytes <= maximumUnreadBytes / 4
                        if resumes { state.isPaused = false }
                        return (message, false, resumes)
                    }
                    guard state.end == nil, !Task.isCancelled else { return (nil, false, false) }
                    precondition(state.reader == nil, "the messages of a WebSocket have one reader")
                    state.reader = continuation
                    return (nil, true, false)
                }
                if resumes { mailbox.post(.receive(socket)) }
                if !waits { continuation.resume(returning: message) }
            }
        } onCancel: {
            state.withLock { $0.reader.take() }?.resume(returning: nil)
        }
    }

    /// The cost of a waiting message: its bytes, and an overhead.
    static func cost(_ message: String) -> Int { message.utf8.count + 64 }

    typealias Reader = CheckedContinuation<String?, Never>
}

// Methods for the loop.
extension WebSocketConnection {
    /// Passes a message to the reader. Returns whether the socket must stop receiving.
    func deliver(_ message: String) -> Bool {
        let (reader, pauses) = state.withLock { state -> (Reader?, Bool) in
            guard state.end == nil else { return (nil, false) }
            if let reader = state.reader.take() { return (reader, false) }
            state.unread.append(message)
            state.unreadBytes += Self.cost(message)
            state.isPaused = state.unreadBytes > maximumUnreadBytes
            return (nil, state.isPaused)
        }
        reader?.resume(returning: message)
        return pauses
    }

    /// Ends the WebSocket for reading and for sending.
    func finish(_ end: End) {
        state.withLock { state in
            state.isClosing = true
            return state.finish(end)
        }?.resume(returning: nil)
    }

    /// Takes the queued frames. Also returns whether the WebSocket is closing, and how it ended.
    func takeQueue() -> (frames: [[UInt8]], isClosing: Bool, end: End?) {
        state.withLock { state in
            defer { (state.queue, state.queuedBytes) = ([], 0) }
            state.isAnnounced = false
            state.backlog += state.queuedBytes
            return (state.queue, state.isClosing, state.end)
        }
    }

    /// Records how many bytes the loop took and has not sent yet.
    func noteBacklog(_ count: Int) { state.withLock { $0.backlog = count } }
}

extension WebSocketConnection.State {
    /// Marks the queue as announced. Returns whether the loop must be told about it.
    fileprivate mutating func announce() -> Bool {
        defer { isAnnounced = true }
        return !isAnnounced
    }

    /// Ends the messages, and returns the waiting reader. If this method is called again, the first end stays.
    fileprivate mutating func finish(_ end: WebSocketConnection.End) -> WebSocketConnection.Reader? {
        if self.end == nil { self.end = end }
        return reader.take()
    }
}
