internal import CCurl

/// A request with the part of its response that has arrived.
//
// Soundness of `@unchecked Sendable`: only the loop's thread uses the variables after the transfer was posted to the loop.
final class CurlTransfer: @unchecked Sendable {
    private static let maximumHeaderBytes = 256 << 10
    private let request: TransportRequest
    private let address: CurlAddress
    private let configuration: CurlTransport.Configuration
    private(set) var hasStarted = false
    private var headers: [String: String] = [:]
    private var headerByteCount = 0
    private var body: [UInt8] = []
    private var isTooLarge = false

    init(_ request: TransportRequest, _ address: CurlAddress, _ configuration: CurlTransport.Configuration) {
        self.request = request
        self.address = address
        self.configuration = configuration
    }

    /// A handle for the request. The transfer must live as long as the handle.
    func makeHandle() throws(TransportError) -> CurlHandle {
        hasStarted = true
        let handle = try CurlHandle(address, configuration)
        switch request.method {
        case "GET": handle.set(CURLOPT_HTTPGET, 1)
        case "HEAD": handle.set(CURLOPT_NOBODY, 1)
        case "POST":
            handle.set(CURLOPT_POST, 1)
            handle.set(body: request.body)
        default:
            handle.set(CURLOPT_CUSTOMREQUEST, request.method)
            if !request.body.isEmpty { handle.set(body: request.body) }
        }
        handle.set(headers: request.headers)
        // An empty text means every compression that this libcurl supports.
        handle.set(CURLOPT_ACCEPT_ENCODING, "")
        // If the server announces a longer body, the response is refused before it is received.
        handle.set(CURLOPT_MAXFILESIZE, configuration.maximumBodyBytes)
        handle.set(CURLOPT_TIMEOUT_MS, request.timeout.curlMilliseconds)
        // A server closes an idle connection after a while, so an old connection is probably closed.
        handle.set(CURLOPT_MAXAGE_CONN, 60)
        handle.set(
            write: { bytes, size, count, context in
                CurlTransfer.from(context).take(UnsafeRawBufferPointer(start: bytes, count: size * count))
            },
            header: { bytes, size, count, context in
                CurlTransfer.from(context).takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
            },
            context: Unmanaged.passUnretained(self).toOpaque())
        if !request.isRepeatable { handle.setSentOnce() }
        try handle.checkOptions()
        return handle
    }

    /// The response, or the failure for libcurl's `result`.
    func result(_ result: CURLcode, of handle: CurlHandle) -> Result<TransportResponse, TransportError> {
        if isTooLarge {
            let limit = configuration.maximumBodyBytes
            return .failure(TransportError(.tooLarge, "The response has more than \(limit) bytes."))
        }
        guard result == CURLE_OK else { return .failure(handle.failure(result)) }
        return .success(TransportResponse(status: handle.status, headers: headers, body: body))
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
        guard let context else { preconditionFailure("libcurl gives back the context") }
        return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Receives bytes of the body. If the result differs from their number, libcurl ends the transfer.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count <= configuration.maximumBodyBytes - body.count else {
            isTooLarge = true
            body = []
            return bytes.isEmpty ? 1 : 0
        }
        body.append(contentsOf: bytes)
        return bytes.count
    }

    private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        headerByteCount += bytes.count
        guard headerByteCount <= Self.maximumHeaderBytes else {
            isTooLarge = true
            return bytes.isEmpty ? 1 : 0
        }
        let line = String(decoding: bytes, as: UTF8.self)
        // A status line begins a new header, for example after an interim response.
        if line.hasPrefix("HTTP/") { headers = [:] }
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return bytes.count }
        let name = line[..<colon].lowercased()
        let value = String(line[line.index(after: colon)...].trimmingWhitespace)
        headers[name] = headers[name].map { "\($0), \(value)" } ?? value
        return bytes.count
    }
}

extension Substring {
    /// The text without whitespace at its start and end.
    fileprivate var trimmingWhitespace: Substring {
        var text = self
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}
