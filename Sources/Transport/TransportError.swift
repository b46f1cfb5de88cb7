/// The reason why a request has no response, or why a WebSocket did not open or has ended.
public struct TransportError: Error, Sendable, Hashable {
    /// The kinds of failure. New kinds may be added, so branch with a `default`.
    public enum Code: String, Sendable, Hashable {
        /// The host name has no address, or no connection was possible.
        case unreachable
        /// The other side took too long.
        case timedOut
        /// The other side's certificate or its TLS is not acceptable.
        case tls
        /// The response or a message is longer than the limit, or too many bytes wait to be sent.
        case tooLarge
        /// The connection ended before the response was whole, or the WebSocket was closed.
        case closed
        /// The response is not HTTP, or a message breaks the protocol of WebSockets.
        case malformed
        /// The server answered the request for a WebSocket with an HTTP status.
        case refused
        /// The request itself is not usable, or it goes to another computer without TLS.
        case unusableRequest
        /// The task was cancelled.
        case cancelled
    }

    /// The kind of the failure.
    public let code: Code
    /// A description of the failure, as a sentence.
    public let message: String
    /// The code with which the server closed the WebSocket.
    public let closeCode: UInt16?
    /// The status with which the server refused the WebSocket.
    public let status: Int?
    /// The value of the header field `x-amzn-errortype` in the response with ``status``. Without it, a firewall or a proxy may
    /// have refused the WebSocket in place of the server.
    public let errorType: String?

    /// A failure of kind `code`.
    public init(
        _ code: Code, _ message: String, closeCode: UInt16? = nil, status: Int? = nil, errorType: String? = nil
    ) {
        self.code = code
        self.message = message
        self.closeCode = closeCode
        self.status = status
        self.errorType = errorType
    }
}

extension TransportError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension TransportError {
    package static let cancelled = TransportError(.cancelled, "The task was cancelled.")
}
