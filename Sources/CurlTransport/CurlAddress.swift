internal import CCurl
internal import TidelogFoundation

/// A URL as libcurl parses it. The same parser decides about plain HTTP and makes the connection.
struct CurlAddress: Sendable, Equatable {
    /// The URL with the scheme `http` or `https`.
    let url: String
    /// The host in lower case.
    let host: String
    /// The host, with the port if the address gives one.
    let authority: String
    /// The path and the query.
    let target: String
    /// Whether the connection has no TLS.
    let isPlain: Bool

    init(_ url: URL, allowsPlainHTTP: Bool) throws(TransportError) {
        guard CurlTransport.isLibraryReady, let parts = curl_url() else {
            throw TransportError(.unusableRequest, "libcurl cannot be set up.")
        }
        defer { curl_url_cleanup(parts) }
        let text = url.absoluteString
        guard let colon = text.firstIndex(of: ":"), let scheme = Self.schemes[text[..<colon].lowercased()] else {
            throw TransportError(.unusableRequest, "The address has no scheme of HTTP or of WebSockets.")
        }
        guard curl_url_set(parts, CURLUPART_URL, scheme + text[colon...], 0) == CURLUE_OK,
            let host = Self.part(CURLUPART_HOST, of: parts)?.lowercased(), !host.isEmpty
        else { throw TransportError(.unusableRequest, "The address is no URL with a host.") }
        guard Self.part(CURLUPART_USER, of: parts) == nil, Self.part(CURLUPART_PASSWORD, of: parts) == nil else {
            throw TransportError(.unusableRequest, "The address has a user or a password.")
        }
        guard curl_url_set(parts, CURLUPART_FRAGMENT, nil, 0) == CURLUE_OK,
            let whole = Self.part(CURLUPART_URL, of: parts)
        else { throw TransportError(.unusableRequest, "The address is no URL with a host.") }
        isPlain = scheme == "http"
        guard !isPlain || allowsPlainHTTP || Loopback.contains(host) else {
            throw TransportError(
                .unusableRequest, "The address has no TLS and is not on this computer. Use https, or allow plain HTTP.")
        }
        self.url = whole
        self.host = host
        authority = Self.part(CURLUPART_PORT, of: parts).map { "\(host):\($0)" } ?? host
        let query = Self.part(CURLUPART_QUERY, of: parts).map { "?\($0)" } ?? ""
        target = (Self.part(CURLUPART_PATH, of: parts) ?? "/") + query
    }

    private static let schemes = ["https": "https", "wss": "https", "http": "http", "ws": "http"]

    private static func part(_ name: CURLUPart, of parts: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(parts, name, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
