import Foundation
import TestCompiler
import Testing
import TidelogCore
import TidelogModelgen
import TidelogSDL

/// Compiles the models of each schema of Amplify's documentation, as a module of its own.
@Suite("Generated models of documented schemas")
struct DocumentationSchemaTests {
    @Test("every schema of Amplify's documentation gives models that compile without a warning", arguments: 0..<2)
    func compiles(half: Int) throws {
        let folder = Compiler.repository.appending(path: "Tests/Fixtures/schemas")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".graphql") }.sorted()
        #expect(names.count > 200)
        for (position, name) in names.enumerated() where position % 2 == half {
            let document = try SchemaDocument(sdl: Array(Data(contentsOf: folder.appending(path: name))))
            let files = SwiftSource.files(
                for: document.schema, options: .init(schemaFile: name, memberNames: document.memberNames))
            let findings = try Compiler.findings(in: files.map { ($0.name, $0.text) })
            #expect(findings.isEmpty, "\(name): \(findings.prefix(2_000))")
        }
    }

    @Test("the compiler check finds code that does not compile")
    func compiler() throws {
        #expect(try Compiler.findings(in: [("Wrong.swift", "let number: Int = \"text\"\n")]).contains("error:"))
    }

    @Test("a predicate of another model does not compile, and a predicate of the queried model does")
    func predicates() throws {
        let document = try SchemaDocument(
            sdl: Array(
                """
                type City @model { id: ID! name: String! place: Place tags: [String!] }
                type Country @model { id: ID! name: String! }
                type Place { label: String! height: Float }
                """.utf8))
        let models = SwiftSource.files(
            for: document.schema, options: .init(schemaFile: "world.graphql", memberNames: document.memberNames)
        ).map { (name: $0.name, text: $0.text) }
        func findings(_ predicate: String) throws -> String {
            let use = """
                import Foundation
                import Tidelog

                func find(_ store: DataStore) async throws -> [City] {
                    try await store.query(City.self, where: \(predicate))
                }
                """
            return try Compiler.findings(in: models + [("Use.swift", use)])
        }
        for fitting in [
            #"City.keys.name == "Tokyo" && City.keys.place.height > 10"#, #"City.keys.name.in(["Tokyo"])"#,
            #"!City.keys.tags.contains("old") || City.keys.place.label.beginsWith("t", ignoringCase: true)"#, ".all",
        ] {
            #expect(try findings(fitting).isEmpty, "\(fitting)")
        }
        for foreign in [
            #"Country.keys.name == "Tokyo""#, #"City.keys.name == "Tokyo" && Country.keys.name == "Japan""#,
            "!(Country.keys.name != nil)", #"Country.keys.name.in(["Tokyo"])"#,
        ] {
            #expect(try findings(foreign).contains("error:"), "\(foreign)")
        }
    }
}
