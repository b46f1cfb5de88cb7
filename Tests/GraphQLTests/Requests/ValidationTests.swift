import Testing

@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

/// Tests each rule of §5 of the GraphQL specification with documents that keep it and documents that break it. The errors must
/// have the right messages and places.
@Suite("Validation of requests")
struct ValidationTests {
    @Test(
        "Documents that keep every rule have no errors",
        arguments: [
            "{ book(id: 1) { id title } }",
            "query One { place { name } } query Two { place { name } }",
            "{ book(id: \"1\") { ...Text } } fragment Text on Book { title cover }",
            "{ node { id ... on Book { pages } ... on Author { id: id name } } }",
            "{ search(text: \"\"\"x\"\"\") { __typename ... on Node { id } ... on Book { title } } }",
            "query ($id: ID!, $first: Int = 3) { book(id: $id) { related(first: $first) { id } } }",
            "query ($limit: Int = 5) { books(limit: $limit) { id } }",
            "query ($title: String!) { books(filter: {title: $title, and: {pages: 1}}) { id } }",
            "{ books(filter: {pages: [1, null], order: NEWEST, code: \"12\"}, order: null, tags: \"x\") { id } }",
            "query ($on: Boolean!) @trace { place @include(if: $on) { name @label(text: \"a\") @label(text: \"b\") } }",
            "{ book(id: 1) { pages price: pages } b: book(id: 1) { pages } }",
            "{ book(id: 1) { id id ...B ...B } } fragment B on Book { id ...C } fragment C on Book { id }",
            "{ node { ... on Book { pages: title } ... on Author { pages } } }",
            "{ byKey(key: {id: 1}) { id } }",
            "query ($id: ID!) { byKey(key: {id: $id}) { id } }",
            "subscription S { bookAdded { id } }",
            "subscription { ... on Subscription { ...S } } fragment S on Subscription { bookRemoved }",
            "mutation M { addBook(input: {title: \"x\"}) { id } removeBooks(ids: 4) }",
            "{ __schema { types { name fields { name } } } __type(name: \"Book\") { kind } __typename }",
            "query ($x: Int @label(text: \"v\")) { book(id: 1, edition: $x) { id } }",
        ])
    func valid(document: String) throws {
        #expect(try Library.complaints(document) == [])
    }

    @Test(
        "A document that breaks a rule of operations or fragments (§5.1, §5.2, §5.5.1) has the expected errors",
        arguments: definitionVectors)
    func definitions(document: String, expected: [String]) throws {
        #expect(try Library.complaints(document) == expected)
    }

    private static let definitionVectors: [(String, [String])] = [
        ("{ place { name } } type T { a: Int }", ["1:20 The \"T\" definition is not executable."]),
        ("{ place { name } } extend schema @trace", ["1:20 The schema definition is not executable."]),
        ("{ place { name } } directive @d on FIELD", ["1:20 The \"d\" definition is not executable."]),
        (
            "query Q { place { name } } query Q { place { name } }",
            ["1:7 1:34 There can be only one operation named \"Q\"."]
        ),
        (
            "{ place { name } } query Q { place { name } }",
            ["1:1 This anonymous operation must be the only defined operation."]
        ),
        (
            "subscription S { bookAdded { id } bookRemoved }",
            ["1:35 Subscription \"S\" must select only one top level field."]
        ),
        (
            "subscription { ...F } fragment F on Subscription { bookRemoved b: bookRemoved }",
            ["1:64 Anonymous Subscription must select only one top level field."]
        ),
        (
            "subscription { __typename }",
            ["1:16 Anonymous Subscription must not select an introspection top level field."]
        ),
        (
            "{ place { ...F } } fragment F on Place { name } fragment F on Place { name }",
            ["1:29 1:58 There can be only one fragment named \"F\"."]
        ),
        ("{ place { ...F } }", ["1:14 Unknown fragment \"F\"."]),
        ("{ place { name } } fragment F on Place { name }", ["1:20 Fragment \"F\" is never used."]),
        ("{ place { ... on Plac { name } } }", ["1:18 Unknown type \"Plac\". Did you mean \"Place\"?"]),
        ("{ place { ... on Int { name } } }", ["1:18 Fragment cannot condition on non composite type \"Int\"."]),
        (
            "{ place { ...F } } fragment F on NewBook { title }",
            ["1:34 Fragment \"F\" cannot condition on non composite type \"NewBook\"."]
        ),
        (
            "{ place { ... on Book { id } } }",
            ["1:11 Fragment cannot be spread here as objects of type \"Place\" can never be of type \"Book\"."]
        ),
        (
            "{ node { ...F } } fragment F on Place { name }",
            ["1:10 Fragment \"F\" cannot be spread here as objects of type \"Node\" can never be of type \"Place\"."]
        ),
        (
            "{ place { ...A } } fragment A on Place { name ...A }",
            ["1:47 Cannot spread fragment \"A\" within itself."]
        ),
        (
            "{ place { ...A } } fragment A on Place { ...B } fragment B on Place { ...A }",
            ["1:42 1:71 Cannot spread fragment \"A\" within itself via \"B\"."]
        ),
    ]

