internal import TidelogAgreement
internal import TidelogCore
internal import TidelogJSON

/// Answers HTTP requests: `/graphql`, `/schema.graphql`, `/health`, and a page for people at `/`.
struct HTTPEndpoint: Sendable {
    let service: Service
    let store: any VersionedStore
    let authenticator: Authenticator
    let environment: Service.Environment
    /// Called with each answered request, for the log.
    let log: (@Sendable (ServedRequest) -> Void)?

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let (time, start) = (environment.clock(), ContinuousClock.now)
        var answered = Answered()
        var response: HTTPResponse
        do throws(HTTPFailure) {
            response = try await route(request, &answered)
        } catch {
            response = error.response
        }
        return finished(response, to: request, at: time, start, answered)
    }

    /// Decides whether the body of a request is read. It is read only for a caller with valid credentials, and only for a path
    /// and a method that accept a body.
    func admit(_ request: HTTPRequest) -> ListenerService.Admission {
        let (time, start) = (environment.clock(), ContinuousClock.now)
        do throws(HTTPFailure) {
            switch (request.path, request.method) {
            case ("/graphql", "POST"), ("/graphql", "GET"), ("/schema.graphql", "GET"), ("/schema.graphql", "HEAD"):
                return .admit(try recognise(request))
            case (_, "OPTIONS"), ("/health", "GET"), ("/health", "HEAD"), ("/", "GET"), ("/", "HEAD"):
                throw .malformed("This request takes no body.")
            case ("/graphql", _): throw .methodNotAllowed("POST and GET")
            case ("/schema.graphql", _), ("/health", _), ("/", _): throw .methodNotAllowed("GET")
            default: throw .notFound
            }
        } catch {
            return .refuse(finished(error.response, to: request, at: time, start, Answered()))
        }
    }

    /// Completes a response with its last headers, and logs the request.
    private func finished(
        _ response: HTTPResponse, to request: HTTPRequest, at time: Int64, _ start: ContinuousClock.Instant,
        _ answered: Answered
    ) -> HTTPResponse {
        let id = service.identifier
        var response = response
        response.headers.set("x-amzn-requestid", id)
        if service.api.kind.namesChanges { response.headers.set(MutationHeader.name, MutationHeader.support) }
        if !service.options.isSelectionStrict { response.headers.set(RecordsHeader.name, RecordsHeader.exact) }
        Self.allowAllOrigins(&response.headers)
        log?(
            ServedRequest(
                id: id, time: time, method: request.method, path: request.path, status: response.status,
                provider: answered.provider, duration: ContinuousClock.now - start, byteCount: response.body.count,
                report: answered.report))
        return response
    }

    /// The response to a request that the listener refuses, in the same form as other failures.
    static func refuse(_ refusal: HTTPRefusal) -> HTTPResponse {
        var response = HTTPFailure(refusal).response
        allowAllOrigins(&response.headers)
        return response
    }

    /// Details of an answered request for the log.
    private struct Answered {
        var provider: AccessRule.Provider?
        var report: RequestReport?
    }

    private func route(_ request: HTTPRequest, _ answered: inout Answered) async throws(HTTPFailure) -> HTTPResponse {
        if request.method == "OPTIONS" { return Self.preflight(request) }
        switch request.path {
        case "/graphql":
            guard request.method == "POST" || request.method == "GET" else { throw .methodNotAllowed("POST and GET") }
            let caller = try recognise(request)
            answered.provider = caller.provider
            let route = GraphQLRoute(service: service, isReported: log != nil)
            let (response, report) = try await route.respond(to: request, from: caller)
            answered.report = report
            return response
        case "/schema.graphql":
            try Self.requireReading(request)
            answered.provider = try recognise(request).provider
            return HTTPResponse(status: 200, text: store.source)
        case "/health":
            try Self.requireReading(request)
            return health
        case "/":
            try Self.requireReading(request)
            return WelcomePage.response
        default: throw .notFound
        }
    }

    private static func requireReading(_ request: HTTPRequest) throws(HTTPFailure) {
        guard request.method == "GET" || request.method == "HEAD" else { throw .methodNotAllowed("GET") }
    }

    private func recognise(_ request: HTTPRequest) throws(HTTPFailure) -> Caller {
        // A caller whose request has a body was already recognised before the body was read.
        if let caller = request.admission as? Caller { return caller }
        do {
            return try authenticator.caller(
                key: request.headers["x-api-key"], authorization: request.headers["Authorization"],
                at: environment.clock() / 1_000)
        } catch {
            throw .unauthorized
        }
    }

    /// The response of `/health`: `{"status":"ok"}`, or status 503 if the store could not write the last change. A server over
    /// a database adds the numbers of its connections.
    private var health: HTTPResponse {
        let failure = store.writeFailure
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("status")
        writer.string(failure == nil ? "ok" : "readOnly")
        if let failure {
            writer.key("reason")
            writer.string(failure.code.name)
            writer.key("message")
            writer.string(failure.message)
        }
        if let connections = store.connections {
            writer.key("connections")
            writer.beginObject()
            for (name, count) in [
                ("open", connections.openCount), ("idle", connections.idleCount),
                ("waiting", connections.waitingCount), ("lost", connections.lostCount),
            ] {
                writer.key(name)
                writer.int(Int64(count))
            }
            writer.endObject()
        }
        writer.endObject()
        return HTTPResponse(
            status: failure == nil ? 200 : 503, headers: ["Content-Type": "application/json;charset=UTF-8"],
            body: writer.bytes)
    }
}

/// CORS headers for browsers. The server uses no cookies, so pages of every origin may send requests.
extension HTTPEndpoint {
    private static func allowAllOrigins(_ headers: inout HTTPHeaders) {
        headers.set("Access-Control-Allow-Origin", "*")
        headers.set(
            "Access-Control-Expose-Headers",
            "x-amzn-requestid, x-amzn-errortype, \(MutationHeader.name), \(RecordsHeader.name)")
    }

    private static func preflight(_ request: HTTPRequest) -> HTTPResponse {
        var headers: HTTPHeaders = [
            "Access-Control-Allow-Methods": "GET, POST, OPTIONS", "Access-Control-Max-Age": "600",
        ]
        let asked = request.headers.list("Access-Control-Request-Headers")
        if !asked.isEmpty { headers.set("Access-Control-Allow-Headers", asked.joined(separator: ", ")) }
        return HTTPResponse(status: 204, headers: headers)
    }
}

/// The page at `/`, which tells a person with a browser what answers here. It has nothing of the schema or the records.
private enum WelcomePage {
    static let response = HTTPResponse(
        status: 200,
        headers: [
            "Content-Type": "text/html;charset=UTF-8",
            "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
        ], body: Array(html.utf8))

    private static let html = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>A Tidelog server</title>
        <style>
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }
        code { font-family: ui-monospace, monospace }
        </style>
        <h1>A Tidelog server</h1>
        <p>This server keeps the records of an app, and syncs them with its devices. It runs.</p>
        <ul>
        <li><code>POST /graphql</code> answers queries and mutations. It needs an API key in the header <code>x-api-key</code>,
        or a token in <code>Authorization</code>.</li>
        <li>WebSockets at <code>/graphql/realtime</code> receive subscriptions.</li>
        <li><code>GET /schema.graphql</code> returns the schema to callers with a key or a token.</li>
        <li><code><a href="/health">GET /health</a></code> tells whether the server can store changes.</li>
        </ul>
        </html>

        """
}
