import Testing
import TidelogGraphQL

@Suite("Executable documents")
struct ExecutableTests {
    private let source = """
        query SyncPosts($limit: Int = 100 @d, $filter: [PostFilter!]!) @trace {
          page: syncPosts(limit: $limit, filter: {and: $filter}) @include(if: true) {
            items { id ...Dates ... on Post @x { title } ... @y { body } }
          }
        }
        mutation { createPost(input: {title: "x", rating: null}) { id } }
        fragment Dates on Post @z { _version _lastChangedAt }
        """

    @Test("An operation has type, name, variables, directives and selections")
    func operation() throws {
        let document = try Document(parsing: source)
        #expect(document.operations.map(\.operation) == [.query, .mutation])
        #expect(document.definitions.allSatisfy { $0.isExecutable })
        let query = document.operations[0]
        #expect(query.name?.value == "SyncPosts" && query.directives.count == 1)
        #expect(query.variables.map(\.variable.name.value) == ["limit", "filter"])
        #expect(query.variables.map { $0.type.printed() } == ["Int", "[PostFilter!]!"])
        #expect(query.variables[0].defaultValue?.int == 100 && query.variables[0].directives.count == 1)
        #expect(document.operations[1].name == nil)
    }

    @Test("A field has alias, arguments, directives and selections; its response name is the alias")
    func field() throws {
        guard case .field(let field)? = try Document(parsing: source).operations[0].selectionSet.selections.first else {
            Issue.record("not a field")
            return
        }
        #expect(field.alias?.value == "page" && field.name.value == "syncPosts" && field.responseName == "page")
        #expect(field.arguments["limit"]?.variableName == "limit")
        #expect(field.arguments["filter"]?["and"]?.variableName == "filter")
        #expect(field.directives.first(named: "include")?.arguments["if"]?.boolean == true)
        guard case .field(let items)? = field.selectionSet?.selections.first else {
            Issue.record("no items")
            return
        }
        #expect(items.responseName == "items" && items.selectionSet?.selections.count == 4)
    }

    @Test("A fragment is spread by name, inline with a type condition, or inline without one")
    func fragments() throws {
        let document = try Document(
            parsing: "{ ...F @a ... on T @b { x } ... @c { y } ... { z } } fragment F on T @d { w }")
        let selections = document.operations[0].selectionSet.selections
        guard case .fragmentSpread(let spread) = selections[0], case .inlineFragment(let typed) = selections[1],
            case .inlineFragment(let untyped) = selections[2], case .inlineFragment(let bare) = selections[3]
        else {
            Issue.record("the selections are of other kinds")
            return
        }
        #expect(spread.name.value == "F" && spread.directives.count == 1)
        #expect(typed.typeCondition?.value == "T" && typed.directives.count == 1)
        #expect(untyped.typeCondition == nil && untyped.directives.count == 1)
        #expect(bare.typeCondition == nil && bare.directives.isEmpty)
        let fragment = try #require(document.fragments.first)
        #expect(
            fragment.name.value == "F" && fragment.typeCondition.value == "T" && fragment.directives.count == 1)
    }

    @Test("A query in shorthand parses to the same operation as an unnamed query")
    func shorthand() throws {
        #expect(try shape(of: Document(parsing: "{ a }")) == shape(of: Document(parsing: "query { a }")))
        #expect(try Document(parsing: "query { a }").printed() == "{\n  a\n}\n")
    }

    @Test("An accessor returns nil for a value that its type cannot represent")
    func accessors() throws {
        let values = try ["1", "1.5", "\"s\"", "true", "null", "E", "[1]", "{a: 1}"].map { try Value(parsing: $0) }
        #expect(values.map(\.int) == [1, nil, nil, nil, nil, nil, nil, nil])
        #expect(values.map(\.double) == [1, 1.5, nil, nil, nil, nil, nil, nil])
        #expect(values.map(\.string) == [nil, nil, "s", nil, nil, nil, nil, nil])
        #expect(values.map(\.boolean) == [nil, nil, nil, true, nil, nil, nil, nil])
        #expect(values.map(\.isNull) == [false, false, false, false, true, false, false, false])
        #expect(values.map(\.enumName) == [nil, nil, nil, nil, nil, "E", nil, nil])
        #expect(values.map { $0.elements?.count } == [nil, nil, nil, nil, nil, nil, 1, nil])
        #expect(values.map { $0.fields?.count } == [nil, nil, nil, nil, nil, nil, nil, 1])
        #expect(values.map { $0["a"]?.int } == [nil, nil, nil, nil, nil, nil, nil, 1])
        #expect(try Value(parsing: "9223372036854775807").int == .max)
        #expect(try Value(parsing: "-9223372036854775808").int == .min)
        #expect(try Value(parsing: "9223372036854775808").int == nil)
        #expect(try Value(parsing: "1e999").double == nil)
    }

    @Test("A value or a type that is parsed alone is refused if tokens follow it, and a value if it has variables")
    func singleNodes() throws {
        #expect(try TypeReference(parsing: " [[ID!]]! ").printed() == "[[ID!]]!")
        #expect(throws: GraphQLSyntaxError.self) { try TypeReference(parsing: "ID!!") }
        #expect(throws: GraphQLSyntaxError.self) { try TypeReference(parsing: "") }
        #expect(throws: GraphQLSyntaxError.self) { try Value(parsing: "1 2") }
        #expect(throws: GraphQLSyntaxError.self) { try Value(parsing: "[$a]") }
    }
}
