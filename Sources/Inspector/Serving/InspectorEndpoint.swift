internal import TidelogFoundation
internal import TidelogServer

/// Answers the requests of a page: its files, and questions in JSON below `api/`.
struct InspectorEndpoint: Sendable {
    /// The only address on which the page is served.
    static let host = "127.0.0.1"

    private let check: VisitorCheck
    private let questions: Questions

    init(token: String, store: InspectedStore) {
        check = VisitorCheck(token: token)
        questions = Questions(store: store)
    }

    /// Admits the body of a decision, which is the only request with a body.
    func admit(_ request: HTTPRequest) -> ListenerService.Admission {
        check.admitsChange(request) ? .admit(nil) : .refuse(Self.forbidden)
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard check.admits(request) else { return Self.forbidden }
        guard let path = check.path(of: request) else {
            // The files of the page have relative addresses, which need the slash at the end.
            return Self.protected(HTTPResponse(status: 301, headers: ["Location": "/\(check.token)/"]))
        }
        let isRead = request.method == "GET" || request.method == "HEAD"
        guard path.hasPrefix("api/") else {
            guard isRead else { return Self.failure(405, .methodNotAllowed) }
            guard let file = PageFile.named(path.isEmpty ? "index.html" : String(path)) else {
                return Self.failure(404, .notFound)
            }
            return Self.protected(
                HTTPResponse(status: 200, headers: ["Content-Type": file.type], body: file.bytes))
        }
        let name = path.dropFirst("api/".count)
        if let decision = Questions.decision(name) {
            guard request.method == "POST" else { return Self.failure(405, .methodNotAllowed) }
            guard check.admitsChange(request) else { return Self.forbidden }
            return await answer { try await questions.decide(decision, request) }
        }
        guard isRead else { return Self.failure(405, .methodNotAllowed) }
        return await answer { try await questions.answer(String(name), request) }
    }

    private func answer(_ body: () async throws -> (any Encodable)?) async -> HTTPResponse {
        do {
            guard let answer = try await body() else { return Self.failure(404, .notFound) }
            return try Self.json(200, answer)
        } catch {
            let report = ErrorReport(error)
            return Self.failure(report.status, report)
        }
    }
}

// MARK: - Responses

extension InspectorEndpoint {
    /// The response to a request without the token, or from another site. It does not tell which of the two.
    static let forbidden = failure(
        403,
        ErrorReport(
            403, "forbidden", "This page needs the address that the program printed when it started.",
            recovery: "Copy the whole address. Each start makes a new one."))

    /// The response to a request that the listener refuses.
    static func response(to refusal: HTTPRefusal) -> HTTPResponse {
        failure(refusal.status, ErrorReport(refusal.status, "refused", refusal.message))
    }

    private static func failure(_ status: Int, _ report: ErrorReport) -> HTTPResponse {
        // The report has nothing that cannot be encoded.
        (try? json(status, ["error": report])) ?? protected(HTTPResponse(status: status))
    }

    private static func json(_ status: Int, _ value: any Encodable) throws -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return protected(
            HTTPResponse(
                status: status, headers: ["Content-Type": "application/json; charset=utf-8"],
                body: Array(try encoder.encode(value))))
    }

    /// The response with the headers that keep the page to itself: it loads nothing from elsewhere, runs no script but its own
    /// files, cannot be framed, and tells its address to no other site. Scripts cannot turn a text into HTML.
    private static func protected(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers.set(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                + "require-trusted-types-for 'script'; trusted-types 'none'")
        response.headers.set("X-Content-Type-Options", "nosniff")
        response.headers.set("Referrer-Policy", "no-referrer")
        response.headers.set("Cross-Origin-Resource-Policy", "same-origin")
        response.headers.set("Cross-Origin-Opener-Policy", "same-origin")
        response.headers.set("Cache-Control", "no-store")
        return response
    }
}
