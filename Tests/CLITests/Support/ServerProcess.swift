import FaultHarness
import Foundation
import TidelogJSON

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `tidelog serve` on a port that the system chose. Sound to share: `child` is used by one task, requests by any.
final class ServerProcess: @unchecked Sendable {
    let child: ChildProcess
    /// The line with which it said that it answers.
    let ready: JSONValue
    let endpoint: URL
    private let session = URLSession(configuration: .ephemeral)
    static let key = "da2-0123456789"

    /// Starts a server of the schema at `schema`; without a key it makes one, without a port the system chooses.
    init(
        _ schema: String, store: String, key: String? = ServerProcess.key, port: Int = 0, _ arguments: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        let credentials = key.map { ["--api-key", $0] } ?? []
        child = try Tool.start(
            ["serve", schema, "--store", store, "--port", "\(port)", "--json"] + credentials + arguments,
            environment: environment)
        guard let line = try child.readLine() else {
            _ = try child.wait()
            throw ShopFailure(text: child.errorText)
        }
        ready = try JSONValue(parsing: Array(line.utf8))
        guard let text = ready["endpoint"]?.text, let url = URL(string: text) else { throw ShopFailure(text: line) }
        endpoint = url
    }

    deinit { session.invalidateAndCancel() }

    /// Asks it to stop; gives its exit status.
    func stop() throws -> Int32 {
        child.signal(SIGTERM)
        return try Tool.finish(child).status
    }

    struct Response {
        let status: Int
        let body: Data
        private let headers: [String: String]

        init(_ response: HTTPURLResponse, _ body: Data) {
            status = response.statusCode
            self.body = body
            let named = response.allHeaderFields.map { ("\($0.key)".lowercased(), "\($0.value)") }
            headers = Dictionary(named) { first, _ in first }
        }

        func header(_ name: String) -> String? { headers[name.lowercased()] }

        var text: String { String(decoding: body, as: UTF8.self) }

        /// The body as JSON.
        func json() throws -> JSONValue { try JSONValue(parsing: Array(body)) }
    }

    /// Sends a request to `path` of the server.
    func send(
        _ method: String, _ path: String, _ headers: [String: String] = [:], body: String? = nil
    ) async throws -> Response {
        guard let url = URL(string: path, relativeTo: endpoint) else { throw ShopFailure(text: path) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        request.httpBody = body.map { Data($0.utf8) }
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw ShopFailure(text: "no response") }
        return Response(response, data)
    }

    /// Posts a document with the key; gives the response as JSON.
    func ask(_ query: String, variables: String = "{}") async throws -> JSONValue {
        let response = try await post(query, variables: variables)
        guard response.status == 200 else { throw ShopFailure(text: "\(response.status) \(response.text)") }
        return try response.json()
    }

    /// Posts a document with the key.
    func post(
        _ query: String, variables: String = "{}", _ headers: [String: String] = ["x-api-key": key]
    ) async throws -> Response {
        var writer = JSONWriter()
        writer.string(query)
        let body = #"{"query":\#(String(decoding: writer.bytes, as: UTF8.self)),"variables":\#(variables)}"#
        return try await send(
            "POST", "/graphql", headers.merging(["Content-Type": "application/json"]) { $1 }, body: body)
    }
}
