import Testing

@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

@Suite("Building type systems")
struct TypeSystemBuildingTests {
    private func problems(_ text: String) throws -> [String] {
        do {
            _ = try TypeSystem(document: Document(parsing: text))
            return []
        } catch let error as TypeSystemError {
            return error.problems.map(\.message)
        }
    }

    @Test("Types, fields, arguments and values are found by name, and their types by number")
    func lookUp() throws {
        let typeSystem = try Library.typeSystem()
        let query = try #require(typeSystem.rootType(.query))
        #expect(query.name == "Query" && typeSystem.type("Query") === query)
        #expect(typeSystem.types.enumerated().allSatisfy { $0.offset == $0.element.number })
        let books = try #require(query.field("books"))
        #expect(typeSystem.text(books.type) == "[Book!]!" && books.number == 1)
        #expect(books.argument("limit")?.isRequired == false && books.argument("limit")?.defaultValue?.int == 10)
        #expect(query.field("book")?.argument("id")?.isRequired == true)
        #expect(typeSystem.type("Order")?.enumValues.map(\.name.value) == ["NEWEST", "OLDEST"])
        #expect(typeSystem.type("Hit")?.possibleTypes.map { typeSystem.types[$0].name } == ["Book", "Author"])
        #expect(typeSystem.type("Node")?.possibleTypes.count == 2)
        #expect(typeSystem.type("Key")?.isOneOf == true && typeSystem.type("NewBook")?.isOneOf == false)
        #expect(typeSystem.directive("label")?.isRepeatable == true && typeSystem.directive("skip") != nil)
        #expect(typeSystem.description == "Books, and who wrote them.")
    }

    @Test("Only the query root has the fields of introspection, and every object and union has __typename")
    func metaFields() throws {
        let typeSystem = try Library.typeSystem()
        let query = try #require(typeSystem.type("Query"))
        let book = try #require(typeSystem.type("Book"))
        let hit = try #require(typeSystem.type("Hit"))
        #expect(typeSystem.field("__schema", of: query) != nil && typeSystem.field("__type", of: query) != nil)
        #expect(typeSystem.field("__schema", of: book) == nil && typeSystem.field("__typename", of: book) != nil)
        #expect(typeSystem.field("__typename", of: hit) != nil && hit.field("__typename") == nil)
        #expect(typeSystem.type("__MetaFields") == nil)
    }

    @Test("An extension adds its members to the definition that it extends")
    func extensions() throws {
        let text = """
            type Query { a: Int } extend type Query implements I @tag { i: ID b(c: E): S } interface I { i: ID }
            enum E { A } extend enum E { B } scalar S extend scalar S @specifiedBy(url: "u")
            input N { a: Int } extend input N { b: Int = 1 } union U = Query extend union U = M type M { n(n: N): U }
            extend interface I @tag extend schema { mutation: M query: Query } directive @tag on OBJECT | INTERFACE
            """
        let typeSystem = try TypeSystem(document: Document(parsing: text))
        #expect(typeSystem.type("Query")?.fields.map(\.name) == ["a", "i", "b"])
        #expect(typeSystem.type("Query")?.directives.map(\.name.value) == ["tag"])
        #expect(typeSystem.type("E")?.enumValues.map(\.name.value) == ["A", "B"])
        #expect(typeSystem.type("S")?.specifiedByURL == "u")
        #expect(typeSystem.type("N")?.inputFields.map(\.name) == ["a", "b"])
        #expect(typeSystem.type("U")?.possibleTypes.count == 2)
        #expect(typeSystem.rootType(.mutation)?.name == "M")
    }

    @Test("Directives, descriptions and deprecation are kept as they were written")
    func kept() throws {
        let text = """
            directive @auth(rules: [String]) repeatable on OBJECT | FIELD_DEFINITION
            "the root" type Query @auth(rules: ["a"]) @auth { "a field" a: Int @auth @deprecated b: Int
              @deprecated(reason: "gone") c: Int }
            """
        let query = try #require(try TypeSystem(document: Document(parsing: text)).type("Query"))
        #expect(query.description == "the root" && query.directives.count == 2)
        #expect(query.directives.first?.arguments["rules"]?.elements?.first?.string == "a")
        #expect(query.fields.map(\.directives.deprecationReason) == ["No longer supported", "gone", nil])
        #expect(query.field("a")?.description == "a field")
    }

