/// Parses requests from the bytes of one socket: RFC 9112.
///
/// The parser is strict. If two programs read the same bytes differently, one client can send requests in the name of another.
///
/// The parser does no input or output: it gets bytes and returns requests, one at a time. It keeps the unread bytes, and less
/// than ``keptByteCount`` bytes that were read.
struct HTTPRequestParser {
    /// The result of one parser step.
    enum Step {
        /// The request is not complete.
        case incomplete
        /// The header of a request with a body is complete. The parser reads the body after a call of ``admit(_:)``.
        case header(HTTPRequest, awaitsContinue: Bool)
        /// A complete request.
        case request(HTTPRequest)
        /// The bytes are refused, and all bytes after them too, because the beginning of the next request is unknown.
        case refused(HTTPRefusal)
    }

    enum State {
        case header
        /// A header is complete, and its body was not admitted yet.
        case admission(HTTPHead)
        case body(HTTPRequest, remaining: Int)
        case chunks(HTTPRequest, ChunkedBody)
        case refused(HTTPRefusal)
    }

    /// The limit of read bytes that may stay in the buffer. The parser does not remove bytes more often, because each removal
    /// moves all later bytes.
    static let keptByteCount = 16 << 10

    /// The first bytes of each TLS handshake: the type of the record, and the upper half of its version.
    private static let tlsHandshake: [UInt8] = [0x16, 0x03]

    let limits: ListenerLimits
    var state = State.header
    /// The bytes from ``start`` on are not part of a request yet.
    var buffer: [UInt8] = []
    var start = 0
    /// The position up to which the parser has searched the header, and the position of the header's last line.
    private var scanned = 0
    private var lineStart = 0
    private var hasRequestLine = false

    init(limits: ListenerLimits) { self.limits = limits }

    /// The number of unread bytes.
    var unreadCount: Int { buffer.count - start }

    /// Whether a part of a request has arrived.
    var isInsideRequest: Bool {
        if case .header = state { return unreadCount > 0 }
        return true
    }

    /// Adds the bytes that the socket received.
    mutating func append(_ bytes: UnsafeRawBufferPointer) { buffer.append(contentsOf: bytes) }

    /// Returns and removes the unread bytes. They are not HTTP, because the socket now carries another protocol.
    mutating func takeUnread() -> [UInt8] {
        defer { discardRead(all: true) }
        return Array(buffer[start...])
    }

    /// Parses the next part of a request. Call this method until it returns `incomplete`, and again after a request was
    /// answered.
    mutating func next() -> Step {
        switch state {
        case .header: readHeader()
        case .admission: .incomplete
        case .body(let request, let remaining): readBody(request, remaining: remaining)
        case .chunks(let request, let body): readChunks(request, body)
        case .refused(let refusal): .refused(refusal)
        }
    }

    /// Lets the parser read the body of the request whose header is complete.
    ///
    /// - Parameter admission: A value that the request carries to the handler.
    mutating func admit(_ admission: (any Sendable)?) {
        guard case .admission(var head) = state else { preconditionFailure("only a header with a body is admitted") }
        head.request.admission = admission
        switch head.framing {
        case .none: preconditionFailure("a header without a body is a request")
        case .length(let count): state = .body(head.request, remaining: count)
        case .chunked: state = .chunks(head.request, ChunkedBody())
        }
    }

    mutating func refuse(_ refusal: HTTPRefusal) -> Step {
        state = .refused(refusal)
        discardRead(all: true)
        return .refused(refusal)
    }

    mutating func complete(_ request: HTTPRequest) -> Step {
        state = .header
        scanned = start
        lineStart = start
        hasRequestLine = false
        // The buffer may never be empty here, because a client may always send the next request before this one is answered.
        // Read bytes are therefore also removed when there are many.
        if start == buffer.count || start >= Self.keptByteCount { discardRead() }
        return .request(request)
    }

    /// Removes the read bytes, so that an idle socket uses no memory.
    mutating func discardRead(all: Bool = false) {
        if all || start == buffer.count {
            buffer = []
        } else if start > 0 {
            buffer.removeSubrange(..<start)
        }
        scanned -= start
        lineStart -= start
        start = 0
        if buffer.isEmpty { (scanned, lineStart) = (0, 0) }
    }

    private mutating func readHeader() -> Step {
        if scanned == start, unreadCount > 0, buffer[start] == Self.tlsHandshake[0] {
            guard unreadCount > 1 else { return .incomplete }
            if buffer[start + 1] == Self.tlsHandshake[1] { return refuse(.encrypted) }
        }
        while scanned < buffer.count {
            let byte = buffer[scanned]
            scanned += 1
            guard scanned - start <= limits.maximumHeaderBytes else {
                return refuse(hasRequestLine ? .headersTooLarge : .targetTooLong)
            }
            if byte == 0x0A {
                let length = scanned - lineStart
                guard length >= 2, buffer[scanned - 2] == 0x0D else {
                    return refuse(.malformed("a line does not end with CR LF"))
                }
                if length == 2 {
                    // Empty lines before a request are ignored.
                    if hasRequestLine { return readFields() }
                    start = scanned
                } else {
                    hasRequestLine = true
                }
                lineStart = scanned
            } else if byte < 0x20 && byte != 0x09 && byte != 0x0D || byte == 0x7F {
                return refuse(.malformed("the header has control characters"))
            } else if scanned - lineStart >= 2, buffer[scanned - 2] == 0x0D {
                return refuse(.malformed("a line does not end with CR LF"))
            }
        }
        discardRead()
        return .incomplete
    }

    /// Parses the header that ends at ``scanned``.
    private mutating func readFields() -> Step {
        let text = String(decoding: buffer[start..<(scanned - 4)], as: UTF8.self)
        start = scanned
        switch HTTPHead.parse(text, limits: limits) {
        case .failure(let failure): return refuse(failure.refusal)
        case .success(let head):
            guard head.framing != .none else { return complete(head.request) }
            state = .admission(head)
            return .header(head.request, awaitsContinue: head.awaitsContinue && unreadCount == 0)
        }
    }

    private mutating func readBody(_ request: HTTPRequest, remaining: Int) -> Step {
        var request = request
        // The state must not hold the body while this method extends it. Otherwise each piece would copy the body.
        state = .header
        let count = min(remaining, unreadCount)
        request.body.append(contentsOf: buffer[start..<(start + count)])
        start += count
        guard count < remaining else { return complete(request) }
        state = .body(request, remaining: remaining - count)
        discardRead()
        return .incomplete
    }

    private mutating func readChunks(_ request: HTTPRequest, _ body: ChunkedBody) -> Step {
        var (request, body) = (request, body)
        state = .header
        let outcome = body.read(buffer[start...], into: &request.body, limits: limits)
        start = body.position
        switch outcome {
        case .incomplete:
            state = .chunks(request, body)
            discardRead()
            return .incomplete
        case .complete: return complete(request)
        case .refused(let refusal): return refuse(refusal)
        }
    }
}
