import Testing
import TidelogCore
import TidelogSDL
import TidelogServer

@Suite("Schemas that are refused or only partly served")
struct NotServedTests {
    @Test("directives that need another server are reported with name and place, and their fields are not in the API")
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

    @Test("a schema may declare the metadata fields with their types, and its API is the same as without them")
    func declaredMetadata() throws {
        let declared = try API(
            "type A @model { a: Int _version: Int _deleted: Boolean _lastChangedAt: AWSTimestamp }")
        #expect(try declared.sdl == API("type A @model { a: Int }").sdl)
        #expect(declared.storedSchema.models[0].field(named: "_version")?.isRequired == true)
        #expect(declared.storedSchema.models[0].fields.count { $0.name == "_version" } == 1)
    }

    @Test("a schema may declare an enum that every API has, but only with the same cases")
    func declaredEnum() throws {
        let api = try API("type A @model { a: Int } enum ModelSortDirection { DESC ASC }")
        #expect(api.sdl.contains("enum ModelSortDirection"))
        #expect(throws: SchemaDiagnostic.self) {
            try API("type A @model { a: Int } enum ModelSortDirection { UP DOWN }")
        }
    }

    @Test("rules with a provider that the server does not support are reported as not served")
    func providers() throws {
        let api = try API("type A @model @auth(rules: [{allow: private, provider: iam}, {allow: custom}]) { a: Int }")
        #expect(
            api.notServed.map(\.description) == [
                "1:15: rules of A with the provider iam allow no caller here: it is not served",
                "1:15: rules of A with the provider function allow no caller here: it is not served",
            ])
    }

    @Test(
        "schemas whose names clash with names of the API, or that give it no query, are refused with the place",
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
