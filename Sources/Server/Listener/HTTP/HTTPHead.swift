internal import TidelogWebSocket

/// The head of a request: its request line and header fields, and the framing of its body.
struct HTTPHead {
    /// The way in which the end of the body is determined: RFC 9112, section 6.
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked
    }

    var request: HTTPRequest
    var framing: Framing
    /// Whether the client waits for `100 Continue` before it sends the body.
    var awaitsContinue: Bool

    struct Failure: Error {
        let refusal: HTTPRefusal

        init(_ refusal: HTTPRefusal) { self.refusal = refusal }

        static func malformed(_ reason: String) -> Failure { Failure(.malformed(reason)) }
    }

    /// Parses a header without the empty line at its end.
    static func parse(_ text: String, limits: ListenerLimits) -> Result<HTTPHead, Failure> {
        Result { () throws(Failure) -> HTTPHead in
            var lines = text.utf8.split(separator: 0x0A).map { line in
                Substring(line.last == 0x0D ? line.dropLast() : line)
            }[...]
            guard let line = lines.popFirst() else { throw .malformed("it has no request line") }
            var request = try requestLine(line)
            guard lines.count <= limits.maximumHeaderFields else { throw Failure(.headersTooLarge) }
            var headers = HTTPHeaders()
            for line in lines {
                let field = try field(line)
                headers.add(field.name, field.value)
            }
            request.headers = headers
            return try HTTPHead(request, limits: limits)
        }
    }

    private init(_ request: HTTPRequest, limits: ListenerLimits) throws(Failure) {
        let hosts = request.headers.values(of: "Host")
        guard hosts.count == 1 || hosts.isEmpty && request.minorVersion == 0 else {
            throw .malformed("it must have one Host field")
        }
        self.request = request
        framing = try Self.framing(request, limits: limits)
        let expectations = request.headers.list("Expect")
        guard expectations.allSatisfy({ $0.isEqualIgnoringCase("100-continue") }) else {
            throw Failure(.unmetExpectation)
        }
        awaitsContinue = !expectations.isEmpty && request.minorVersion == 1
    }

    private static func requestLine(_ line: Substring) throws(Failure) -> HTTPRequest {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, HTTPToken.isValid(parts[0]) else {
            throw .malformed("its first line is no request line")
        }
        guard let target = HTTPTarget(parts[1]) else { throw .malformed("its target is invalid") }
        let version = parts[2]
        guard version.utf8.starts(with: "HTTP/".utf8), version.utf8.count == 8 else {
            throw .malformed("its first line is no request line")
        }
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else { throw Failure(.unsupportedVersion) }
        var request = HTTPRequest(
            method: String(parts[0]), target: String(parts[1]), path: target.path, query: target.query)
        request.minorVersion = version == "HTTP/1.1" ? 1 : 0
        return request
    }

    private static func field(_ line: Substring) throws(Failure) -> HTTPHeaders.Field {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), HTTPToken.isValid(line[..<colon]) else {
            throw .malformed("a header field is malformed")
        }
        return HTTPHeaders.Field(
            String(line[..<colon]), String(line[line.utf8.index(after: colon)...].trimmingBlanks))
    }

    private static func framing(_ request: HTTPRequest, limits: ListenerLimits) throws(Failure) -> Framing {
        let lengths = request.headers.list("Content-Length")
        let codings = request.headers.list("Transfer-Encoding")
        if !request.headers.values(of: "Transfer-Encoding").isEmpty {
            guard request.headers.values(of: "Content-Length").isEmpty, request.minorVersion == 1 else {
                throw .malformed("it says in two ways where its body ends")
            }
            guard codings.count == 1, codings[0].isEqualIgnoringCase("chunked") else {
                throw Failure(.unsupportedCoding)
            }
            return .chunked
        }
        guard !request.headers.values(of: "Content-Length").isEmpty else { return .none }
        guard let length = lengths.first, lengths.allSatisfy({ $0 == length }), length.utf8.count <= 18,
            length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(length)
        else { throw .malformed("its Content-Length is no length") }
        guard count <= limits.maximumBodyBytes else { throw Failure(.bodyTooLarge(limit: limits.maximumBodyBytes)) }
        return count == 0 ? .none : .length(count)
    }
}
