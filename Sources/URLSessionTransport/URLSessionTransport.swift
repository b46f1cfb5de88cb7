internal import TidelogFoundation
public import TidelogTransport

#if !canImport(Darwin)
    internal import Foundation
    internal import FoundationNetworking
#endif

/// A transport that uses `URLSession`, as on systems without libcurl. The system decides about
/// TLS, certificates and proxies.
///
/// A request without TLS goes only to `localhost`, 127.0.0.0/8 and `::1`, unless the configuration allows more.
public final class URLSessionTransport: Transport {
    /// The limits of a transport.
    public struct Configuration: Sendable {
        /// Whether requests without TLS may go to other computers. Anyone on the network path can read and change such
        /// requests. On Apple's systems, App Transport Security must allow them too.
        public var allowsPlainHTTP = false
        /// The largest size of a response's body after decompression, in bytes.
        public var maximumBodyBytes = 16 << 20
        /// The largest size of a WebSocket message, in bytes.
        public var maximumMessageBytes = 16 << 20
        /// The time without a byte from the server after which a WebSocket ends. After half of this time the server is sent a
        /// ping.
        public var silenceTime = Duration.seconds(120)

        /// The configuration for general use.
        public init() {}
    }

    private let configuration: Configuration
    private let session: URLSession
    private let calls = URLSessionCalls()

    /// Makes a transport with its own connections. It keeps no cookies and no responses.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        let settings = URLSessionConfiguration.ephemeral
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.urlCache = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: settings, delegate: calls, delegateQueue: nil)
    }

    // A session keeps its delegate until it is invalidated. WebSockets that are open stay open.
    deinit { session.finishTasksAndInvalidate() }

    /// Sends one request and returns the whole response.
    ///
    /// `URLSession` itself sends a request again if a reused connection ends without an answer, but only if its method is one
    /// that changes nothing. A request with another method that may be repeated is sent again here.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        do {
            return try await sendOnce(request)
        } catch  where error.code == .closed && request.isRepeatable && !Task.isCancelled {
            return try await sendOnce(request)
        }
    }

    private func sendOnce(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var sent = URLRequest(
            url: try URLSessionAddress.checked(request.url, allowsPlainHTTP: configuration.allowsPlainHTTP))
        sent.httpMethod = request.method
        sent.timeoutInterval = request.timeout.seconds
        try sent.setHeaders(request.headers)
        if !request.body.isEmpty { sent.httpBody = Data(request.body) }
        let call = URLSessionCall(session.dataTask(with: sent), maximumBodyBytes: configuration.maximumBodyBytes)
        return try await calls.run(call, timeout: request.timeout)
    }

    /// Opens a WebSocket.
    public func openWebSocket(_ request: WebSocketRequest) async throws(TransportError) -> any TransportWebSocket {
        var sent = URLRequest(
            url: try URLSessionAddress.checked(
                request.url, allowsPlainHTTP: configuration.allowsPlainHTTP, isWebSocket: true))
        // This is the longest time without a byte, also of the open WebSocket.
        sent.timeoutInterval = configuration.silenceTime.seconds
        try sent.setHeaders(request.headers)
        if !request.subprotocols.isEmpty {
            sent.setValue(request.subprotocols.joined(separator: ", "), forHTTPHeaderField: "Sec-WebSocket-Protocol")
        }
        let task = session.webSocketTask(with: sent)
        task.maximumMessageSize = configuration.maximumMessageBytes
        let call = URLSessionCall(task, maximumBodyBytes: 0)
        let opened = try await calls.run(call, timeout: request.timeout)
        return URLSessionWebSocket(
            task, subprotocol: opened.headers[URLSessionCalls.subprotocolName], silenceTime: configuration.silenceTime)
    }
}

/// The addresses that the transport accepts.
enum URLSessionAddress {
    private static let schemes = ["https": "https", "wss": "https", "http": "http", "ws": "http"]
    private static let webSocketSchemes = ["https": "wss", "http": "ws"]

    /// Checks `url`, and gives it the scheme that `URLSession` expects.
    static func checked(
        _ url: URL, allowsPlainHTTP: Bool, isWebSocket: Bool = false
    ) throws(TransportError) -> URL {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme.flatMap({ schemes[$0.lowercased()] })
        else { throw TransportError(.unusableRequest, "The address has no scheme of HTTP or of WebSockets.") }
        guard let host = parts.host?.lowercased(), !host.isEmpty else {
            throw TransportError(.unusableRequest, "The address is no URL with a host.")
        }
        guard parts.user == nil, parts.password == nil else {
            throw TransportError(.unusableRequest, "The address has a user or a password.")
        }
        guard scheme == "https" || allowsPlainHTTP || Loopback.contains(host) else {
            throw TransportError(
                .unusableRequest, "The address has no TLS and is not on this computer. Use https, or allow plain HTTP.")
        }
        parts.scheme = isWebSocket ? webSocketSchemes[scheme] : scheme
        parts.fragment = nil
        guard let checked = parts.url else {
            throw TransportError(.unusableRequest, "The address is no URL with a host.")
        }
        return checked
    }
}

extension URLRequest {
    /// - Throws: `unusableRequest` if a name or a value has a character that ends a line.
    fileprivate mutating func setHeaders(_ headers: [String: String]) throws(TransportError) {
        for (name, value) in headers {
            let isUsable =
                !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
                && !value.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
            guard isUsable else {
                throw TransportError(.unusableRequest, "The header field \(name) has a character that is not allowed.")
            }
            setValue(value, forHTTPHeaderField: name)
        }
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
