internal import CCurl
internal import TidelogCore
internal import TidelogFoundation
@_exported public import TidelogTransport

/// A transport that uses libcurl.
///
/// All requests share one thread and a set of connections. Each WebSocket has its own thread. Bodies are accepted in every
/// compression that libcurl supports. Certificates are always checked. A request without TLS goes only to `localhost`,
/// 127.0.0.0/8 and `::1`, unless the configuration allows more.
public final class CurlTransport: Transport {
    /// The limits of a transport, and the certificates that it trusts.
    public struct Configuration: Sendable {
        /// A PEM file with the trusted certificates, which replace the system's. With `nil`, the system's certificates are
        /// used.
        public var trustedCertificates: String?
        /// Whether requests without TLS may go to other computers. Anyone on the network path can read and change such
        /// requests.
        public var allowsPlainHTTP = false
        /// The largest size of a response's body after decompression, in bytes.
        public var maximumBodyBytes = 16 << 20
        /// The largest size of a WebSocket message, in bytes.
        public var maximumMessageBytes = 16 << 20
        /// The largest number of bytes that may wait in a WebSocket until they are sent.
        public var maximumQueuedBytes = 16 << 20
        /// The longest time to make a connection, including TLS.
        public var connectTimeout = Duration.seconds(15)
        /// The time without a byte from the server after which a WebSocket ends. After half of this time the server is sent a
        /// ping.
        public var silenceTime = Duration.seconds(120)

        /// The configuration for general use.
        public init() {}
    }

    private let configuration: Configuration
    private let loop: CurlLoop?

    /// Makes a transport with its own connections.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        loop = CurlLoop.start()
    }

    deinit { loop?.post(.stop) }

    /// Sends one request and returns the whole response.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard let loop else { throw TransportError(.unusableRequest, "The system has no thread to give.") }
        let transfer = CurlTransfer(
            request, try CurlAddress(request.url, allowsPlainHTTP: configuration.allowsPlainHTTP), configuration)
        try CurlHandle.check(request.headers)
        guard !Task.isCancelled else { throw .cancelled }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in loop.post(.start(transfer, continuation)) }
        } onCancel: {
            loop.post(.cancel(transfer))
        }
        return try result.get()
    }

    /// Opens a WebSocket.
    public func openWebSocket(_ request: WebSocketRequest) async throws(TransportError) -> any TransportWebSocket {
        let address = try CurlAddress(request.url, allowsPlainHTTP: configuration.allowsPlainHTTP)
        try CurlHandle.check(request.headers)
        guard !Task.isCancelled else { throw .cancelled }
        guard let channel = CurlChannel(configuration) else {
            throw TransportError(.unusableRequest, "libcurl cannot be set up.")
        }
        let configuration = configuration
        let result: Result<String?, TransportError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let status = DetachedThread.start(stackByteCount: 1 << 20) {
                    CurlSocket(channel, address, request, configuration).run(opened: continuation)
                }
                if status != 0 {
                    let error = TransportError(.unusableRequest, "The system has no thread to give.")
                    continuation.resume(returning: .failure(error))
                }
            }
        } onCancel: {
            channel.abandon()
        }
        return CurlWebSocket(channel, subprotocol: try result.get())
    }
}

extension CurlTransport {
    /// Whether libcurl is ready. The first access sets up the state that libcurl keeps for the whole process.
    static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
