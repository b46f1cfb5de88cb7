/// An HTTP response.
package struct HTTPResponse: Sendable {
    /// The status, 200 to 599.
    package var status: Int
    /// The header fields, without those for the length of the body and for the connection.
    package var headers: HTTPHeaders
    /// The body. The loop sends it in pieces, as fast as the socket accepts them.
    package var body: [UInt8]
    /// A value that is released when the response was sent or can no longer be sent.
    package var holding: (any Sendable)?

    /// Makes a response.
    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        precondition((200...599).contains(status), "a final status is 200 to 599")
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Makes a response with plain text.
    package init(status: Int, text: String) {
        self.init(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
    }

    /// The framing of a response on its socket.
    struct Framing {
        /// Whether the socket is closed after the response.
        var closes: Bool
        /// Whether the body is left out because the request was a HEAD.
        var omitsBody = false
        /// The minor version of HTTP/1 in the request.
        var minorVersion = 1
        /// The current time in the format of a header field.
        var date: String
    }

    /// The status line and the header, including the empty line at the end.
    func head(_ framing: Framing) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\nDate: \(framing.date)\r\n"
        for field in headers.fields where !Self.isReserved(field.name) {
            text += "\(Self.cleaned(field.name)): \(Self.cleaned(field.value))\r\n"
        }
        if hasBody { text += "Content-Length: \(body.count)\r\n" }
        if framing.closes {
            text += "Connection: close\r\n"
        } else if framing.minorVersion == 0 {
            text += "Connection: keep-alive\r\n"
        }
        return Array((text + "\r\n").utf8)
    }

    /// Whether a response with this status has a body, which may be empty.
    var hasBody: Bool { status != 204 && status != 304 }

    private static func isReserved(_ name: String) -> Bool {
        ["content-length", "transfer-encoding", "connection", "date"].contains { name.isEqualIgnoringCase($0) }
    }

    /// `text` with a blank for each control character, so that no value can begin another field.
    private static func cleaned(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
        return String(decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}
