import Foundation
import TidelogSDL
import TidelogServer

/// Finds files of the repository that contains these tests.
enum Checkout {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The valid schemas from Amplify's documentation, with the names of their files.
    static func documentedSchemas() throws -> [(name: String, text: String)] {
        let folder = root.appending(path: "Tests/Fixtures/schemas")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try names.filter { $0.hasSuffix(".graphql") }.map { name in
            (name, try String(contentsOf: folder.appending(path: name), encoding: .utf8))
        }
    }
}

extension API {
    /// The API of a schema in the schema language.
    init(_ sdl: String) throws(SchemaDiagnostic) { try self.init(SchemaDocument(sdl: Array(sdl.utf8))) }
}
