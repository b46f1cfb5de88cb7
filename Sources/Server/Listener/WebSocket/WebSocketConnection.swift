internal import Synchronization
package import TidelogWebSocket

/// A WebSocket that was accepted. Its methods may be called from anywhere and never wait for the client.
package final class WebSocketConnection: Sendable {
    /// The request that opened it.
    package let request: HTTPRequest
    /// What is spoken over it; `nil` if that was left open.
    package let subprotocol: String?

    let socket: SocketID
    let state: Mutex<State>
    let mailbox: LoopMailbox
    let maximumQueuedBytes: Int
    /// So much may wait to be read before the socket stops to receive.
    let maximumUnreadBytes: Int

    /// What both sides share: the loop's thread, and those who hold the connection.
    struct State {
        /// Frames for the loop to take.
        var queue: [[UInt8]] = []
        /// Bytes of the frames in ``queue``.
        var queuedBytes = 0
        /// Bytes that the loop took and has not sent.
        var backlog = 0
        /// Whether the loop knows that there is something to take.
        var isAnnounced = false
        /// Whether a close frame was queued; nothing is queued behind it.
        var isClosing = false
        var unread: ArraySlice<String> = []
        var unreadBytes = 0
        var isPaused = false
        var reader: CheckedContinuation<String?, Never>?
        /// Set once nothing more will be read.
        var end: WebSocketEnd?
    }

    init(_ socket: SocketID, _ request: HTTPRequest, subprotocol: String?, mailbox: LoopMailbox, limits: ListenerLimits)
    {
        self.socket = socket
        self.request = request
        self.subprotocol = subprotocol
        self.mailbox = mailbox
        maximumQueuedBytes = limits.maximumQueuedBytes
        maximumUnreadBytes = limits.maximumMessageBytes
        state = Mutex(State())
    }

    /// How it ended; `nil` as long as it lasts.
    package var end: WebSocketEnd? { state.withLock { $0.end } }

    /// Bytes that wait to be sent.
    package var queuedByteCount: Int { state.withLock { $0.queuedBytes + $0.backlog } }

    /// Bytes of messages that wait to be read, and of what keeps them.
    var unreadByteCount: Int { state.withLock { $0.unreadBytes } }

    /// The client's messages, in order, until the WebSocket ends. For one reader.
    package var incoming: Messages { Messages(connection: self) }

    /// Queues `text` behind what was sent before.
    ///
    /// - Returns: whether it was queued. It is not if the WebSocket ended or is being closed. It ends if too much waits.
    @discardableResult
    package func send(_ text: String) -> Bool { send(WebSocketText(text)) }

    /// Queues `text` behind what was sent before; as ``send(_:)-(String)``.
    @discardableResult
    package func send(_ text: WebSocketText) -> Bool { enqueue(text.frame) }

    /// Says goodbye: what was sent before goes out, then the code and the reason. Messages that still come are dropped.
    package func close(_ code: WebSocketCloseCode = .normal, reason: String = "") {
        close(code, reason: reason, end: .closedByServer(code))
    }

    /// The messages of a client. The socket receives no more while too many wait to be read.
    package struct Messages: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let connection: WebSocketConnection

        /// The sequence is its own iterator.
        package func makeAsyncIterator() -> Messages { self }

        /// The next message; `nil` once there will be none, or if the task was cancelled.
        package func next() async -> String? { await connection.nextMessage() }
    }
}

extension WebSocketConnection {
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

    func close(_ code: WebSocketCloseCode, reason: String, end: WebSocketEnd) {
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

    /// What a message that waits counts: its bytes, and what keeps them.
    static func cost(_ message: String) -> Int { message.utf8.count + 64 }

    typealias Reader = CheckedContinuation<String?, Never>
}

// For the loop.
extension WebSocketConnection {
    /// Hands over a message. Whether the socket is to stop receiving.
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

    /// Nothing more will come, nor go.
    func finish(_ end: WebSocketEnd) {
        state.withLock { state in
            state.isClosing = true
            return state.finish(end)
        }?.resume(returning: nil)
    }

    /// The frames that wait, and how the WebSocket ended, if it did.
    func takeQueue() -> (frames: [[UInt8]], isClosing: Bool, end: WebSocketEnd?) {
        state.withLock { state in
            defer { (state.queue, state.queuedBytes) = ([], 0) }
            state.isAnnounced = false
            state.backlog += state.queuedBytes
            return (state.queue, state.isClosing, state.end)
        }
    }

    /// So many bytes were taken and are not sent.
    func noteBacklog(_ count: Int) { state.withLock { $0.backlog = count } }
}

extension WebSocketConnection.State {
    /// Whether the loop is to be told that there is something to take.
    fileprivate mutating func announce() -> Bool {
        defer { isAnnounced = true }
        return !isAnnounced
    }

    /// Ends what is read, and gives back who waits for a message. The first end counts.
    fileprivate mutating func finish(_ end: WebSocketEnd) -> WebSocketConnection.Reader? {
        if self.end == nil { self.end = end }
        return reader.take()
    }
}
