import Foundation
import Testing

/// The code in documents occurs in files that are compiled and run, so that it stays correct.
@Suite("Snippets")
struct SnippetTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(
        "every Swift snippet of a document occurs in its example",
        arguments: [
            ("README.md", ["Examples/NotesApp", "Tests/SyncTests/Guide"]),
            ("docs/WRITING-AN-ADAPTER.md", ["Examples/TutorialAdapter"]),
            ("docs/SCHEMA-CHANGES.md", ["Examples/NotesApp"]), ("docs/GETTING-STARTED.md", ["Examples/BlogApp"]),
            ("docs/MIGRATING-FROM-AMPLIFY.md", ["Examples/BlogApp", "Tests/SyncTests/Guide"]),
            ("docs/SYNC.md", ["Tests/SyncTests/Guide"]),
            ("docs/VIEWS.md", ["Examples/NotesApp"]), ("docs/APPLE.md", ["Examples/NotesApp"]),
            ("docs/TUTORIAL.md", ["Examples/TidePools"]),
            ("docs/AMPLIFY-GEN2.md", ["Tests/SyncTests/Guide"]),
            ("Sources/Tidelog/Tidelog.docc/Tidelog.md", ["Examples/NotesApp"]),
        ])
    func occurs(_ document: String, _ examples: [String]) throws {
        let snippets = Self.snippets(try Self.text(document))
        #expect(!snippets.isEmpty)
        let files = try examples.flatMap { try Self.swiftFiles($0) }.map { Self.normalised(try Self.text($0)) }
        #expect(!files.isEmpty)
        for snippet in snippets {
            let isThere = files.contains { $0.contains(Self.normalised(snippet)) }
            #expect(isThere, "\(document) shows code that is not in \(examples):\n\(snippet)")
        }
    }

    @Test("the guide for beginners shows the schema of its example")
    func schema() throws {
        let guide = try Self.text("docs/GETTING-STARTED.md")
        #expect(guide.contains(try Self.text("Examples/BlogApp/Sources/Blog/schema.graphql")))
    }

    @Test("the guide to adapters names every file of its example")
    func namesFiles() throws {
        let guide = try Self.text("docs/WRITING-AN-ADAPTER.md")
        for path in try Self.swiftFiles("Examples/TutorialAdapter/Sources") {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            #expect(guide.contains("`\(name)`"), "\(name) is not explained")
        }
    }

    @Test("snippets are the fenced blocks marked swift, compared without regard to white space")
    func reading() {
        let text = "a\n```swift\nlet a  = 1\n    let b = 2\n```\n```sh\nls\n```\n```swift\n}\n```\n"
        #expect(Self.snippets(text) == ["let a  = 1\n    let b = 2", "}"])
        #expect(Self.normalised(" let a  = 1\n    let b = 2\n") == "let a = 1 let b = 2")
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The Swift files below `folder`, without build output.
    private static func swiftFiles(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path).sorted().flatMap {
            name in
            if name.hasPrefix(".") { return [String]() }
            if name.hasSuffix(".swift") { return ["\(folder)/\(name)"] }
            return name.contains(".") ? [] : try swiftFiles("\(folder)/\(name)")
        }
    }

    /// The contents of the fenced blocks of `document` that are marked `swift`.
    private static func snippets(_ document: String) -> [String] {
        var snippets: [String] = []
        var lines: [Substring]?
        for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
            if let found = lines {
                if line.hasPrefix("```") { snippets.append(found.joined(separator: "\n")) }
                lines = line.hasPrefix("```") ? nil : found + [line]
            } else if line == "```swift" {
                lines = []
            }
        }
        return snippets
    }

    private static func normalised(_ code: String) -> String {
        code.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
