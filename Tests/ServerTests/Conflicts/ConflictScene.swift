import TestStores
import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

/// A service with one player at version 2, and with a strategy for conflicts.
struct ConflictScene {
    static let sdl = """
        type Player @model @auth(rules: [{allow: public}, {allow: private}]) {
          id: ID! name: String! jersey: Int born: AWSDate level: Level home: Place points: [Int]
        }
        type Place { city: String! zip: String }
        enum Level { novice expert }
        """

    let served: ServedSchema

    init(
        _ strategy: ConflictStrategy, timeLimit: Duration = .seconds(10), on adapter: Adapter = .persistent[0]
    ) async throws {
        var options = ServiceOptions()
        options.strategy = strategy
        options.conflictTimeLimit = timeLimit
        served = try await ServedSchema(Self.sdl, on: adapter, options: options)
        _ = try await served.data(
            #"mutation { createPlayer(input: {id: "1", name: "Nadia", jersey: 5}) { id } }"#)
        _ = try await served.data(
            #"mutation { updatePlayer(input: {id: "1", jersey: 6, _version: 1}) { id } }"#)
    }

    /// Sends an update that starts from version 1, and returns the response.
    func update(
        _ input: String = "jersey: 55", selecting fields: String = "name jersey _version"
    ) async throws -> String {
        try await served.ask("mutation { updatePlayer(input: {id: \"1\", _version: 1, \(input)}) { \(fields) } }")
    }

    /// Sends a deletion that starts from version 1, and returns the response.
    func delete() async throws -> String {
        try await served.ask(
            #"mutation { deletePlayer(input: {id: "1", _version: 1}) { name _version _deleted } }"#)
    }

    /// The stored record.
    func stored() async throws -> Record? { try await served.versions.record("Player", "1") }
}

extension String {
    /// Whether a response has exactly one error, with this type. The error must have the stored record, whose selection
    /// includes this version.
    func isRefused(_ errorType: String, version: Int64) -> Bool {
        components(of: "\"errorType\":").count == 2 && contains("\"errorType\":\"\(errorType)\"")
            && contains("\"data\":{\"name\":") && contains("\"_version\":\(version)")
    }

    private func components(of separator: String) -> [Substring] { split(separator: separator) }
}
