import Testing
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Requests that are not executed")
struct RefusedRequestTests {
    private static let sdl =
        """
        enum PostKind { NEWS }
        type Post @model {
          id: ID! title: String! kind: PostKind! day: AWSDate at: AWSDateTime days: [AWSDate] data: AWSJSON phone: AWSPhone
          rank: Int parent: Post @belongsTo posts: [Post] @hasMany
        }
        """

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
                "WrongType: argument 'limit' with value 'StringValue{value='x'}' is not a valid 'Int' @ 'listPosts'"
            ),
            (
                "mutation { createPost(input: {title: 1, kind: NEWS}) { id } }",
                "WrongType: argument 'input.title' with value 'IntValue{value=1}' is not a valid 'String' @ 'createPost'"
            ),
            (
                "mutation { createPost(input: {title: null, kind: NEWS}) { id } }",
                "WrongType: argument 'input.title' with value 'NullValue{}' must not be null @ 'createPost'"
            ),
            (
                "mutation { createPost(input: \"t\") { id } }",
                "WrongType: argument 'input' with value 'StringValue{value='t'}' must be an object type @ 'createPost'"
            ),
            (
                "mutation { createPost(input: {day: \"2026-01-01\"}) { id } }",
                "WrongType: argument 'input' with value 'ObjectValue{objectFields=[ObjectField{name='day', "
                    + "value=StringValue{value='2026-01-01'}}]}' is missing required fields '[title, kind]' @ 'createPost'"
            ),
            (
                "mutation { createPost(input: {title: \"t\", kind: NEWS, x: [1.5, true, null, A]}) { id } }",
                "WrongType: argument 'input' with value 'ObjectValue{objectFields=[ObjectField{name='title', "
                    + "value=StringValue{value='t'}}, ObjectField{name='kind', value=EnumValue{name='NEWS'}}, "
                    + "ObjectField{name='x', value=ArrayValue{values=[FloatValue{value=1.5}, BooleanValue{value=true}, "
                    + "NullValue{}, EnumValue{name='A'}]}}]}' contains a field not in "
                    + "'CreatePostInput': 'x' @ 'createPost'"
            ),
            (
                "mutation { createPost(input: {title: \"t\", kind: OLD}) { id } }",
                "WrongType: argument 'input.kind' with value 'EnumValue{name='OLD'}' is not a valid 'PostKind' @ 'createPost'"
            ),
            (
                "mutation { createPost(input: {title: \"t\", kind: NEWS, days: [\"2026-01-01\", \"2026\"]}) { id } }",
                "WrongType: argument 'input.days[1]' with value 'StringValue{value='2026'}' is not a valid 'AWSDate' "
                    + "@ 'createPost'"
            ),
            (
                "query ($id: String!) { getPost(id: $id) { id } }",
                "VariableTypeMismatch: Variable type 'String!' doesn't match expected type 'ID!' @ 'getPost'"
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

    @Test(
        "an unknown name keeps AppSync's message, and the extensions of the error have the most similar name",
        arguments: [
            ("{ getPosd(id: 1) { id } }", "Field 'getPosd' in type 'Query' is undefined", "getPost"),
            ("{ getPost(id: 1) { titel } }", "Field 'titel' in type 'Post' is undefined", "title"),
            ("{ getPost(idd: 1, id: 1) { id } }", "Unknown field argument idd", "id"),
            ("query ($i: Strng) { getPost(id: $i) { id } }", "Unknown type Strng", "String"),
            ("{ listPosts(filter: {titel: {eq: \"x\"}}) { items { id } } }", "contains a field not in", "title"),
            ("{ listPosts(filter: {title: {eqq: \"x\"}}) { items { id } } }", "contains a field not in", "eq"),
            (
                "mutation { createPost(input: {title: \"t\", kind: NEW}) { id } }", "is not a valid 'PostKind'", "NEWS"
            ),
        ])
    func suggestions(query: String, message: String, suggestion: String) async throws {
        let served = try await ServedSchema(Self.sdl)
        let response = try await served.service.respond(to: ServiceRequest(query), from: .apiKey)
        #expect(response.errors.first?.message.contains(message) == true, "\(response.errors.map(\.message))")
        #expect(response.errors.first?.message.contains("id you mean") == false)
        let json = String(decoding: response.json, as: UTF8.self)
        #expect(
            json.contains(#""extensions":{"suggestion":"Did you mean \"\#(suggestion)\"?"}"#), "\(json)")
    }

    @Test("an unknown field in a variable has a suggestion too, and an error without one has no extensions")
    func suggestionsForVariables() async throws {
        let served = try await ServedSchema(Self.sdl)
        let query = "query ($f: ModelPostFilterInput) { listPosts(filter: $f) { items { id } } }"
        for (name, suggestion) in [("titel", "title"), ("colour", nil)] as [(String, String?)] {
            let filter = InputObject([.init(name: name, value: .object(["eq": .string("x")]))])
            let response = try await served.service.respond(
                to: ServiceRequest(query, variables: ["f": .object(filter)]), from: .apiKey)
            let json = String(decoding: response.json, as: UTF8.self)
            let wanted = suggestion.map { #""extensions":{"suggestion":"Did you mean \"\#($0)\"?"}"# }
            #expect(json.contains(wanted ?? "'colour'") && json.contains("extensions") == (wanted != nil), "\(json)")
        }
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
                ["input": ["title": .string("t"), "kind": .string("NEWS"), "foo": .int(1)]],
                "The variables input contains a field name 'foo' that is not defined for input object type "
                    + "'CreatePostInput'"
            ),
            ([:], "Variable 'input' has coerced Null value for NonNull type 'CreatePostInput!'"),
            (["input": .null], "Variable 'input' has coerced Null value for NonNull type 'CreatePostInput!'"),
            (
                ["input": ["title": .null, "kind": .string("NEWS")]],
                "Variable 'title' has coerced Null value for NonNull type 'String!'"
            ),
            (
                ["input": ["kind": .string("NEWS")]],
                "Variable 'title' has coerced Null value for NonNull type 'String!'"
            ),
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
        "values of variables that do not fit give AppSync's error messages, and the place of the variable",
        arguments: [
            ("rank", .string("x"), "Variable 'rank' has an invalid value. Expected type 'Int' but was 'String'."),
            ("rank", .double(1.5), "Variable 'rank' has an invalid value. Expected type 'Int' but was 'Double'."),
            ("title", .list([]), "Variable 'title' has an invalid value. Expected type 'String' but was 'ArrayList'."),
            ("title", .bool(true), "Variable 'title' has an invalid value. Expected type 'String' but was 'Boolean'."),
            (
                "kind", .string("OLD"),
                "Variable 'kind' has an invalid value. Invalid input for Enum 'PostKind'. No value found for name 'OLD'."
            ),
            ("day", .string("2026"), "Variable 'day' has an invalid value. Unable to parse `2026` as a valid date."),
            (
                "at", .string("2026"),
                "Variable 'at' has an invalid value. Unable to parse `2026` as a valid DateTime Object."
            ),
            (
                "days", .list([.string("2026-01-01"), .string("x")]),
                "Variable 'days' has an invalid value. Unable to parse `x` as a valid date."
            ),
            (
                "data", .object(["a": .int(1), "b": .list([.string("c"), .null])]),
                "Variable 'data' has an invalid value. Unable to parse {a=1, b=[c, null]} as valid JSON."
            ),
            (
                "phone", .string("1"),
                "Variable 'phone' has an invalid value. Unable to parse `1` as a valid phone number."
            ),
        ] as [(String, InputValue, String)])
    func values(field: String, value: InputValue, message: String) async throws {
        let served = try await ServedSchema(Self.sdl)
        var input = InputObject([.init(name: field, value: value)])
        if field != "title" { input.members.append(.init(name: "title", value: .string("t"))) }
        if field != "kind" { input.members.append(.init(name: "kind", value: .string("NEWS"))) }
        let query = "mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }"
        let response = try await served.service.respond(
            to: ServiceRequest(query, variables: ["input": .object(input)]), from: .apiKey)
        #expect(response.errors.map(\.message) == [message])
        #expect(response.errors.first?.locations == [SourceLocation(line: 1, column: 11)])
        let whole = try await served.service.respond(
            to: ServiceRequest(query, variables: ["input": .string("x")]), from: .apiKey)
        #expect(
            whole.errors.map(\.message) == [
                "Variable 'input' has an invalid value. Expected type 'Map' but was 'String'. Variables for input objects "
                    + "must be an instance of type 'Map'."
            ])
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
        #expect(throws: ServiceRequest.Malformed.self) { try ServiceRequest(body: Array(text.utf8)) }
    }

    @Test("a page token can be made for every depth of variables and literals that the service accepts")
    func deepest() async throws {
        let served = try await ServedSchema(Self.sdl)
        let levels = 29
        let text = String(repeating: "{not:", count: levels) + "$f" + String(repeating: "}", count: levels)
        let query = "query ($f: ModelPostFilterInput) { listPosts(limit: 1, filter: \(text)) { nextToken } }"
        for number in ["1", "2"] {
            _ = try await served.data(
                "mutation { createPost(input: {id: \"\(number)\", title: \"t\", kind: NEWS}) { id } }")
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
