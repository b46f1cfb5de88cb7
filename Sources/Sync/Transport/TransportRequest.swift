#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A request of HTTP.
public struct TransportRequest: Sendable, Hashable {
    /// The address, with the scheme `https` or `http`.
    public var url: URL
    /// The method: `GET`, `POST`.
    public var method: String
    /// The values of header fields by their names.
    public var headers: [String: String]
    /// The body.
    public var body: [UInt8]
    /// How long the request may take from the connection to the last byte of the response.
    public var timeout: Duration

    /// A request.
    public init(
        _ method: String = "POST", _ url: URL, headers: [String: String] = [:], body: [UInt8] = [],
        timeout: Duration = .seconds(60)
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

/// A response of HTTP.
public struct TransportResponse: Sendable, Hashable {
    /// The status: 200, 401.
    public var status: Int
    /// The values of header fields by their names in lower case. A comma separates the values of fields of one name.
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
    /// The subprotocols that the client offers, the best one first.
    public var subprotocols: [String]
    /// The values of more header fields by their names.
    public var headers: [String: String]
    /// How long the connection and the handshake may take.
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
