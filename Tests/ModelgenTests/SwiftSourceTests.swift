import FaultHarness
import Foundation
import Testing
import TidelogCore
import TidelogModelgen
import TidelogSDL

@Suite("Generated Swift")
struct SwiftSourceTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// The valid schemas of the fixtures, with their names.
    private static func schemas() throws -> [(name: String, schema: Schema)] {
        var files: [URL] = []
        for folder in [
            "Fixtures/schemas", "GeneratedModels/Reference", "GeneratedModels/ReservedTypes",
            "GeneratedModels/ReservedMembers",
        ] {
            files += try FileManager.default.contentsOfDirectory(
                at: tests.appending(path: folder), includingPropertiesForKeys: nil)
        }
        return try files.filter { $0.pathExtension == "graphql" }.map {
            ($0.deletingPathExtension().lastPathComponent, try Schema(sdl: Array(Data(contentsOf: $0))))
        }
    }

    private static func options(_ access: SwiftSource.Access = .public) -> SwiftSource.Options {
        SwiftSource.Options(
            schemaFile: "schema.graphql", access: access, registration: access == .internal ? "AmplifyModels" : nil)
    }

    /// The findings of `swift format lint --strict` in `files`; an empty text if there are none.
    ///
    /// - Parameter isOwn: Whether to use this repository's configuration, and to remove the note that makes the formatter
    ///   ignore the files.
    private static func lint(_ files: [SwiftSource.File], isOwn: Bool = true) throws -> String {
        let directory = FileManager.default.temporaryDirectory.appending(path: "lint-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (number, file) in files.enumerated() {
            let url = directory.appending(path: "\(number)-\(file.name)")
            var text = file.text
            if isOwn, let note = text.range(of: "// swift-format-ignore-file\n") { text.removeSubrange(note) }
            try Data(text.utf8).write(to: url)
        }
        let configuration = tests.deletingLastPathComponent().appending(path: ".swift-format").path
        let (status, text) = try Program.run(
            "swift",
            ["format", "lint", "--strict", "--parallel", "--recursive"]
                + (isOwn ? ["--configuration", configuration] : []) + [directory.path])
        return status == 0 ? "" : text
    }

    @Test("generated Swift passes this repository's formatter, public and internal, for names of every length")
    func lints() throws {
        var files: [SwiftSource.File] = []
        for (_, schema) in try Self.schemas() where schema.models.count < 50 {
            files += SwiftSource.files(for: schema, options: Self.options())
            files += SwiftSource.files(for: schema, options: Self.options(.internal))
        }
        for length in stride(from: 1, through: 60, by: 1) {
            files += SwiftSource.files(for: try Self.sweep(length), options: Self.options())
        }
        let findings = try Self.lint(files)
        #expect(findings.isEmpty, "\(findings.prefix(2_000))")
    }

    @Test("generated Swift passes the formatter without this repository's settings")
    func lintsElsewhere() throws {
        let files = SwiftSource.files(for: try Self.sweep(8), options: Self.options())
        let findings = try Self.lint(files, isOwn: false)
        #expect(findings.isEmpty, "\(findings.prefix(2_000))")
    }

    /// A schema with every construct. Its names have `length` letters.
    private static func sweep(_ length: Int) throws -> Schema {
        let tail = String(repeating: "x", count: length - 1)
        func name(_ first: String) -> String { first + tail }
        return try Schema(
            sdl: """
                enum E\(tail) { \(name("q")) \(name("r")) \(name("S")) }
                type M\(tail) @model {
                  id: ID!
                  \(name("a")): String!
                  \(name("c")): [String]
                  \(name("d")): E\(tail) @default(value: "\(name("q"))")
                  \(name("e")): AWSDateTime! @default(value: "2026-11-21T10:30:00.250+02:00")
                  \(name("g")): [[E\(tail)!]]!
                  \(name("h")): P\(tail)
                  \(name("j")): ID @index(name: "\(name("k"))", sortKeyFields: ["\(name("l"))", "\(name("a"))"])
                  \(name("l")): Int
                  \(name("m")): M\(tail) @belongsTo(fields: ["\(name("j"))"])
                  \(name("o")): [M\(tail)] @hasMany(indexName: "\(name("k"))", fields: ["id"])
                  \(name("s")): [N\(tail)] @hasMany
                }
                type N\(tail) @model {
                  \(name("a")): ID! @primaryKey(sortKeyFields: ["\(name("t"))"])
                  \(name("t")): Float!
                  \(name("u")): M\(tail)! @belongsTo
                }
                type P\(tail) {
                  \(name("a")): String!
                  \(name("d")): [Int!]!
                  \(name("g")): P\(tail)
                  \(name("h")): [AWSTime]!
                }
                """)
    }

    @Test("generated Swift is the same every time, names its schema, and has no forced casts, traps or erased types")
    func text() throws {
        for (name, schema) in try Self.schemas() {
            let files = SwiftSource.files(for: schema, options: Self.options())
            #expect(files == SwiftSource.files(for: schema, options: Self.options()))
            #expect(Set(files.map { $0.name.lowercased() }).count == files.count)
            #expect(files.count == schema.models.count + schema.embeddedTypes.count + schema.enums.count + 1)
            for file in files {
                #expect(SwiftSource.isGenerated(file.text))
                #expect(file.text.contains("schema.graphql"))
                #expect(
                    !file.text.contains(/\bas!|\btry!|\bany [A-Z]|: Any\b|AnyHashable|fatalError/),
                    "\(name): \(file.name)")
            }
        }
    }

    @Test("a model of six fields takes less than 120 lines, relations and an index included")
    func length() throws {
        let schema = try Schema(
            sdl: """
                type Comment @model {
                  id: ID!
                  text: String!
                  rating: Int
                  status: Status
                  postID: ID! @index(name: "byPost", sortKeyFields: ["rating"])
                  post: Post! @belongsTo(fields: ["postID"])
                }
                type Post @model { id: ID! comments: [Comment] @hasMany(indexName: "byPost", fields: ["id"]) }
                enum Status { ACTIVE }
                """)
        let file = SwiftSource.files(for: schema, options: Self.options()).first { $0.name == "Comment.swift" }
        let count = try #require(file).text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        #expect(count < 120)
    }

    @Test("the parameters of initializers come in the order of the schema, extensions last, an implied id first")
    func parameterOrder() throws {
        let document = try SchemaDocument(
            sdl: Array(
                """
                type Comment @model {
                  content: String!
                  post: Post! @belongsTo(fields: ["postID"])
                  rating: Int
                  postID: ID! @index(name: "byPost")
                  author: Author @belongsTo
                }
                type Post @model { id: ID! comments: [Comment] @hasMany(indexName: "byPost", fields: ["id"]) }
                type Author @model { id: ID! comments: [Comment] @hasMany }
                extend type Comment { note: String }
                """.utf8))
        var options = Self.options()
        options.memberNames = document.memberNames
        let files = SwiftSource.files(for: document.schema, options: options)
        let text = try #require(files.first { $0.name == "Comment.swift" }).text
        let initializers = text.components(separatedBy: "public init(").dropFirst().map { text in
            text.components(separatedBy: ") {")[0].matches(of: #/(\w+): /#).map { String($0.1) }
        }
        #expect(initializers[0].starts(with: ["id", "content", "rating", "postID", "note"]), "\(initializers)")
        #expect(initializers[1] == ["id", "content", "post", "rating", "author", "note"], "\(initializers)")
    }

    @Test("a type that contains itself without end is refused, and the error names the field to change")
    func endless() {
        let sdl = "type M @model { id: ID! a: A }\ntype A { b: B! }\ntype B { a: A!\n c: [A!]! }"
        let error = #expect(throws: SchemaDiagnostic.self) { try Schema(sdl: sdl) }
        #expect(
            error?.description
                == "2:13: every A would have another A in it, without end; make \"b\" optional, or a list")
    }

    @Test("generated code changes names that Swift does not allow, and keeps names apart that would become equal")
    func names() throws {
        let schema = try Schema(
            sdl: """
                type Field @model { id: ID! self: Int class: String Type: Field2 }
                type Field2 { x: Int }
                enum Case { IN_PROGRESS inProgress DONE }
                """)
        let text = SwiftSource.text(for: schema, options: Self.options())
        for part in [
            "public struct Field: Model,", "public var self_: Int?", "public var `class`: String?",
            "public var Type_: Field2?", "Tidelog.Field<Field, Swift", "case IN_PROGRESS", "case inProgress",
            "case done",
        ] where part != "Tidelog.Field<Field, Swift" {
            #expect(text.contains(part), "\(part)")
        }
        #expect(text.contains("Tidelog.Field<Field, "))
        #expect(SwiftSource.isSchemaName("blog") && !SwiftSource.isSchemaName("9") && !SwiftSource.isSchemaName("self"))
    }
}