    @Test(
        "A type system that a service could not execute is refused",
        arguments: [
            ("type T { a: Int }", "Query root type must be provided."),
            ("schema { query: Q } input Q { a: Int }", "The query root type must be Object type, it cannot be Q."),
            ("type Query { a: Missing }", "Unknown type \"Missing\"."),
            ("type Query { a(b: Missing): Int }", "Unknown type \"Missing\"."),
            ("type Query implements Missing { a: Int }", "Unknown type \"Missing\"."),
            ("union U = Missing type Query { a: U }", "Unknown type \"Missing\"."),
            ("type Query { a: __MetaFields }", "Unknown type \"__MetaFields\"."),
            ("schema { query: Missing }", "Unknown type \"Missing\"."),
            ("type Query { a: Int } scalar Query", "There can be only one type named \"Query\"."),
            (
                "type Query { a: Int } directive @d on FIELD directive @d on FIELD",
                "There can be only one directive named \"@d\"."
            ),
            (
                "type Query { a: Int } schema { query: Query } schema { query: Query }",
                "Must provide only one schema definition."
            ),
            (
                "type Query { a: Int } schema { query: Query query: Query }",
                "There can be only one query type in schema."
            ),
            ("type Query { a: Int a: Int }", "Field \"Query.a\" can only be defined once."),
            ("type Query { a(b: Int b: Int): Int }", "Argument \"Query.a.b\" can only be defined once."),
            ("enum E { A A } type Query { a: E }", "Enum value \"E.A\" can only be defined once."),
            ("type Query { a: I } input I { a: Int }", "The type of Query.a must be Output Type but got: I."),
            (
                "type Query { a(b: [Query!]): Int }",
                "The type of Query.a argument b must be Input Type but got: [Query!]."
            ),
            (
                "input I { q: Query } type Query { a(b: I): Int }",
                "The type of I field q must be Input Type but got: Query."
            ),
            ("type Query", "Type Query must define one or more fields."),
            ("union U type Query { a: U }", "Union type U must define one or more members."),
            (
                "union U = S scalar S type Query { a: U }",
                "Union type U can only include Object types, it cannot include S."
            ),
            ("union U = Query | Query type Query { a: U }", "Union type U can only include type Query once."),
            ("type Query { a(b: Int = \"x\"): Int }", "Query.a argument b has an invalid default value: \"x\"."),
            (
                "input I { a: E = B } enum E { A } type Query { a(i: I): Int }",
                "I field a has an invalid default value: B."
            ),
            ("type Query { a: Int @missing }", "Unknown directive \"@missing\"."),
            ("type Query { a: Int @skip(if: true) }", "Directive \"@skip\" may not be used on FIELD_DEFINITION."),
            (
                "scalar S @specifiedBy type Query { a: S }",
                "Directive \"@specifiedBy\" argument \"url\" of type \"String!\" is required, but it was not provided."
            ),
            (
                "type Query { a: Int @deprecated @deprecated }",
                "The directive \"@deprecated\" can only be used once at this location."
            ),
            ("type Query { a(b: Int! @deprecated): Int }", "Required argument Query.a b cannot be deprecated."),
            ("type Query { __a: Int }", "Name \"__a\" must not begin with \"__\", which is reserved by introspection."),
            (
                "type __T { a: Int } type Query { a: Int }",
                "Name \"__T\" must not begin with \"__\", which is reserved by introspection."
            ),
            (
                "input I { i: J! } input J { i: I! } type Query { a(i: I): Int }",
                "Cannot reference Input Object \"I\" within itself through a series of non-null fields."
            ),
            (
                "extend type T { a: Int } type Query { a: Int }",
                "Cannot extend type \"T\" because it is not defined."
            ),
            (
                "extend input Query { a: Int } type Query { a: Int }",
                "Cannot extend type \"Query\" as another kind of type."
            ),
            ("type Query { a: Int } { a }", "Only definitions of a type system are expected."),
            (
                "interface I { a: Int } type Query implements I { b: Int }",
                "Interface field I.a expected but Query does not provide it."
            ),
            (
                "interface I { a: Int! } type Query implements I { a: Int }",
                "Interface field I.a expects type Int! but Query.a is type Int."
            ),
            (
                "interface I { a(b: Int): Int } type Query implements I { a: Int }",
                "Interface field argument I.a(b:) expected but Query.a does not provide it."
            ),
            (
                "interface I { a(b: Int): Int } type Query implements I { a(b: Int!): Int }",
                "Interface field argument I.a(b:) expects type Int but Query.a(b:) is type Int!."
            ),
            (
                "interface I { a: Int } type Query implements I { a(b: Int!): Int }",
                "Argument \"Query.a(b:)\" must not be required type \"Int!\" if not provided by the Interface field "
                    + "\"I.a\"."
            ),
            (
                "interface I { a: Int } interface J implements I { a: Int } type Query implements J { a: Int }",
                "Type Query must implement I because it is implemented by J."
            ),
            (
                "type Query implements Query { a: Int }",
                "Type Query must only implement Interface types, it cannot implement Query."
            ),
            (
                "interface I implements I { a: Int } type Query { a: I }",
                "Type I cannot implement itself because it would create a circular reference."
            ),
            ("interface I { a: Int } type Query implements I & I { a: Int }", "Type Query can only implement I once."),
        ])
    func refused(text: String, expected: String) throws {
        let found = try problems(text)
        #expect(found.contains(expected), "\(found)")
    }

    @Test("Types that no root reaches are allowed, and a field may narrow its interface's union to one member")
    func unreached() throws {
        #expect(try problems("type Query { a: Int } type Unused { b: [[Float!]] } scalar Other") == [])
        #expect(try problems("interface I { a: U } union U = Query type Query implements I { a: Query }") == [])
    }
}
