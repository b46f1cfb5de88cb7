internal import TidelogWebSocket

/// A client's socket. Only the loop's thread uses it.
final class ServerSocket {
    /// The phase of a socket.
    enum Phase {
        /// The loop waits for a request or reads one.
        case reading
        /// The handler answers a request.
        case handling(Exchange)
        /// The service decides on an offer of a WebSocket.
        case deciding(Exchange, WebSocketHandshake)
        /// A response is being sent. After it, the socket is closed or the next request is read.
        case responding(closes: Bool)
        /// The socket carries a WebSocket.
        case open(WebSocketConnection)
        /// A close frame is being sent. The loop may still wait for the client's close frame.
        case closing(WebSocketConnection, awaitsClient: Bool)
        /// All output was sent. The loop drops what the client still sends, until the client closes the socket.
        case lingering
        /// The library closes the socket soon.
        case ended
    }

    /// A request, and the task that answers it.
    struct Exchange {
        let request: HTTPRequest
        let task: Task<Void, Never>
    }

    /// The part of a request that has arrived.
    enum Progress {
        case nothing
        case header
        case body
    }

    let id: SocketID
    let handle: OpaquePointer
    let remoteAddress: String
    let isSecure: Bool
    var phase = Phase.reading
    var parser: HTTPRequestParser
    var receiver: WebSocketReceiver
    var progress = Progress.nothing
    var output = OutputQueue()
    /// The value that the response holds until it was sent.
    var holding: (any Sendable)?
    /// The time when the current phase must be over; `nil` if there is no such time.
    var deadline: ContinuousClock.Instant?
    /// The last time when the socket accepted bytes; `nil` if no bytes wait to be sent.
    var lastSent: ContinuousClock.Instant?
    var lastReceived: ContinuousClock.Instant
    var hasAskedForSign = false
    /// Whether too many messages of the WebSocket wait for their reader.
    var isReaderBehind = false
    var isReceiving = true
    var hasReceived = false

    init(
        id: SocketID, handle: OpaquePointer, remoteAddress: String, isSecure: Bool, limits: ListenerLimits,
        now: ContinuousClock.Instant
    ) {
        self.id = id
        self.handle = handle
        self.remoteAddress = remoteAddress
        self.isSecure = isSecure
        parser = HTTPRequestParser(limits: limits)
        receiver = WebSocketReceiver(role: .server, maximumMessageBytes: limits.maximumMessageBytes)
        lastReceived = now
    }

    /// The WebSocket of this socket, if it has one.
    var webSocket: WebSocketConnection? {
        switch phase {
        case .open(let connection), .closing(let connection, _): connection
        default: nil
        }
    }

    /// A queue of bytes to send.
    struct OutputQueue {
        private var pieces: ArraySlice<[UInt8]> = []
        /// The number of bytes of the first piece that were already sent.
        private var offset = 0
        private(set) var count = 0

        var isEmpty: Bool { pieces.isEmpty }

        mutating func append(_ piece: [UInt8]) {
            guard !piece.isEmpty else { return }
            pieces.append(piece)
            count += piece.count
        }

        mutating func removeAll() { self = OutputQueue() }

        /// Calls `write` with the first bytes, at most as many as `room` can hold, and removes them from the queue. Small
        /// pieces are copied to `room`, so that one call sends them together.
        mutating func writeFirst(
            using room: UnsafeMutableRawBufferPointer, _ write: (UnsafeRawBufferPointer) -> Bool
        ) -> Bool {
            guard let first = pieces.first else { return true }
            if first.count - offset >= room.count || pieces.count == 1 {
                let taken = min(first.count - offset, room.count)
                let isWritten = first.withUnsafeBytes {
                    write(UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + taken)]))
                }
                drop(taken)
                return isWritten
            }
            var used = 0
            while used < room.count, let piece = pieces.first {
                let taken = min(piece.count - offset, room.count - used)
                piece.withUnsafeBytes { bytes in
                    UnsafeMutableRawBufferPointer(rebasing: room[used...]).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + taken)]))
                }
                used += taken
                drop(taken)
            }
            return write(UnsafeRawBufferPointer(rebasing: room[..<used]))
        }

        private mutating func drop(_ taken: Int) {
            count -= taken
            offset += taken
            guard let first = pieces.first, offset == first.count else { return }
            offset = 0
            pieces.removeFirst()
            if pieces.isEmpty { pieces = [] }
        }
    }
}
