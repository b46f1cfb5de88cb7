internal import CCurl
internal import TidelogWebSocket

/// A handle of libcurl, with the memory that it points to. Only one thread uses it.
final class CurlHandle {
    let pointer: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var isSetUp = true
    private var sendCount = 0
    /// Whether libcurl was kept from sending a request again that is sent at most once.
    private var wasRepetitionRefused = false

    /// A handle for `address`.
    init(_ address: CurlAddress, _ configuration: CurlTransport.Configuration) throws(TransportError) {
        guard let pointer = curl_easy_init() else {
            throw TransportError(.unusableRequest, "libcurl cannot be set up.")
        }
        self.pointer = pointer
        errorText = .allocate(capacity: Int(tidelog_curl_error_size))
        errorText.initialize(repeating: 0, count: Int(tidelog_curl_error_size))
        isSetUp = tidelog_curl_set_error_buffer(pointer, errorText) == CURLE_OK
        set(CURLOPT_URL, address.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_USERAGENT, "tidelog")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.curlMilliseconds)
        if let file = configuration.trustedCertificates {
            set(CURLOPT_CAINFO, file)
            set(CURLOPT_CAPATH, nil)
        }
        // A proxy that the environment names must not see requests that stay on this computer.
        if Loopback.contains(address.host) { set(CURLOPT_PROXY, "") }
    }

    deinit {
        curl_easy_cleanup(pointer)
        curl_slist_free_all(headers)
        errorText.deallocate()
    }

    func set(_ option: CURLoption, _ value: Int) {
        isSetUp = tidelog_curl_set_number(pointer, option, value) == CURLE_OK && isSetUp
    }

    func set(_ option: CURLoption, _ value: String?) {
        isSetUp = tidelog_curl_set_text(pointer, option, value) == CURLE_OK && isSetUp
    }

    func set(body: [UInt8]) {
        let code = body.withUnsafeBytes { bytes in
            tidelog_curl_copy_body(pointer, bytes.baseAddress, curl_off_t(bytes.count))
        }
        isSetUp = code == CURLE_OK && isSetUp
    }

    func set(headers fields: [String: String]) {
        for (name, value) in fields {
            // A field without a value must end with a semicolon, because libcurl removes a field that ends with a colon.
            headers = curl_slist_append(headers, value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        // Without this empty field, the body would wait for the server's consent.
        headers = curl_slist_append(headers, "Expect:")
        isSetUp = tidelog_curl_set_headers(pointer, headers) == CURLE_OK && isSetUp
    }

    func set(
        write: @escaping @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int,
        header: @escaping @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int,
        context: UnsafeMutableRawPointer
    ) {
        isSetUp = tidelog_curl_set_receivers(pointer, write, header, context) == CURLE_OK && isSetUp
    }

    /// Makes libcurl send the request at most once.
    ///
    /// If a reused connection ends without a byte of an answer, libcurl supposes that the server had closed it before, and
    /// sends the request again. But the server may have carried out the request. libcurl has no option against this, so the
    /// handle counts how often libcurl is about to send.
    func setSentOnce() {
        let code = tidelog_curl_set_preparation(
            pointer,
            { context, _, _, _, _ in
                guard let context else { preconditionFailure("libcurl gives back the context") }
                let handle = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
                return handle.maySend() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }, Unmanaged.passUnretained(self).toOpaque())
        isSetUp = code == CURLE_OK && isSetUp
    }

    /// Whether libcurl may send the request now. A repetition is allowed only if no connection has taken a byte of the request.
    private func maySend() -> Bool {
        sendCount += 1
        guard sendCount > 1 else { return true }
        var count = 0
        let isUnsent = tidelog_curl_sent_bytes(pointer, &count) == CURLE_OK && count == 0
        wasRepetitionRefused = !isUnsent
        return isUnsent
    }

    /// Fails if an option was refused.
    func checkOptions() throws(TransportError) {
        guard isSetUp else { throw TransportError(.unusableRequest, "libcurl refuses an option of the request.") }
    }

    /// Checks that header fields can be sent as they are.
    static func check(_ fields: [String: String]) throws(TransportError) {
        for (name, value) in fields {
            guard HTTPToken.isValid(name), value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw TransportError(.unusableRequest, "A header field has a character that may not be sent.")
            }
        }
    }

    var status: Int {
        var status = 0
        return tidelog_curl_status(pointer, &status) == CURLE_OK ? status : 0
    }

    /// The failure for libcurl's `result`.
    func failure(_ result: CURLcode) -> TransportError {
        if wasRepetitionRefused {
            return TransportError(.closed, "The connection ended after the request was sent and before its response.")
        }
        let detail = String(cString: errorText)
        let message = detail.isEmpty ? String(cString: curl_easy_strerror(result)) : detail
        return TransportError(Self.code(result), message + (message.hasSuffix(".") ? "" : "."))
    }

    private static func code(_ result: CURLcode) -> TransportError.Code {
        switch result {
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            .tls
        case CURLE_FILESIZE_EXCEEDED: .tooLarge
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            .closed
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_UNSUPPORTED_PROTOCOL, CURLE_WRITE_ERROR:
            .malformed
        case CURLE_URL_MALFORMAT, CURLE_FAILED_INIT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION:
            .unusableRequest
        default: .unreachable
        }
    }
}

extension Duration {
    /// The number of whole milliseconds for libcurl; at least one.
    var curlMilliseconds: Int {
        let (seconds, attoseconds) = components
        let milliseconds = min(max(seconds, 0), 2_000_000) * 1_000 + attoseconds / 1_000_000_000_000_000
        return Int(max(1, milliseconds))
    }
}
