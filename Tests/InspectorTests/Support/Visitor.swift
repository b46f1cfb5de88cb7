import Foundation
import TestStores
import Testing
import Tidelog
import TidelogInspector
import TidelogJSON
import TidelogSync

/// A program that asks the page's questions over a socket.
struct Visitor: Sendable {
    /// The address of the page.
    let address: URL
    private let transport = CurlTransport()

    init(_ inspector: StoreInspector) throws { address = try #require(URL(string: inspector.address)) }

    /// The host and port of the page.
    var host: String { "\(address.host ?? ""):\(address.port ?? 0)" }

    struct Answer {
        let status: Int
        let headers: [String: String]
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }

        func json() throws -> JSONValue { try JSONValue(parsing: body) }
    }

    /// Sends a request to a path that is relative to the page's address.
    func send(_ method: String, _ path: String, _ headers: [String: String] = [:]) async throws -> Answer {
        let url = try #require(URL(string: path.isEmpty ? "./" : path, relativeTo: address)?.absoluteURL)
        let response = try await transport.send(TransportRequest(method, url, headers: headers))
        return Answer(status: response.status, headers: response.headers, body: response.body)
    }

    /// Asks a question. The answer has the status 200.
    func ask(_ question: String, _ parameters: KeyValuePairs<String, String> = [:]) async throws -> JSONValue {
        let answer = try await send("GET", Self.path(question, parameters))
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.json()
    }

    /// Asks a question whose answer is an error with `status`.
    func refusal(
        _ status: Int, _ question: String, _ parameters: KeyValuePairs<String, String> = [:]
    ) async throws -> JSONValue {
        let answer = try await send("GET", Self.path(question, parameters))
        #expect(answer.status == status, "\(answer.text)")
        return try #require(try answer.json()["error"])
    }

    private static func path(_ question: String, _ parameters: KeyValuePairs<String, String>) -> String {
        var components = URLComponents()
        components.path = "api/\(question)"
        components.queryItems = parameters.map { URLQueryItem(name: $0.key, value: $0.value) }
        components.percentEncodedQuery = components.percentEncodedQuery?.replacing("+", with: "%2B")
        return components.string ?? ""
    }
}

/// Opens a store of notes and its page, and calls `body` with both.
func withInspector(
    _ adapter: Adapter = Adapter(factory: .lmdb()), schema: Schema = noteSchema,
    _ body: (DataStore, Visitor) async throws -> Void
) async throws {
    let scratch = try Scratch()
    let store = try await DataStore.open(at: scratch.path(), schema: schema, adapter: adapter.factory)
    let inspector = try await store.inspect()
    do {
        try await body(store, Visitor(inspector))
    } catch {
        await inspector.stop()
        throw error
    }
    await inspector.stop()
    try await store.close()
}

extension JSONValue {
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var number: Int? {
        if case .int(let number) = self { Int(number) } else { nil }
    }

    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The texts of an array.
    var texts: [String] { elements.compactMap(\.text) }
}
