import Testing
import TidelogGraphQL

@testable import TidelogServer

@Suite("Requests that are not executed")
struct RefusedRequestTests {
    private static let sdl =
        "type Post @model { id: ID! title: String! parent: Post @belongsTo posts: [Post] @hasMany }"

    @Test(
        "validation errors have AppSync's messages with the path, and the request does not count as malformed",
        arguments: [
            ("{ foo }", "FieldUndefined: Field 'foo' in type 'Query' is undefined @ 'foo'"),
            (
                "{ a: getPost(id: 1) { b: parent { color } } }",
                "FieldUndefined: Field 'color' in type 'Post' is undefined @ 'a/b/color'"
            ),
            ("{ getPost { id } }", "MissingFieldArgument: Missing field argument id @ 'getPost'"),
            (
                "{ getPost(id: 1) }",
                "SubSelectionRequired: Sub selection required for type Post of field getPost @ 'getPost'"
            ),
            (
                "{ getPost(id: 1) { id { x } } }",
                "SubSelectionNotAllowed: Sub selection not allowed on leaf type ID! of field id @ 'getPost/id'"
            ),
            ("{ getPost(id: 1, x: 2) { id } }", "UnknownArgument: Unknown field argument x @ 'getPost'"),
            ("{ getPost(id: $i) { id } }", "UndefinedVariable: Undefined variable i @ 'getPost'"),
            ("query ($i: ID) { __typename }", "UnusedVariable: Unused variable i"),
            ("query ($i: Thing) { getPost(id: $i) { id } }", "UnknownType: Unknown type Thing"),
            ("{ getPost(id: 1) { ...F } }", "UndefinedFragment: Undefined fragment F @ 'getPost'"),
            (
                "{ getPost(id: 1) { ...F } } fragment F on Post { color }",
                "FieldUndefined: Field 'color' in type 'Post' is undefined @ 'F/color'"
            ),
            (
                "{ listPosts(limit: \"x\") { items { id } } }",
                "WrongType: Int cannot represent non-integer value: \"x\" @ 'listPosts'"
            ),
            ("{ __typename @x }", "UnknownDirective: Unknown directive x @ '__typename'"),
            ("{ __typename @skip }", "MissingDirectiveArgument: Missing directive argument if @ '__typename'"),
        ])
    func words(query: String, message: String) async throws {
        let served = try await ServedSchema(Self.sdl)
        let response = try await served.service.respond(to: ServiceRequest(query), from: .apiKey)
        #expect(response.errors.map(\.message) == ["Validation error of type " + message])
        #expect(response.errors.first?.path == [] && response.data == .null && response.malformed == nil)
        let json = String(decoding: response.json, as: UTF8.self)
        #expect(json.hasPrefix(#"{"data":null,"errors":[{"path":null,"#), "\(json)")
    }

    @Test("a validation error is sent with status 200, and a query that cannot be parsed with status 400")
    func statuses() async throws {
        try await RunningServer.run(Self.sdl, Authenticator(apiKey: "da2-key")) { port in
            let invalid = try RunningServer.ask(port, "{ foo }")
            #expect(invalid.status == 200)
            #expect(invalid.text.hasPrefix(#"{"data":null,"errors":[{"path":null,"#), "\(invalid.text)")
            let unreadable = try RunningServer.ask(port, "{")
            #expect(unreadable.status == 400)
            #expect(unreadable.text.contains("Unable to parse GraphQL query: "), "\(unreadable.text)")
        }
    }

    @Test(
        "wrong variables give AppSync's error messages",
        arguments: [
            (
                ["input": ["title": .string("t"), "foo": .int(1)]],
                "The variables input contains a field name 'foo' that is not defined for input object type "
                    + "'CreatePostInput'"
            ),
            ([:], "Variable 'input' has coerced Null value for NonNull type 'CreatePostInput!'"),
            (["input": .null], "Variable 'input' has coerced Null value for NonNull type 'CreatePostInput!'"),
            (["input": ["title": .null]], "Variable 'title' has coerced Null value for NonNull type 'String!'"),
            (["input": [:]], "Variable 'title' has coerced Null value for NonNull type 'String!'"),
        ] as [(InputObject, String)])
    func variables(variables: InputObject, message: String) async throws {
        let served = try await ServedSchema(Self.sdl)
        let query = "mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }"
        let response = try await served.service.respond(
            to: ServiceRequest(query, variables: variables), from: .apiKey)
        #expect(response.errors.map(\.message) == [message])
        #expect(response.errors.first?.locations == [] && response.data == .null && response.malformed == nil)
    }

