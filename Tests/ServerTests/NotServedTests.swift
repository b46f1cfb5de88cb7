import Testing
import TidelogCore
import TidelogSDL
import TidelogServer

@Suite("What an API is refused for or goes without")
struct NotServedTests {
    @Test("directives that need another server are told by name and place, and the API goes without them")
    func directives() throws {
        let api = try API(
            """
            type Todo @model @searchable {
              name: String
              echo: String @function(name: "echo")
              page: String @http(url: "https://example.com")
            }
            type Query {
              say(text: String): String @function(name: "say")
              label: String @predictions(actions: [identifyLabels])
              count: Int @sql(statement: "SELECT 1")
              other: Todo
            }
            """)
        #expect(
            api.notServed.map(\.description) == [
                "1:18: @searchable on Todo is not served", "3:16: @function on Todo.echo is not served",
                "4:16: @http on Todo.page is not served", "7:29: @function on say is not served",
                "8:17: @predictions on label is not served", "9:14: @sql on count is not served",
                "10:3: other has no resolver here and is not served",
            ])
        #expect(!api.sdl.contains("echo") && !api.sdl.contains("page:"))
        #expect(api.queries.keys.sorted() == ["getTodo", "listTodos", "syncTodos"])
    }

    @Test("metadata may be declared with the types that it has, and is no input then either")
    func declaredMetadata() throws {
        let declared = try API(
            "type A @model { a: Int _version: Int _deleted: Boolean _lastChangedAt: AWSTimestamp }")
        #expect(try declared.sdl == API("type A @model { a: Int }").sdl)
        #expect(declared.storedSchema.models[0].field(named: "_version")?.isRequired == true)
        #expect(declared.storedSchema.models[0].fields.count { $0.name == "_version" } == 1)
    }

    @Test("an enum that every API has may be declared, with the same cases")
    func declaredEnum() throws {
        let api = try API("type A @model { a: Int } enum ModelSortDirection { DESC ASC }")
        #expect(api.sdl.contains("enum ModelSortDirection"))
        #expect(throws: SchemaDiagnostic.self) {
            try API("type A @model { a: Int } enum ModelSortDirection { UP DOWN }")
        }
    }

    @Test("rules for callers that the server does not recognise are told")
    func providers() throws {
        let api = try API("type A @model @auth(rules: [{allow: private, provider: iam}, {allow: custom}]) { a: Int }")
        #expect(
            api.notServed.map(\.description) == [
                "1:15: rules of A with the provider iam allow nobody here: it is not served",
                "1:15: rules of A with the provider function allow nobody here: it is not served",
            ])
    }

    @Test(
        "names that the API has of its own are refused where they stand",
        arguments: [
            ("type A @model { _version: String }", "1:17: the API of A has \"_version\" of its own"),
            ("type A @model { not: Int }", "1:17: the API of A has \"not\" of its own"),
            (
                "type A @model { a: Int } enum ModelSizeInput { B }",
                "1:31: the API has a type \"ModelSizeInput\" of its own; choose another name"
            ),
            (
                "type A @model { a: Int @index(queryField: \"listAS\") }",
                "1:6: the API has two fields \"listAS\" for a query"
            ),
            (
                "type A @model { limit: Int @index }",
                "1:6: two arguments of \"aSByLimit\" have one name"
            ),
            ("type A @model(queries: null) { a: Int }", "1:6: the API has no query"),
        ])
    func clashes(_ sdl: String, _ description: String) {
        let diagnostic = #expect(throws: SchemaDiagnostic.self) { try API(sdl) }
        #expect(diagnostic?.description == description)
    }
}
