internal import CCurl
internal import TidelogCore

/// An HTTP service that decides conflicts. The case is sent to the URL as JSON by POST, and the response is the verdict as
/// JSON.
///
/// Certificates are checked. Redirects are not followed, no proxy is used, and only a status from 200 to 299 counts as success.
package struct ConflictURL: Sendable {
    private static let gate = Gate(width: 32)
    private let url: String

    /// Makes a conflict service from its URL.
    ///
    /// - Throws: ``ServiceOptions.ConflictSettingError`` if the URL does not have the scheme `http` or `https` and a host.
    package init(url: String) throws(ServiceOptions.ConflictSettingError) {
        guard CurlTransfer.isUsable(url) else {
            throw ServiceOptions.ConflictSettingError("custom:\(url) is no URL with http or https and a host.")
        }
        self.url = url
    }

    /// Sends the conflict to the service and returns its verdict. At most 32 requests run at once; further calls wait.
    package func verdict(on conflict: ConflictCase) async throws -> ConflictCase.Verdict {
        let body = conflict.json
        try await Self.gate.enter()
        defer { Self.gate.leave() }
        let response = try await BlockingWork.run { [url] cancellation in
            try CurlTransfer(cancellation).post(body, to: url)
        }
        return try ConflictCase.Verdict(json: response)
    }
}

/// One HTTP request, made on one thread.
private final class CurlTransfer {
    /// The limit of the response in bytes. A longer response is refused.
    private static let responseLimit = 1 << 20
    /// Whether libcurl is initialised. Each use checks this first.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let cancellation: BlockingWork.Cancellation
    private var response: [UInt8] = []

    init(_ cancellation: BlockingWork.Cancellation) { self.cancellation = cancellation }

    /// Whether `url` has a host and the scheme `http` or `https`.
    static func isUsable(_ url: String) -> Bool {
        guard isReady, let parts = curl_url() else { return false }
        defer { curl_url_cleanup(parts) }
        guard curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK else { return false }
        guard let scheme = part(CURLUPART_SCHEME, of: parts), let host = part(CURLUPART_HOST, of: parts) else {
            return false
        }
        return (scheme == "http" || scheme == "https") && !host.isEmpty
    }

    private static func part(_ name: CURLUPart, of parts: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(parts, name, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    func post(_ body: [UInt8], to url: String) throws -> [UInt8] {
        guard Self.isReady, let handle = curl_easy_init() else {
            throw ConflictCase.Failure("no HTTP client can be made")
        }
        defer { curl_easy_cleanup(handle) }
        var headers: UnsafeMutablePointer<curl_slist>?
        // Without an empty Expect header, libcurl would wait for the server's consent before it sends the body.
        for header in ["Content-Type: application/json", "Accept: application/json", "Expect:"] {
            headers = curl_slist_append(headers, header)
        }
        defer { curl_slist_free_all(headers) }
        let isSetUp = setUp(handle, url, headers)
        return try body.withUnsafeBytes { bytes in
            guard isSetUp, tidelog_curl_set_body(handle, bytes.baseAddress, curl_off_t(bytes.count)) == CURLE_OK else {
                throw ConflictCase.Failure("the HTTP client cannot be set up")
            }
            return try perform(handle)
        }
    }

    private func setUp(_ handle: UnsafeMutableRawPointer, _ url: String, _ headers: UnsafeMutablePointer<curl_slist>?)
        -> Bool
    {
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_POST, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_NOSIGNAL, 1), (CURLOPT_SSL_VERIFYPEER, 1),
            (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_CONNECTTIMEOUT_MS, 10_000), (CURLOPT_TIMEOUT_MS, 60_000),
            (CURLOPT_MAXFILESIZE, Self.responseLimit),
        ]
        let texts = [
            (CURLOPT_URL, url), (CURLOPT_PROTOCOLS_STR, "http,https"), (CURLOPT_PROXY, ""),
            (CURLOPT_USERAGENT, "tidelog"),
        ]
        let context = Unmanaged.passUnretained(self).toOpaque()
        return numbers.allSatisfy { tidelog_curl_set_number(handle, $0.0, $0.1) == CURLE_OK }
            && texts.allSatisfy { tidelog_curl_set_text(handle, $0.0, $0.1) == CURLE_OK }
            && tidelog_curl_set_headers(handle, headers) == CURLE_OK
            && tidelog_curl_set_callbacks(handle, receive, goOn, context) == CURLE_OK
    }

    private func perform(_ handle: UnsafeMutableRawPointer) throws -> [UInt8] {
        let code = curl_easy_perform(handle)
        if cancellation.isCancelled { throw CancellationError() }
        guard code == CURLE_OK else {
            throw ConflictCase.Failure("the URL did not answer: \(String(cString: curl_easy_strerror(code)))")
        }
        var status = 0
        guard tidelog_curl_status(handle, &status) == CURLE_OK, (200..<300).contains(status) else {
            throw ConflictCase.Failure("the URL answered with status \(status)")
        }
        return response
    }

    /// Adds received bytes to the response. Returns false if the transfer must stop because the response is too long.
    fileprivate func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard response.count + bytes.count <= Self.responseLimit else { return false }
        response += bytes
        return true
    }

    fileprivate var isCancelled: Bool { cancellation.isCancelled }
}

private func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context, let bytes else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.take(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

private func goOn(
    _ context: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _: curl_off_t, _: curl_off_t
) -> Int32 {
    guard let context else { return 1 }
    return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
}