    @Test(
        "A document that breaks a rule of fields or of their merging (§5.3) has the expected errors",
        arguments: fieldVectors)
    func fields(document: String, expected: [String]) throws {
        #expect(try Library.complaints(document) == expected)
    }

    private static let overlap = "Use different aliases on the fields to fetch both if this was intentional."

    private static let fieldVectors: [(String, [String])] = [
        ("{ plaze { name } }", ["1:3 Cannot query field \"plaze\" on type \"Query\". Did you mean \"place\"?"]),
        ("{ search(text: \"\") { id } }", ["1:22 Cannot query field \"id\" on type \"Hit\"."]),
        ("{ place { __schema { description } } }", ["1:11 Cannot query field \"__schema\" on type \"Place\"."]),
        (
            "{ place }",
            [
                "1:3 Field \"place\" of type \"Place\" must have a selection of subfields. Did you mean \"place { ... }\"?"
            ]
        ),
        (
            "{ place { name { x } } }",
            ["1:16 Field \"name\" must not have a selection since type \"String\" has no subfields."]
        ),
        (
            "{ book(id: 1) { a: id a: title } }",
            ["1:17 1:23 Fields \"a\" conflict because \"id\" and \"title\" are different fields. \(overlap)"]
        ),
        (
            "{ book(id: 1) { id } book(id: 2) { id } }",
            ["1:3 1:22 Fields \"book\" conflict because they have differing arguments. \(overlap)"]
        ),
        (
            "{ node { ... on Book { pages } ... on Author { pages } } }",
            [
                "1:24 1:48 Fields \"pages\" conflict because they return conflicting types \"Int\" and \"String\". "
                    + overlap
            ]
        ),
        (
            "{ p: place { name } ...Q } fragment Q on Query { p: place { name: __typename } }",
            [
                "1:3 1:14 1:50 1:61 Fields \"p\" conflict because subfields \"name\" conflict because \"name\" and "
                    + "\"__typename\" are different fields. " + overlap
            ]
        ),
        (
            "{ ...A ...B } fragment A on Query { x: node { id } } fragment B on Query { x: place { name } }",
            ["1:37 1:76 Fields \"x\" conflict because \"node\" and \"place\" are different fields. \(overlap)"]
        ),
    ]

    @Test(
        "A document that breaks a rule of arguments or directives (§5.4, §5.7) has the expected errors",
        arguments: argumentVectors)
    func arguments(document: String, expected: [String]) throws {
        #expect(try Library.complaints(document) == expected)
    }

    private static let argumentVectors: [(String, [String])] = [
        (
            "{ book(id: 1, volume: 2) { id } }",
            ["1:15 Unknown argument \"volume\" on field \"Query.book\"."]
        ),
        (
            "{ book(id: 1, editon: 2) { id } }",
            ["1:15 Unknown argument \"editon\" on field \"Query.book\". Did you mean \"edition\"?"]
        ),
        ("{ book(id: 1, id: 1) { id } }", ["1:8 1:15 There can be only one argument named \"id\"."]),
        (
            "{ book { id } }",
            ["1:3 Field \"book\" argument \"id\" of type \"ID!\" is required, but it was not provided."]
        ),
        ("{ place @trase { name } }", ["1:9 Unknown directive \"@trase\"."]),
        ("{ place @deprecated { name } }", ["1:9 Directive \"@deprecated\" may not be used on FIELD."]),
        (
            "query @label(text: \"q\") { place { name } }",
            ["1:7 Directive \"@label\" may not be used on QUERY."]
        ),
        (
            "{ place @trace @trace { name } }",
            ["1:9 1:16 The directive \"@trace\" can only be used once at this location."]
        ),
        (
            "{ place @label { name @skip(if: true, x: 1) } }",
            [
                "1:9 Directive \"@label\" argument \"text\" of type \"String!\" is required, but it was not provided.",
                "1:39 Unknown argument \"x\" on directive \"@skip\".",
            ]
        ),
    ]

    @Test("A document that breaks a rule of literals (§5.6) has the expected errors", arguments: literalVectors)
    func literals(document: String, expected: [String]) throws {
        #expect(try Library.complaints(document) == expected)
    }