    @Test(
        "a query that cannot be parsed makes the request malformed, and the message has the line and column",
        arguments: ["", "{", "{ a(b: }", "query", "{ a } }", "\u{0}"])
    func syntax(query: String) async throws {
        let served = try await ServedSchema(Self.sdl)
        let response = try await served.service.respond(to: ServiceRequest(query), from: .apiKey)
        let message = try #require(response.malformed?.message)
        #expect(message.hasPrefix("Unable to parse GraphQL query: ") && message.contains(" (line 1, column "))
    }

    @Test(
        "a body that is not a GraphQL request is refused",
        arguments: [
            "", " ", "nothing", "[]", "{}", "null", "1", "[{\"query\":\"{ __typename }\"}]", "{\"query\":1}",
            "{\"query\":null}", "{\"query\":\"{ a }\"} {}", "{\"query\":\"{ a }\"", "{\"query\":\"{ a }\",}",
            "{\"query\":\"{ a }\",\"variables\":[]}", "{\"query\":\"{ a }\",\"variables\":\"{}\"}",
            "{\"query\":\"{ a }\",\"operationName\":1}", "{\"query\":\"{ a }\"}x",
        ])
    func body(text: String) {
        #expect(throws: MalformedRequest.self) { try ServiceRequest(body: Array(text.utf8)) }
    }

    @Test("a page token can be made for every depth of variables and literals that the service accepts")
    func deepest() async throws {
        let served = try await ServedSchema(Self.sdl)
        let levels = 29
        let text = String(repeating: "{not:", count: levels) + "$f" + String(repeating: "}", count: levels)
        let query = "query ($f: ModelPostFilterInput) { listPosts(limit: 1, filter: \(text)) { nextToken } }"
        for number in ["1", "2"] {
            _ = try await served.data("mutation { createPost(input: {id: \"\(number)\", title: \"t\"}) { id } }")
        }
        var taken = 0
        for depth in 1...126 {
            let value = (0..<depth).reduce(InputValue.object([:])) { inner, _ in ["not": inner] }
            let response = try await served.service.respond(
                to: ServiceRequest(query, variables: ["f": value]), from: .apiKey)
            // The token of the next page is bound to the arguments, so the service must be able to write them too.
            if response.errors.isEmpty {
                taken += 1
                #expect(response.data["listPosts"]?["nextToken"]?.text != nil)
            }
        }
        #expect(taken > 50)
    }

    @Test("a document with several operations needs an operation name")
    func severalOperations() async throws {
        let served = try await ServedSchema(Self.sdl)
        let document = "query A { __typename } query B { listPosts { items { id } } }"
        let response = try await served.service.respond(to: ServiceRequest(document), from: .apiKey)
        #expect(response.malformed?.message == "Must provide operation name if query contains multiple operations.")
        let named = ServiceRequest(document, operationName: "B")
        #expect(try await served.service.respond(to: named, from: .apiKey).malformed == nil)
    }

    @Test(
        "a date and time needs an offset",
        arguments: [
            ("2026-11-21T10:30:00", false), ("2026-11-21T10:30:00.250", false), ("2026-11-21T10:30:00Z", true),
            ("2026-11-21T10:30:00-07:00", true), ("2026-11-21T10:30:00.5+01:00", true), ("2026-11-21", false),
        ])
    func offsets(text: String, isTaken: Bool) async throws {
        let served = try await ServedSchema("type Event @model { id: ID! at: AWSDateTime }")
        let document = "mutation { createEvent(input: {at: \"\(text)\"}) { at } }"
        #expect(try await served.ask(document).contains("errors") == !isTaken)
    }
}
