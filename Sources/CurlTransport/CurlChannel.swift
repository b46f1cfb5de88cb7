internal import TidelogSynchronization

/// The state of a WebSocket that its users and its thread share.
final class CurlChannel: Sendable {
    typealias Reader = CheckedContinuation<Result<String, TransportError>, Never>

    struct State {
        /// Messages that the thread has not taken.
        var outgoing: [String] = []
        /// Bytes of the messages in ``outgoing``.
        var outgoingBytes = 0
        /// Bytes that the thread took and has not sent.
        var backlog = 0
        /// The code and the reason with which the user closes.
        var goodbye: (code: UInt16, reason: String)?
        /// Whether no user is left. The thread then ends without sending a close frame.
        var isAbandoned = false
        /// The messages that wait to be read. The slice begins with the next one.
        var unread: ArraySlice<String> = []
        var unreadBytes = 0
        var isPaused = false
        var reader: Reader?
        /// The reason why no further message will come. It is set once.
        var end: TransportError?
        /// Whether the thread has ended.
        var isOver = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// The set of libcurl transfers with which the thread waits.
    let transfers: CurlMulti
    private let state = Mutex(State())
    private let maximumQueuedBytes: Int
    private let maximumUnreadBytes: Int

    init?(_ configuration: CurlTransport.Configuration) {
        guard let transfers = CurlMulti() else { return nil }
        self.transfers = transfers
        maximumQueuedBytes = configuration.maximumQueuedBytes
        maximumUnreadBytes = configuration.maximumMessageBytes
    }
}

// For the users.
extension CurlChannel {
    /// Makes the thread end soon.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        transfers.wake()
    }

    func send(_ text: String) throws(TransportError) {
        let failure = state.withLock { state -> TransportError? in
            if let end = state.end { return end }
            let count = text.utf8.count
            guard count <= maximumQueuedBytes - state.outgoingBytes - state.backlog else {
                return TransportError(.tooLarge, "More than \(maximumQueuedBytes) bytes wait to be sent.")
            }
            state.outgoing.append(text)
            state.outgoingBytes += count
            return nil
        }
        if let failure { throw failure }
        transfers.wake()
    }

    /// The next message.
    func receive() async throws(TransportError) -> String {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Reader) in
                let (result, wakes) = state.withLock { state -> (Result<String, TransportError>?, Bool) in
                    if let message = state.unread.popFirst() {
                        state.unreadBytes -= Self.cost(message)
                        let resumes = state.isPaused && state.unreadBytes <= maximumUnreadBytes / 4
                        if resumes { state.isPaused = false }
                        return (.success(message), resumes)
                    }
                    if let end = state.end { return (.failure(end), false) }
                    if Task.isCancelled { return (.failure(.cancelled), false) }
                    precondition(state.reader == nil, "only one task at a time may wait for a message")
                    state.reader = continuation
                    return (nil, false)
                }
                if let result { continuation.resume(returning: result) }
                if wakes { transfers.wake() }
            }
        } onCancel: {
            state.withLock { $0.reader.take() }?.resume(returning: .failure(.cancelled))
        }
        return try result.get()
    }

    /// Closes, and returns when the thread has ended.
    func close(code: UInt16, reason: String) async {
        await withCheckedContinuation { continuation in
            let (isOver, reader) = state.withLock { state -> (Bool, Reader?) in
                if state.goodbye == nil { state.goodbye = (code, reason) }
                if state.end == nil { state.end = TransportError(.closed, "The WebSocket was closed here.") }
                if !state.isOver { state.closers.append(continuation) }
                return (state.isOver, state.reader.take())
            }
            reader?.resume(returning: .failure(TransportError(.closed, "The WebSocket was closed here.")))
            if isOver { continuation.resume() }
            transfers.wake()
        }
    }

    /// The number of bytes that a waiting message counts: its own bytes, and an allowance for the memory around them.
    static func cost(_ message: String) -> Int { message.utf8.count + 64 }
}

// For the thread.
extension CurlChannel {
    /// The tasks of the thread.
    struct Work {
        var messages: [String] = []
        var goodbye: (code: UInt16, reason: String)?
        var isAbandoned = false
        var isPaused = false
    }

    /// Takes the tasks, and records how many bytes wait in the thread.
    func takeWork(backlog: Int) -> Work {
        state.withLock { state in
            defer { state.outgoing = [] }
            state.backlog = backlog + state.outgoingBytes
            state.outgoingBytes = 0
            return Work(
                messages: state.outgoing, goodbye: state.goodbye, isAbandoned: state.isAbandoned,
                isPaused: state.isPaused)
        }
    }

    /// Records how many bytes wait in the thread.
    func note(backlog: Int) { state.withLock { $0.backlog = backlog } }

    /// Passes a message to the users.
    func deliver(_ message: String) {
        let reader = state.withLock { state -> Reader? in
            guard state.end == nil else { return nil }
            if let reader = state.reader.take() { return reader }
            state.unread.append(message)
            state.unreadBytes += Self.cost(message)
            state.isPaused = state.unreadBytes > maximumUnreadBytes
            return nil
        }
        reader?.resume(returning: .success(message))
    }

    /// Ends the messages. Only the first reason is kept.
    func finish(_ end: TransportError) {
        let reader = state.withLock { state -> Reader? in
            if state.end == nil { state.end = end }
            return state.reader.take()
        }
        reader?.resume(returning: .failure(end))
    }

    /// Marks the thread as ended.
    func endThread() {
        let closers = state.withLock { state in
            state.isOver = true
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }
}
