import Foundation
import Testing
import TidelogSDL
import TidelogSchema

/// A schema of Amplify's documentation, in Tests/Fixtures/schemas.
struct Fixture: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String

    var testDescription: String { name }
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/schemas")

    static let valid = all(in: folder)
    static let invalid = all(in: folder.appending(path: "invalid"))

    /// The schema in the file called `name`.
    static func schema(_ name: String) throws -> Schema {
        try Schema(sdl: Array(Data(contentsOf: folder.appending(path: "\(name).graphql"))))
    }

    private static func all(in folder: URL) -> [Fixture] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        return names.filter { $0.hasSuffix(".graphql") }.sorted().map { name in
            let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
            return Fixture(name: String(name.dropLast(8)), text: text ?? "")
        }
    }
}