    private static let literalVectors: [(String, [String])] = [
        ("{ book(id: null) { id } }", ["1:12 Expected value of type \"ID!\", found null."]),
        (
            "{ book(id: 1.5) { id } }",
            ["1:12 ID cannot represent a non-string and non-integer value: 1.5"]
        ),
        ("{ book(id: 1, edition: \"2\") { id } }", ["1:24 Int cannot represent non-integer value: \"2\""]),
        (
            "{ book(id: 1, edition: 9223372036854775808) { id } }",
            ["1:24 Int cannot represent non 64-bit signed integer value: 9223372036854775808"]
        ),
        ("{ books(order: \"NEWEST\") { id } }", ["1:16 Enum \"Order\" cannot represent non-enum value: \"NEWEST\"."]),
        (
            "{ books(order: NEWST) { id } }",
            ["1:16 Value \"NEWST\" does not exist in \"Order\" enum. Did you mean \"NEWEST\"?"]
        ),
        ("{ books(tags: [\"a\", 1]) { id } }", ["1:21 String cannot represent a non string value: 1"]),
        ("{ books(tags: [\"a\", null]) { id } }", ["1:21 Expected value of type \"String!\", found null."]),
        ("{ books(filter: 1) { id } }", ["1:17 Expected value of type \"BookFilter\", found 1."]),
        ("{ books(filter: [{}]) { id } }", ["1:17 Expected value of type \"BookFilter\", found [{}]."]),
        (
            "{ books(filter: {titel: \"x\"}) { id } }",
            ["1:18 Field \"titel\" is not defined by type \"BookFilter\". Did you mean \"title\"?"]
        ),
        (
            "{ books(filter: {title: \"x\", title: \"y\"}) { id } }",
            ["1:18 1:30 There can be only one input field named \"title\"."]
        ),
        (
            "{ books(filter: {new: {}}) { id } }",
            ["1:23 Field \"NewBook.title\" of required type \"String!\" was not provided."]
        ),
        (
            "{ books(filter: {code: \"x\"}) { id } }",
            ["1:24 Expected value of type \"Code\", found \"x\"; A code has digits only"]
        ),
        ("{ byKey(key: {}) { id } }", ["1:14 OneOf Input Object \"Key\" must specify exactly one key."]),
        ("{ byKey(key: {id: null}) { id } }", ["1:14 Field \"Key.id\" must be non-null."]),
    ]

    @Test("A document that breaks a rule of variables (§5.8) has the expected errors", arguments: variableVectors)
    func variables(document: String, expected: [String]) throws {
        #expect(try Library.complaints(document) == expected)
    }

    private static let variableVectors: [(String, [String])] = [
        (
            "query ($x: ID!, $x: ID!) { book(id: $x) { id } }",
            ["1:9 1:18 There can be only one variable named \"$x\"."]
        ),
        (
            "query ($x: Book) { book(id: $x) { id } }",
            [
                "1:12 Variable \"$x\" cannot be non-input type \"Book\".",
                "1:8 1:29 Variable \"$x\" of type \"Book\" used in position expecting type \"ID!\".",
            ]
        ),
        ("query ($x: Idd) { book(id: $x) { id } }", ["1:12 Unknown type \"Idd\". Did you mean \"ID\"?"]),
        ("{ book(id: $x) { id } }", ["1:12 1:1 Variable \"$x\" is not defined."]),
        (
            "query Q { ...F } fragment F on Query { book(id: $x) { id } }",
            ["1:49 1:1 Variable \"$x\" is not defined by operation \"Q\"."]
        ),
        ("query ($x: ID) { place { name } }", ["1:8 Variable \"$x\" is never used."]),
        ("query Q($x: ID) { place { name } }", ["1:9 Variable \"$x\" is never used in operation \"Q\"."]),
        (
            "query ($x: ID) { book(id: $x) { id } }",
            ["1:8 1:27 Variable \"$x\" of type \"ID\" used in position expecting type \"ID!\"."]
        ),
        (
            "query ($x: [Int]) { books(filter: {pages: [$x]}) { id } }",
            ["1:8 1:44 Variable \"$x\" of type \"[Int]\" used in position expecting type \"Int\"."]
        ),
        (
            "query ($x: Int = \"a\") { books(limit: $x) { id } }",
            ["1:18 Int cannot represent non-integer value: \"a\""]
        ),
        (
            "query ($x: ID) { byKey(key: {id: $x}) { id } }",
            [
                "1:8 1:34 Variable \"$x\" is of type \"ID\" but must be non-nullable to be used for OneOf Input Object "
                    + "\"Key\"."
            ]
        ),
    ]

    @Test("An operation of a kind that the schema lacks is refused")
    func operationTypes() throws {
        let typeSystem = try TypeSystem(document: Document(parsing: "type Query { a: Int }"))
        let errors = try RequestDocument(parsing: "mutation { a }").validate(against: typeSystem)
        #expect(errors.map(\.message) == ["The mutation operation is not supported by the schema."])
    }

    @Test("Introspection is refused if it is switched off, but __typename is allowed")
    func introspection() throws {
        let options = ValidationOptions(allowsIntrospection: false)
        #expect(
            try Library.complaints("{ __schema { description } __typename }", options: options) == [
                "1:3 GraphQL introspection has been disabled, but the requested query contained the field \"__schema\"."
            ])
        #expect(try Library.complaints("{ place { __typename } }", options: options) == [])
        let type = try Library.complaints("{ __type(name: \"Book\") { name } }", options: options)
        #expect(type.count == 1)
    }
}
