internal import TidelogWebSocket

/// A client's socket, as the loop's thread sees it.
final class ServerSocket {
    /// What a socket is at.
    enum Phase {
        /// A request is awaited, or on its way.
        case reading
        /// The handler is at work on a request.
        case handling(Exchange)
        /// The service decides on a WebSocket.
        case deciding(Exchange, WebSocketHandshake)
        /// An answer goes out. Behind it, the socket is closed or the next request is read.
        case responding(closes: Bool)
        /// A WebSocket.
        case open(WebSocketConnection)
        /// A close frame goes out; the client's may still be awaited.
        case closing(WebSocketConnection, awaitsClient: Bool)
        /// All is said: what the client still sends is dropped until it closes too.
        case lingering
        /// To be closed as soon as the library gets to it.
        case ended
    }

    /// A request that is being answered.
    struct Exchange {
        let request: HTTPRequest
        let task: Task<Void, Never>
    }

    /// How much of a request has come.
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
    /// What the response that is being sent holds.
    var holding: (any Sendable)?
    /// When something has to have happened, by phase; `nil` if there is time.
    var deadline: ContinuousClock.Instant?
    /// When the socket last took bytes, if some wait.
    var lastSent: ContinuousClock.Instant?
    var lastReceived: ContinuousClock.Instant
    var hasAskedForSign = false
    /// Whether the reader of a WebSocket lags.
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

    /// The WebSocket that the socket carries.
    var webSocket: WebSocketConnection? {
        switch phase {
        case .open(let connection), .closing(let connection, _): connection
        default: nil
        }
    }
}
