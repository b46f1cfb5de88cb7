import Testing

/// FORMATS names the keyspaces of both LMDB environments, and the entries of their `meta`, as the code does.
@Suite("Keyspaces")
struct KeyspaceTests {
    private static let opening = "Sources/Core/Log/Files/LogKeyspaces.swift"
    private static let layouts = "Sources/Adapters/LMDB/Keyspaces/StoredLayouts.swift"
    private static let keyspaces = "Sources/Adapters/LMDB/Keyspaces/Keyspaces.swift"

    @Test("the log opens exactly the keyspaces that FORMATS names")
    func log() throws {
        // The first pattern matches how a writer opens a keyspace, and the second one how a reader does.
        let written = try Self.matches(of: #"openKeyspace\(named: "([^"]+)""#, in: Self.opening)
        let read = try Self.matches(of: #"try open\("([^"]+)""#, in: Self.opening)
        #expect(!written.isEmpty)
        #expect(written == read, "Readers and writers open different keyspaces of the log.")
        Self.expect(written, equals: Self.documented(in: try Self.section("2. The log's environment")))
    }

    @Test("the adapter for LMDB opens exactly the keyspaces that FORMATS names")
    func adapter() throws {
        let named = try Self.matches(of: #"String \{ "([^"]+)" \}"#, in: Self.layouts)
        let metadata = try Self.matches(of: #"metadataName = "([^"]+)""#, in: Self.keyspaces)
        #expect(named.count == 3 && metadata.count == 1)
        Self.expect(named.union(metadata), equals: Self.documented(in: try Self.section("7.3 LMDB adapter")))
    }

    @Test("no file except LogKeyspaces.swift opens a keyspace with a literal name")
    func others() {
        var findings: [String] = []
        for file in Repository.files(".swift", below: ["Sources/"]) where file.path != Self.opening {
            for (index, line) in file.lines.enumerated() where line.contains("Keyspace(named: \"") {
                findings.append(file.place(index, "names a keyspace"))
            }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("FORMATS names every entry of both `meta` keyspaces")
    func entries() throws {
        let log = try Self.matches(of: #"static let \w+ = "(\w+)""#, in: "Sources/Core/Log/Files/LogMetadata.swift")
        let adapter = try Self.matches(of: #"static let \w+: StaticString = "(\w+)""#, in: Self.keyspaces)
        #expect(!log.isEmpty && !adapter.isEmpty)
        for (names, title) in [(log, "2. The log's environment"), (adapter, "7.3 LMDB adapter")] {
            let missing = names.subtracting(try Self.section(title).codeSpans).sorted()
            #expect(missing.isEmpty, "docs/FORMATS.md, section \(title), does not name \(missing)")
        }
    }

    @Test("keyspaces are found in tables and in sentences, and numbers and names in them are left out")
    func reading() {
        let page = MarkdownPage(
            text: """
                | keyspace | key |
                |---|---|
                | `events` | number |

                Keyspace `m<model number>` has rows, and the keyspace
                `i<model number>.<index number>` has entries. `other` is none.
                """)
        #expect(Self.documented(in: page) == ["events", "m<>", "i<>.<>"])
        #expect(Self.pattern(#"i\(index.model).\(index.number)"#) == "i<>.<>")
    }

    /// The texts that `pattern` captures in the file at `path`.
    private static func matches(of pattern: String, in path: String) throws -> Set<String> {
        let file = try #require(Repository.files(path).first, "\(path) is gone: say here where keyspaces are named.")
        let pattern = try Regex(pattern, as: (Substring, Substring).self)
        return Set(file.text.matches(of: pattern).map { Self.pattern(String($0.output.1)) })
    }

    private static func section(_ title: String) throws -> MarkdownPage {
        let page = try #require(MarkdownPage.all.first { $0.path == "docs/FORMATS.md" })
        return try #require(page.section(title), "docs/FORMATS.md has no section \(title)")
    }

    /// The keyspaces that a section names, in a table of keyspaces or after the word `keyspace`.
    private static func documented(in section: MarkdownPage) -> Set<String> {
        let text = section.prose.map(\.line).joined(separator: "\n")
        let named = text.matches(of: /[Kk]eyspaces?\s+`([^`]+)`/).map { String($0.1) }
        return Set((section.column("keyspace") + named).map(pattern))
    }

    /// The name of a keyspace, with `<>` in place of numbers and names that vary.
    private static func pattern(_ name: String) -> String {
        name.replacing(/<[^>]*>|\\\([^)]*\)/, with: "<>").replacing("`", with: "")
    }

    private static func expect(_ code: Set<String>, equals documented: Set<String>) {
        let (missing, gone) = (code.subtracting(documented).sorted(), documented.subtracting(code).sorted())
        #expect(missing.isEmpty, "docs/FORMATS.md lacks the keyspaces \(missing)")
        #expect(gone.isEmpty, "docs/FORMATS.md has keyspaces that the code does not open: \(gone)")
    }
}
