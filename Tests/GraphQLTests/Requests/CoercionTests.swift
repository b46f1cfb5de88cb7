import Testing

@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

@Suite("Coercion of arguments and variables")
struct CoercionTests {
    /// The arguments of the first root field as text, or the errors of the request.
    private func arguments(
        _ text: String, _ variables: InputObject = [:], isIntStrict: Bool = false
    ) throws -> String {
        let document = try RequestDocument(parsing: text)
        let typeSystem = try Library.typeSystem(isIntStrict: isIntStrict)
        let problems = document.validate(against: typeSystem)
        guard problems.isEmpty else { return problems.map(\.message).joined(separator: "\n") }
        do {
            let operation = try ExecutableOperation(document, typeSystem: typeSystem, variables: variables)
            return JSONText.of(try #require(operation.root.fields.first).arguments)
        } catch let error as RequestErrors {
            return error.errors.map(\.message).joined(separator: "\n")
        }
    }

    @Test("A default replaces an absent value but not null, and an absent value without a default stays absent")
    func absence() throws {
        let literal = try arguments("{ books(order: null) { id } }")
        #expect(literal == #"{"order":null,"limit":10}"#)
        let text = "query ($filter: BookFilter, $order: Order, $limit: Int = 3) "
        let field = "{ books(filter: $filter, order: $order, limit: $limit) { id } }"
        #expect(try arguments(text + field) == #"{"limit":3}"#)
        #expect(
            try arguments(text + field, ["order": .null, "limit": .int(1), "filter": ["title": .null]])
                == #"{"filter":{"title":null,"minimum":1},"order":null,"limit":1}"#)
        #expect(
            try arguments("query ($limit: Int) { books(limit: $limit) { id } }") == #"{"limit":10}"#)
    }

    @Test("A null variable for a non-null argument that has a default is an error of the field")
    func nullVariable() async throws {
        let document = try RequestDocument(parsing: "query ($n: Int) { books(limit: $n) { id } place { name } }")
        let operation = try ExecutableOperation(document, typeSystem: Library.typeSystem(), variables: ["n": .null])
        let result = try await operation.execute(over: Shelf(typeName: "Query", fields: [:]), in: Calls())
        #expect(result.errors.map(\.message) == ["Argument \"limit\" of non-null type \"Int!\" must not be null."])
        #expect(result.errors.first?.path == [.field("books")] && result.data == .null)
    }

    @Test("A single value is coerced to a list with one element, also inside an input object")
    func lists() throws {
        #expect(try arguments("{ books(tags: \"a\") { id } }") == #"{"tags":["a"],"limit":10}"#)
        #expect(
            try arguments("{ books(filter: {pages: 1, and: {title: \"t\"}}) { id } }")
                == #"{"filter":{"pages":[1],"minimum":1,"and":[{"title":"t","minimum":1}]},"limit":10}"#)
        let text = "query ($tags: [String!]) { books(tags: $tags) { id } }"
        #expect(try arguments(text, ["tags": .string("a")]) == #"{"tags":["a"],"limit":10}"#)
        #expect(try arguments(text, ["tags": .list([])]) == #"{"tags":[],"limit":10}"#)
    }

    @Test("A variable without a value is null in a list, and absent in an object")
    func variablesInside() throws {
        let text = "query ($p: Int, $t: String) { books(filter: {pages: [1, $p], title: $t}) { id } }"
        #expect(try arguments(text) == #"{"filter":{"pages":[1,null],"minimum":1},"limit":10}"#)
    }

    @Test("A scalar accepts values that fit its type and refuses other values", arguments: scalarVectors)
    func scalars(type: String, value: InputValue, expected: String) throws {
        let text = "type Query { f(x: \(type)): Int } scalar Code enum Order { NEWEST }"
        let typeSystem = try TypeSystem(document: Document(parsing: text), scalars: [Library.code])
        let request = try RequestDocument(parsing: "query ($x: \(type)) { f(x: $x) }")
        do {
            let operation = try ExecutableOperation(request, typeSystem: typeSystem, variables: ["x": value])
            #expect(JSONText.of(operation.root.fields[0].arguments) == "{\"x\":\(expected)}")
        } catch {
            #expect(error.errors.map { $0.message.split(separator: "; ").last.map(String.init) } == [expected])
        }
    }

    private static let scalarVectors: [(String, InputValue, String)] = [
        ("Int", .int(.max), "9223372036854775807"),
        ("Int", .double(2), "2"),
        ("Int", .double(1e30), "Int cannot represent non 64-bit signed integer value: 1e+30"),
        ("Int", .double(1.5), "Int cannot represent non-integer value: 1.5"),
        ("Int", .string("1"), "Int cannot represent non-integer value: \"1\""),
        ("Int", .bool(true), "Int cannot represent non-integer value: true"),
        ("Float", .int(3), "3.0"),
        ("Float", .double(.infinity), "Float cannot represent non numeric value: inf"),
        ("Float", .string("1"), "Float cannot represent non numeric value: \"1\""),
        ("String", .int(1), "String cannot represent a non string value: 1"),
        ("String", .list([.int(1)]), "String cannot represent a non string value: […]"),
        ("Boolean", .int(1), "Boolean cannot represent a non boolean value: 1"),
        ("ID", .int(-5), "\"-5\""),
        ("ID", .string(""), "\"\""),
        ("ID", .double(1), "ID cannot represent value: 1.0"),
        ("ID", .object([:]), "ID cannot represent value: {}"),
        ("Order", .string("NEWEST"), "\"NEWEST\""),
        ("Order", .string("NEW"), "Value \"NEW\" does not exist in \"Order\" enum."),
        ("Order", .int(1), "Enum \"Order\" cannot represent non-string value: 1."),
        ("Code", .string("007"), "\"007\""),
        ("Code", .string("x"), "Expected type \"Code\". A code has digits only"),
        ("[Int!]", .list([.null]), "Expected non-nullable type \"Int!\" not to be null."),
    ]

    @Test("Strict Ints have 32 bits, as literals, as variables and as results")
    func strictInts() async throws {
        let text = "{ book(id: 1, edition: 2147483648) { id } }"
        #expect(try arguments(text) == #"{"id":"1","edition":2147483648}"#)
        let complaint = "Int cannot represent non 32-bit signed integer value: 2147483648"
        #expect(try arguments(text, isIntStrict: true) == complaint)
        let variable = "query ($e: Int) { book(id: 1, edition: $e) { id } }"
        #expect(try arguments(variable, ["e": .int(1 << 31)], isIntStrict: true).hasSuffix(complaint))
        #expect(
            try arguments(variable, ["e": .int(-1 << 31)], isIntStrict: true) == #"{"id":"1","edition":-2147483648}"#)
        let operation = try ExecutableOperation(
            RequestDocument(parsing: "{ book(id: 1) { pages } }"), typeSystem: Library.typeSystem(isIntStrict: true))
        let root = Shelf(typeName: "Query", fields: ["book": .object("Book", ["pages": .leaf(.int(1 << 31))])])
        #expect(try await operation.execute(over: root, in: Calls()).errors.map(\.message) == [complaint])
    }

    @Test("An error in the value of a variable names the place inside the value")
    func variableErrors() throws {
        let text = "query ($f: BookFilter!, $id: ID!) { books(filter: $f) { id } book(id: $id) { id } }"
        let filter: InputValue = ["pages": .list([.int(1), .string("x")]), "and": .list([["nix": .int(1)]])]
        #expect(
            try arguments(text, ["f": filter]).split(separator: "\n") == [
                "Variable \"$f\" got invalid value \"x\" at \"f.pages[1]\"; "
                    + "Int cannot represent non-integer value: \"x\"",
                "Variable \"$f\" got invalid value { … } at \"f.and[0]\"; "
                    + "Field \"nix\" is not defined by type \"BookFilter\".",
                "Variable \"$id\" of required type \"ID!\" was not provided.",
            ])
        #expect(
            try arguments(text, ["f": .int(1), "id": .null]).split(separator: "\n") == [
                "Variable \"$f\" got invalid value 1; Expected type \"BookFilter\" to be an object.",
                "Variable \"$id\" of non-null type \"ID!\" must not be null.",
            ])
        let missing = try arguments(text, ["f": ["new": [:]], "id": .int(1)])
        #expect(missing.hasSuffix("Field \"title\" of required type \"String!\" was not provided."))
    }

    @Test("An unknown field or enum value in a variable is refused with the most similar name")
    func suggestions() throws {
        let text = "query ($f: BookFilter!) { books(filter: $f) { id } }"
        let misspelled: InputValue = ["titel": .string("x"), "order": .string("NEWST")]
        let errors = try arguments(text, ["f": misspelled])
        #expect(errors.contains("Field \"titel\" is not defined by type \"BookFilter\". Did you mean \"title\"?"))
        #expect(errors.contains("Did you mean \"NEWEST\"?"), "\(errors)")
    }

    @Test("A OneOf input object is refused unless it has exactly one field, and the field is not null")
    func oneOf() throws {
        let text = "query ($key: Key) { byKey(key: $key) { id } }"
        #expect(try arguments(text, ["key": ["id": .int(1)]]) == #"{"key":{"id":"1"}}"#)
        #expect(
            try arguments(text, ["key": [:]]).hasSuffix("Exactly one key must be specified for OneOf type \"Key\"."))
        #expect(try arguments(text, ["key": ["id": .null]]).hasSuffix("Field \"id\" must be non-null."))
    }

    @Test("Coercion of variables stops after 50 errors and reports that the limit was reached")
    func manyErrors() throws {
        let text = "query ($t: [String!]) { books(tags: $t) { id } }"
        let values = Array(repeating: InputValue.int(1), count: 100_000)
        let lines = try arguments(text, ["t": .list(values)]).split(separator: "\n")
        #expect(lines.count == 51)
        #expect(lines.last == "Too many errors processing variables, error limit reached. Execution aborted.")
    }

    @Test("A variable's value that is nested too deeply is refused")
    func deepValues() throws {
        let text = "query ($f: BookFilter) { books(filter: $f) { id } }"
        func nested(_ depth: Int) -> InputObject {
            ["f": (0..<depth).reduce(["title": .null]) { inner, _ in ["and": .list([inner])] }]
        }
        #expect(try arguments(text, nested(40)).hasPrefix("{\"filter\":{\"minimum\":1,\"and\":[{"))
        #expect(try arguments(text, nested(60)) == "Variable values are nested too deeply.")
    }

    @Test("Literals of custom scalars may be of any kind, with variables inside")
    func customLiterals() throws {
        let text = "type Query { f(x: Any): Int } scalar Any"
        let typeSystem = try TypeSystem(document: Document(parsing: text))
        let request = try RequestDocument(
            parsing: "query ($v: Any) { f(x: {a: [1, 2.5, true, null, NAME, \"s\", $v], b: {}}) }")
        #expect(request.validate(against: typeSystem) == [])
        let operation = try ExecutableOperation(request, typeSystem: typeSystem, variables: ["v": .int(9)])
        #expect(
            JSONText.of(operation.root.fields[0].arguments)
                == #"{"x":{"a":[1,2.5,true,null,"NAME","s",9],"b":{}}}"#)
    }
}
