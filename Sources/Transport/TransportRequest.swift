public import TidelogFoundation

/// An HTTP request.
public struct TransportRequest: Sendable, Hashable {
    /// The address, with the scheme `https` or `http`.
    public var url: URL
    /// The method, for example `GET` or `POST`.
    public var method: String
    /// The values of header fields by their names.
    public var headers: [String: String]
    /// The body.
    public var body: [UInt8]
    /// The longest time of the request, from the connection to the last byte of the response.
    public var timeout: Duration
    /// Whether the transport itself may send the request again, because a repetition changes nothing on the server.
    ///
    /// A server can carry out a request and then close the connection without an answer. If this is false, the transport
    /// then reports a failure, and its caller decides how to find out whether the request had an effect.
    public var isRepeatable: Bool

    /// A request.
    ///
    /// - Parameter isRepeatable: Whether the transport itself may send the request again. The default follows the method:
    ///   true for `GET`, `HEAD` and `OPTIONS`.
    public init(
        _ method: String = "POST", _ url: URL, headers: [String: String] = [:], body: [UInt8] = [],
        timeout: Duration = .seconds(60), isRepeatable: Bool? = nil
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.isRepeatable = isRepeatable ?? ["GET", "HEAD", "OPTIONS"].contains(method)
    }
}

/// An HTTP response.
public struct TransportResponse: Sendable, Hashable {
    /// The status, for example 200 or 401.
    public var status: Int
    /// The values of header fields by their names in lower case. Values of fields with the same name are separated by a comma.
    public var headers: [String: String]
    /// The body after decompression.
    public var body: [UInt8]

    /// A response.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// A request for a WebSocket.
public struct WebSocketRequest: Sendable, Hashable {
    /// The address, with the scheme `wss`, `ws`, `https` or `http`.
    public var url: URL
    /// The subprotocols that the client offers. The preferred one is the first.
    public var subprotocols: [String]
    /// The values of additional header fields by their names.
    public var headers: [String: String]
    /// The longest time of the connection and the handshake.
    public var timeout: Duration

    /// A request for a WebSocket.
    public init(
        _ url: URL, subprotocols: [String] = [], headers: [String: String] = [:], timeout: Duration = .seconds(30)
    ) {
        self.url = url
        self.subprotocols = subprotocols
        self.headers = headers
        self.timeout = timeout
    }
}
