import Testing
import Tidelog
import TidelogGraphQLExecution
import TidelogSDL
import TidelogServer

/// Compares the generated APIs of four schemas with APIs that were written by hand, and checks the API of every schema in
/// Amplify's documentation.
@Suite("APIs of whole schemas")
struct APIFixtureTests {
    static let names = ["blog", "composite", "many-to-many", "auth"]

    private static func expected(_ name: String) throws -> String {
        try Checkout.text("Tests/Fixtures/api/common.graphql") + "\n"
            + Checkout.text("Tests/Fixtures/api/\(name).api.graphql")
    }

    private static func schema(_ name: String) throws -> String {
        try Checkout.text("Tests/Fixtures/api/\(name).graphql")
    }

    @Test("the generated API of a schema equals the API that was written by hand", arguments: names)
    func byHand(_ name: String) throws {
        let api = try API(Self.schema(name))
        let ours = api.document.sortedText().split(separator: "\n\n")
        let theirs = try Document(parsing: Self.expected(name)).sortedText().split(separator: "\n\n")
        for definition in Set(ours).symmetricDifference(theirs).sorted() {
            Issue.record("\(ours.contains(definition) ? "too much" : "missing"):\n\(definition)")
        }
        #expect(ours.count == theirs.count)
        #expect(api.notServed.isEmpty)
    }

    @Test("the generated API without versions equals the API that was written by hand")
    func withoutVersions() throws {
        let api = try API(SchemaDocument(sdl: Array(Self.schema("todo").utf8)), .timestamps)
        // Only syncs use this scalar.
        let theirs = try Document(parsing: Self.expected("todo").replacing("scalar AWSTimestamp", with: ""))
        #expect(api.document.sortedText() == theirs.sortedText())
        #expect(api.notServed.isEmpty)
        let index = api.schema.models.first { $0.name == "Todo" }?.indexes.first
        #expect(index?.queryField == "listTodoByListIdAndRank", "a description for clients has the name of the query")
        #expect(index?.name == "todosByListIdAndRank")
    }

    @Test("every documented schema has an API without versions, unless it declares a field of the server")
    func documentedWithoutVersions() throws {
        var count = 0
        for (name, text) in try Checkout.documentedSchemas() {
            guard let api = try? API(SchemaDocument(sdl: Array(text.utf8)), .timestamps) else {
                #expect(
                    text.contains("_version") || text.contains("_deleted") || text.contains("_lastChangedAt"), "\(name)"
                )
                continue
            }
            count += 1
            let types = api.document.typeDefinitions
            let known = Set(types.map(\.name.value) + ["ID", "String", "Int", "Float", "Boolean"])
            #expect(Set(types.flatMap(\.namedTypes)).isSubset(of: known), "\(name)")
            for word in ["_version", "_deleted", "_lastChangedAt", "startedAt", "lastSync"] {
                #expect(!api.sdl.contains(word), "\(name)")
            }
        }
        #expect(count >= 200)
    }

    @Test("the printed text of an API parses to the same API")
    func printed() throws {
        for name in Self.names {
            let api = try API(Self.schema(name))
            #expect(try Document(parsing: api.sdl).sortedText() == api.document.sortedText())
        }
    }

    @Test("the normal form of a schema gives the same mutations, subscriptions and names of queries", arguments: names)
    func normalForm(_ name: String) throws {
        let api = try API(Self.schema(name))
        let again = try API(api.schema.sdl)
        #expect(Set(again.queries.keys) == Set(api.queries.keys))
        #expect(again.mutations == api.mutations)
        #expect(again.subscriptions == api.subscriptions)
    }

    @Test("the API of every documented schema refers only to types that it defines")
    func documented() throws {
        let schemas = try Checkout.documentedSchemas()
        #expect(schemas.count >= 200)
        for (name, text) in schemas {
            let api = try API(text)
            let types = api.document.typeDefinitions
            let known = Set(types.map(\.name.value) + ["ID", "String", "Int", "Float", "Boolean"])
            #expect(Set(types.flatMap(\.namedTypes)).isSubset(of: known), "\(name)")
            #expect(types.count == Set(types.map(\.name.value)).count, "\(name)")
            let roots = [("Query", api.queries), ("Mutation", api.mutations), ("Subscription", api.subscriptions)]
            for (root, described) in roots {
                var fields: [String] = []
                for type in types where type.kind == .object && type.name.value == root {
                    fields = type.fields.map(\.name.value)
                }
                #expect(Set(fields) == Set(described.keys), "\(name)")
            }
        }
    }
}

@Suite(
    "Second opinion on APIs",
    .enabled(
        if: SchemaOpinion.isInstalled,
        "graphql-core is not installed; scripts/shared/graphql-second-opinion installs it where there is Python"))
struct APIOpinionTests {
    @Test("graphql-core finds the generated APIs equal to the APIs that were written by hand")
    func byHand() throws {
        let questions = try APIFixtureTests.names.map { name in
            SchemaOpinion.Question(
                schema: try API(Checkout.text("Tests/Fixtures/api/\(name).graphql")).sdl,
                expected: try Checkout.text("Tests/Fixtures/api/common.graphql") + "\n"
                    + Checkout.text("Tests/Fixtures/api/\(name).api.graphql"))
        }
        for (name, answer) in zip(APIFixtureTests.names, try SchemaOpinion.answers(to: questions)) {
            #expect(answer.errors.isEmpty && answer.difference == nil, "\(name): \(answer)")
        }
    }

    @Test("graphql-core reports the difference between two schemas and the errors of a schema")
    func differs() throws {
        let answers = try SchemaOpinion.answers(to: [
            .init(schema: "type Query { a: Int }", expected: "type Query { a: Int! }"),
            .init(schema: "type Query { a: Unknown }"), .init(schema: "input A { a: A! } type Query { a(a: A): Int }"),
        ])
        #expect(answers[0].errors.isEmpty && answers[0].difference != nil)
        #expect(!answers[1].errors.isEmpty && !answers[2].errors.isEmpty)
    }

    @Test("graphql-core accepts the API of every documented schema")
    func documented() throws {
        let schemas = try Checkout.documentedSchemas()
        let questions = try schemas.map { SchemaOpinion.Question(schema: try API($0.text).sdl) }
        for (schema, answer) in zip(schemas, try SchemaOpinion.answers(to: questions)) {
            #expect(answer.errors.isEmpty, "\(schema.name): \(answer.errors)")
        }
    }
}
