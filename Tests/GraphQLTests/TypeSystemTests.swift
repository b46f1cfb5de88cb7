import Testing
import TidelogGraphQL
import TidelogGraphQLExecution

@Suite("Type system documents")
struct TypeSystemTests {
    @Test("A schema definition has a description, directives and root types")
    func schema() throws {
        let document = try Document(parsing: "\"D\" schema @a { query: Q mutation: M subscription: S }")
        let schema = try #require(document.schemaDefinitions.first)
        #expect(schema.description?.value == "D")
        #expect(schema.directives.first(named: "a") != nil)
        #expect(schema.operationTypes.map(\.operation) == [.query, .mutation, .subscription])
        #expect(schema.operationTypes.map(\.type.value) == ["Q", "M", "S"])
    }

    @Test("An object type has interfaces, directives, and fields with arguments")
    func object() throws {
        let source = """
            \"\"\"
            A post.
            \"\"\"
            type Post implements & Node & Dated @model @auth(rules: [{allow: owner}, {allow: public}]) {
              id: ID!
              "tags" tags(first: Int = 10 @max(is: 99), after: String): [String!]! @a @b @a
            }
            """
        let type = try #require(try Document(parsing: source).onlyType())
        #expect(type.kind == .object)
        #expect(type.description == StringValue(value: "A post.", isBlock: true, span: SourceSpan(start: 0, end: 15)))
        #expect(type.name.value == "Post")
        #expect(type.interfaces.map(\.value) == ["Node", "Dated"])
        #expect(type.directives.map(\.name.value) == ["model", "auth"])
        let rules = try #require(type.directives.first(named: "auth")?.arguments["rules"]?.elements)
        #expect(rules.map { $0["allow"]?.enumName } == ["owner", "public"])
        let tags = try #require(type.fields.first(named: "tags"))
        #expect(tags.description?.value == "tags")
        #expect(tags.type.printed() == "[String!]!")
        #expect(tags.type.innermost.value == "String")
        #expect(tags.type.isNonNull && tags.type.listElement?.isNonNull == true)
        #expect(tags.directives.all(named: "a").count == 2)
        let first = try #require(tags.arguments.first(named: "first"))
        #expect(first.defaultValue?.int == 10)
        #expect(first.directives.first(named: "max")?.arguments["is"]?.int == 99)
        #expect(type.fields.first(named: "none") == nil)
    }

    @Test("An interface implements interfaces")
    func interface() throws {
        let document = try Document(parsing: "interface I implements A & B @d { a: Int }")
        let type = try #require(document.onlyType())
        #expect(type.kind == .interface)
        #expect(type.interfaces.map(\.value) == ["A", "B"])
        #expect(type.directives.count == 1 && type.fields.map(\.name.value) == ["a"])
    }

    @Test("A union lists members, with or without a leading bar")
    func union() throws {
        for source in ["union U @d = A | B", "union U @d = | A | B"] {
            let type = try #require(try Document(parsing: source).onlyType())
            #expect(type.kind == .union)
            #expect(type.members.map(\.value) == ["A", "B"] && type.directives.count == 1)
        }
    }

    @Test("An enum has described values with directives")
    func enumeration() throws {
        let source = "enum E { A \"old\" B @deprecated(reason: \"x\") type }"
        let type = try #require(try Document(parsing: source).onlyType())
        #expect(type.kind == .enum)
        #expect(type.enumValues.map(\.name.value) == ["A", "B", "type"])
        let old = try #require(type.enumValues.first(named: "B"))
        #expect(old.description?.value == "old")
        #expect(old.directives.first(named: "deprecated")?.arguments["reason"]?.string == "x")
    }

    @Test("An input type has fields with default values")
    func input() throws {
        let source = "input I @d { a: Int = -1 b: [E!] = [X, Y] c: T = {d: null, e: 1.5} }"
        let type = try #require(try Document(parsing: source).onlyType())
        #expect(type.kind == .inputObject)
        #expect(type.inputFields.first(named: "a")?.defaultValue?.int == -1)
        #expect(type.inputFields.first(named: "b")?.defaultValue?.elements?.map(\.enumName) == ["X", "Y"])
        let object = try #require(type.inputFields.first(named: "c")?.defaultValue)
        #expect(object["d"]?.isNull == true)
        #expect(object["e"]?.double == 1.5)
        #expect(object["f"] == nil)
    }

