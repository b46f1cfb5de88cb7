import ServerSupport
import Tidelog
import TidelogAgreement

@testable import TidelogServer

/// A server of an API without versions, as its clients see it over HTTP.
struct TodoServer {
    static let sdl = """
        type Todo @model @auth(rules: [{ allow: public }]) {
          content: String
          done: Boolean
          rank: Int @index(sortKeyFields: ["content"])
          tags: [String]
          listId: ID
          list: List @belongsTo(references: ["listId"])
        }
        type List @model @auth(rules: [{ allow: public }]) { name: String todos: [Todo] @hasMany(references: ["listId"]) }
        type Notice @model @auth(rules: [{ allow: public, operations: [create, read, update] }]) {
          text: String
          pinned: Boolean @auth(rules: [{ allow: public }])
        }
        type Dated @model @auth(rules: [{ allow: public }]) { text: String createdAt: AWSDateTime! updatedAt: AWSDateTime! }
        type Diary @model @auth(rules: [{ allow: owner, ownerField: "owner" }]) { text: String rank: Int @index }
        """

    let port: Int
    /// The credentials of the caller, as header fields.
    var credentials = [("x-api-key", "da2-key")]

    /// Serves the API, and runs `body` with the server.
    static func run(
        _ adapter: AdapterFactory = .inMemory(), clock: HandSetClock? = nil,
        _ body: @escaping @Sendable (TodoServer) throws -> Void
    ) async throws {
        var environment = Service.Environment.system
        if let clock { environment.clock = clock.read }
        try await RunningServer.run(
            sdl, Authenticator(apiKey: "da2-key"), adapter: adapter, kind: .timestamps, environment: environment
        ) { try body(TodoServer(port: $0)) }
    }

    /// The data of the answer to a document, and the types of its errors.
    func ask(_ document: String) throws -> String {
        let (data, errors) = try response(document)
        guard let errors else { return data }
        let types = errors.matches(of: /"errorType":"([^"]*)"/).map { String($0.1) }
        return "\(data) \(types.joined(separator: " "))"
    }

    /// The text of the answer's data, and the text of its errors.
    func response(_ document: String) throws -> (data: String, errors: String?) {
        let text = try RunningServer.ask(port, document, credentials).text.dropFirst(#"{"data":"#.count).dropLast()
        let parts = text.split(separator: #","errors":"#, maxSplits: 1)
        return (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
    }

    /// The text after `"name":"` in the answer to a document.
    func text(_ name: String, _ document: String) throws -> String {
        let answer = try response(document).data
        return answer.firstRange(of: "\"\(name)\":\"").map { range in
            String(answer[range.upperBound...].prefix { $0 != "\"" })
        } ?? "missing in \(answer)"
    }
}
