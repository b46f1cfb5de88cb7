import FaultHarness
import Foundation
import TidelogJSON
import TidelogSync

/// A process that runs `tidelog serve`, by default on a port that the system chooses.
///
/// This type may be shared: one task uses `child`, and any task may send requests. Requests use libcurl, because a
/// cancelled task of Foundation's `URLSession` can end the whole process on Linux.
final class ServerProcess: @unchecked Sendable {
    let child: ChildProcess
    /// The ready line, which the server prints when it can answer requests.
    let ready: JSONValue
    let endpoint: URL
    private let transport = CurlTransport()
    static let key = "da2-0123456789"

    /// Starts a server of the schema at the path `schema`. Without a key, the server makes one. With port 0, the system
    /// chooses a port.
    convenience init(
        _ schema: String, store: String, key: String? = ServerProcess.key, port: Int = 0, _ arguments: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        let credentials = key.map { ["--api-key", $0] } ?? []
        try self.init(
            ["serve", schema, "--store", store, "--port", "\(port)", "--json"] + credentials + arguments, environment)
    }

    /// Starts a server that keeps its records in the database at an address.
    convenience init(_ schema: String, database: String, port: Int = 0, _ arguments: [String] = []) throws {
        try self.init(
            ["serve", schema, "--database", database, "--port", "\(port)", "--json", "--api-key", Self.key] + arguments,
            [:])
    }

    private init(_ arguments: [String], _ environment: [String: String]) throws {
        child = try Tool.start(arguments, environment: environment)
        guard let line = try child.readLine() else {
            _ = try child.wait()
            throw ShopFailure(text: child.errorText)
        }
        ready = try JSONValue(parsing: Array(line.utf8))
        guard let text = ready["endpoint"]?.text, let url = URL(string: text) else { throw ShopFailure(text: line) }
        endpoint = url
    }

    /// Asks the server to stop. Returns its exit status.
    func stop() throws -> Int32 {
        child.signal(SIGTERM)
        return try Tool.finish(child).status
    }

    struct Response {
        fileprivate let response: TransportResponse

        var status: Int { response.status }

        func header(_ name: String) -> String? { response.headers[name.lowercased()] }

        var text: String { String(decoding: response.body, as: UTF8.self) }

        /// The body as JSON.
        func json() throws -> JSONValue { try JSONValue(parsing: response.body) }
    }

    /// Sends a request to `path` of the server.
    func send(
        _ method: String, _ path: String, _ headers: [String: String] = [:], body: String? = nil
    ) async throws -> Response {
        guard let url = URL(string: path, relativeTo: endpoint)?.absoluteURL else { throw ShopFailure(text: path) }
        let request = TransportRequest(method, url, headers: headers, body: Array((body ?? "").utf8))
        return Response(response: try await transport.send(request))
    }

    /// Posts a document with the key. Returns the response as JSON.
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