    @Test("A scalar has directives")
    func scalar() throws {
        let document = try Document(parsing: "\"D\" scalar S @specifiedBy(url: \"u\")")
        let type = try #require(document.onlyType())
        #expect(type.kind == .scalar)
        #expect(type.description?.value == "D" && type.name.value == "S" && type.directives.count == 1)
    }

    @Test("A directive definition may be repeatable and names its locations")
    func directive() throws {
        let all = DirectiveDefinition.Location.allCases.map(\.rawValue).joined(separator: " | ")
        let document = try Document(parsing: "\"D\" directive @d(a: Int = 1 b: [T!]) repeatable on | \(all)")
        let directive = try #require(document.directiveDefinitions.first)
        #expect(directive.locations == DirectiveDefinition.Location.allCases)
        #expect(directive.locations.count == 19 && directive.locations.filter(\.isExecutable).count == 8)
        #expect(directive.isRepeatable && directive.description?.value == "D")
        #expect(directive.arguments.map(\.name.value) == ["a", "b"])
        #expect(try Document(parsing: "directive @d on FIELD").directiveDefinitions.first?.isRepeatable == false)
    }

    @Test("Every kind of definition can be extended")
    func extensions() throws {
        let document = try Document(
            parsing: """
                extend schema @a { subscription: S }
                extend scalar A @a
                extend type B implements I & J @a { b: Int }
                extend interface C implements I @a { b: Int }
                extend union D @a = X | Y
                extend enum E @a { X Y }
                extend input F @a { b: Int = 1 }
                """)
        #expect(document.schemaExtensions.first?.operationTypes.first?.operation == .subscription)
        #expect(document.schemaExtensions.first?.directives.count == 1)
        #expect(document.typeExtensions.map(\.name.value) == ["A", "B", "C", "D", "E", "F"])
        #expect(document.typeExtensions.allSatisfy { $0.directives.map(\.name.value) == ["a"] })
        let types = document.typeExtensions
        #expect(types.map(\.kind) == [.scalar, .object, .interface, .union, .enum, .inputObject])
        #expect(types[1].interfaces.count == 2 && types[1].fields.count == 1)
        #expect(types[2].interfaces.count == 1 && types[2].fields.count == 1)
        #expect(types[3].members.map(\.value) == ["X", "Y"])
        #expect(types[4].enumValues.map(\.name.value) == ["X", "Y"])
        #expect(types[5].inputFields.first?.defaultValue?.int == 1)
    }

    @Test("Spans cover a node from its description to its last token")
    func spans() throws {
        let source = "# c\n\"D\" type T @d(a: [1]) {\n  \"f\" f(x: Int = 2): [Int!]! @e # c\n}\n\n"
        func text(_ span: SourceSpan) -> String {
            String(decoding: Array(source.utf8)[span.start..<span.end], as: UTF8.self)
        }
        let document = try Document(parsing: source)
        let type = try #require(document.onlyType())
        #expect(type.kind == .object)
        #expect(text(type.span).hasPrefix("\"D\" type") && text(type.span).hasSuffix("# c\n}"))
        #expect(document.definitions.first?.span == type.span)
        #expect(text(type.name.span) == "T")
        #expect(text(type.directives[0].span) == "@d(a: [1])")
        #expect(text(type.directives[0].arguments[0].span) == "a: [1]")
        #expect(type.directives[0].arguments["a"].map { text($0.span) } == "[1]")
        let field = type.fields[0]
        #expect(text(field.span) == "\"f\" f(x: Int = 2): [Int!]! @e")
        #expect(text(field.arguments[0].span) == "x: Int = 2")
        #expect(text(field.type.span) == "[Int!]!")
        #expect(field.type.listElement.map { text($0.span) } == "Int!")
    }
}
