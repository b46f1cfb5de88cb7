/// Makes requests of the bytes of one socket: RFC 9112, read strictly, since what two programs read differently lets one
/// client speak for another.
///
/// A pure machine: bytes go in, requests come out one at a time. It holds the bytes that were not read yet, and less than
/// ``keptByteCount`` that were.
struct HTTPRequestParser {
    /// What the bytes so far come to.
    enum Step {
        /// The request is not complete.
        case incomplete
        /// The header of a request whose body follows. The body is read once ``admit(_:)`` was called.
        case header(HTTPRequest, awaitsContinue: Bool)
        /// A request, with its body.
        case request(HTTPRequest)
        /// The bytes are refused, and whatever follows them: where a next request would begin is not known.
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

    /// How many bytes that were read may stay in the buffer: to drop them moves all that come after them.
    static let keptByteCount = 16 << 10

    let limits: ListenerLimits
    var state = State.header
    /// Bytes that are not part of a request yet, from ``start`` on.
    var buffer: [UInt8] = []
    var start = 0
    /// How far the header was looked through, and where its last line begins.
    private var scanned = 0
    private var lineStart = 0
    private var hasRequestLine = false

    init(limits: ListenerLimits) { self.limits = limits }

    /// How many bytes wait to be read.
    var unreadCount: Int { buffer.count - start }

    /// Whether part of a request has come.
    var isInsideRequest: Bool {
        if case .header = state { return unreadCount > 0 }
        return true
    }

    /// Takes in what the socket received.
    mutating func append(_ bytes: UnsafeRawBufferPointer) { buffer.append(contentsOf: bytes) }

    /// The bytes that wait, which are no HTTP any more.
    mutating func takeUnread() -> [UInt8] {
        defer { discardRead(all: true) }
        return Array(buffer[start...])
    }

    /// Goes on with the bytes that are there. Call it until it says `incomplete`, and once a request was answered.
    mutating func next() -> Step {
        switch state {
        case .header: readHeader()
        case .admission: .incomplete
        case .body(let request, let remaining): readBody(request, remaining: remaining)
        case .chunks(let request, let body): readChunks(request, body)
        case .refused(let refusal): .refused(refusal)
        }
    }

    /// Takes the body of the request whose header is complete.
    ///
    /// - Parameter admission: What the request takes with it to the handler.
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
        // A client that always sends the next request before this one is answered leaves no other moment for it.
        if start == buffer.count || start >= Self.keptByteCount { discardRead() }
        return .request(request)
    }

    /// Lets go of what was read, so that an idle socket takes no memory.
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
                    // Empty lines in front of a request are let pass.
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

    /// Reads the header that ends at ``scanned``.
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
        // The body that the state holds must go before it grows here, or it is copied with every piece.
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
