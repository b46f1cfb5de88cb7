/// The answer to a request.
package struct HTTPResponse: Sendable {
    /// The status, 200 to 599.
    package var status: Int
    /// The header fields, without those that say where the body ends and what becomes of the socket.
    package var headers: HTTPHeaders
    /// The body. It is sent piece by piece, as the socket takes it.
    package var body: [UInt8]
    /// Something that is let go once the response was sent, or cannot be sent any more.
    package var holding: (any Sendable)?

    /// A response.
    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        precondition((200...599).contains(status), "a final status is 200 to 599")
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A response of plain text.
    package init(status: Int, text: String) {
        self.init(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
    }
}

extension HTTPResponse {
    /// How a response goes out.
    struct Framing {
        /// Whether the socket is closed behind it.
        var closes: Bool
        /// Whether the request was a HEAD, so that the body stays here.
        var omitsBody = false
        /// The minor version of HTTP/1 of the request.
        var minorVersion = 1
        /// The time as a header has it.
        var date: String
    }

    /// Status line and header, through the empty line.
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

    /// Whether a response of this status has a body, be it empty.
    var hasBody: Bool { status != 204 && status != 304 }

    private static func isReserved(_ name: String) -> Bool {
        ["content-length", "transfer-encoding", "connection", "date"].contains { name.isEqualIgnoringCase($0) }
    }

    /// `text` with blanks for control characters, so that no value can begin another field.
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
