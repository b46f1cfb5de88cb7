import SeededNumbers
import Testing
@testable import TidelogGraphQL

@Suite("Printer")
struct PrinterTests {
    @Test("Type system documents print in canonical form")
    func typeSystem() throws {
        let source = """
            "D" schema@a{query:Q mutation:M} scalar S@specifiedBy(url:"u")
            \"""
               Text
                 of two lines
            \""" type T implements&A&B@a(x:[1,2]y:{z:E}){"d" f(a:Int=1,b:[T!]!@x):Int! g("d" a:Int,b:Int):[Int]}
            interface I union U=|A|B union V enum E{A "b" B@d} input N{a:Int=null}
            directive@d(a:Int)repeatable on|FIELD|OBJECT
            extend schema@b extend scalar S@b extend type T implements C extend interface I{a:Int}
            extend union U=C extend enum E{C} extend input N@d
            """
        let expected = """
            "D"
            schema @a {
              query: Q
              mutation: M
            }

            scalar S @specifiedBy(url: "u")

            \"""
            Text
              of two lines
            \"""
            type T implements A & B @a(x: [1, 2], y: {z: E}) {
              "d"
              f(a: Int = 1, b: [T!]! @x): Int!
              g(
                "d"
                a: Int
                b: Int
              ): [Int]
            }

            interface I

            union U = A | B

            union V

            enum E {
              A
              "b"
              B @d
            }

            input N {
              a: Int = null
            }

            directive @d(a: Int) repeatable on FIELD | OBJECT

            extend schema @b

            extend scalar S @b

            extend type T implements C

            extend interface I {
              a: Int
            }

            extend union U = C

            extend enum E {
              C
            }

            extend input N @d

            """
        let document = try Document(parsing: source)
        #expect(document.printed() == expected)
        #expect(try survivesPrinting(document))
    }

    @Test("Executable documents print in canonical form")
    func executable() throws {
        let source = """
            query Q($a:Int=1@d,$b:[T!]!)@d{x:a(b:$a c:"\\u00e9\\n")@e{b ...F@g ...on T{c} ...@h{d}}}
            query($a:Int){a} subscription{a} fragment F on T@d{a} {z}
            """
        let expected = """
            query Q($a: Int = 1 @d, $b: [T!]!) @d {
              x: a(b: $a, c: "é\\n") @e {
                b
                ...F @g
                ... on T {
                  c
                }
                ... @h {
                  d
                }
              }
            }

            query ($a: Int) {
              a
            }

            subscription {
              a
            }

            fragment F on T @d {
              a
            }

            {
              z
            }

            """
        let document = try Document(parsing: source)
        #expect(document.printed() == expected)
        #expect(try survivesPrinting(document))
    }

    @Test("An unnamed query after a type without fields keeps its keyword, so that it is not read as the type's fields")
    func shorthandBehindType() throws {
        let document = try Document(parsing: "type T query { a } { b }")
        #expect(document.printed() == "type T\n\nquery {\n  a\n}\n\n{\n  b\n}\n")
        #expect(try survivesPrinting(document))
    }

    /// A query in which a list with `text` is the argument of a field that is inside `depth` other fields.
    private func query(_ text: String, isBlock: Bool, depth: Int) -> Document {
        let value = Value.string(StringValue(value: text, isBlock: isBlock))
        var field = Field(name: "f", arguments: [Argument(name: "a", value: .list([value]))])
        for _ in 0..<depth { field = Field(name: "o", selectionSet: SelectionSet(selections: [.field(field)])) }
        let set = SelectionSet(selections: [.field(field)])
        return Document(definitions: [.operation(OperationDefinition(operation: .query, selectionSet: set))])
    }

    /// The text in a query that was made like `query(_:isBlock:depth:)`; `nil` if the query has another form.
    private func text(in document: Document, depth: Int) -> String? {
        var selections = document.operations.first?.selectionSet.selections
        for _ in 0..<depth {
            guard case .field(let outer)? = selections?.first else { return nil }
            selections = outer.selectionSet?.selections
        }
        guard case .field(let inner)? = selections?.first else { return nil }
        return inner.arguments["a"]?.elements?.first?.string
    }

    @Test("Any text is the same after printing and parsing, as a quoted and as a block string, at any indentation")
    func anyText() throws {
        let pieces = [
            "a", " ", "  ", "\t", "\n", "\n\n", "\r", "\r\n", "\"", "\"\"\"", "\\", "é", "😀", "\0", "\u{7F}",
            "\u{FEFF}",
        ]
        var random = SeededGenerator(7)
        for _ in 0..<3000 {
            let text = (0..<random.below(8)).map { _ in pieces[random.below(pieces.count)] }.joined()
            for isBlock in [false, true] {
                let depth = random.below(4)
                let document = query(text, isBlock: isBlock, depth: depth)
                let again = try Document(parsing: document.printed())
                guard let read = self.text(in: again, depth: depth) else {
                    Issue.record("another document came back for \(text.debugDescription)")
                    return
                }
                #expect(Array(read.utf8) == Array(text.utf8))
            }
        }
    }

    @Test(
        "A block string prints as a block string if block syntax can express its text, and otherwise as a quoted string"
    )
    func blockStringsStay() {
        func printed(_ text: String) -> String {
            Value.string(StringValue(value: text, isBlock: true)).printed()
        }
        #expect(printed("") == "\"\"\"\"\"\"")
        #expect(printed("a") == "\"\"\"\na\n\"\"\"")
        #expect(printed("a\n  b\n\nc") == "\"\"\"\na\n  b\n\nc\n\"\"\"")
        #expect(printed("  a") == "\"\"\"  a\n\"\"\"")
        #expect(printed("  a\nb") == "\"\"\"\n  a\nb\n\"\"\"")
        #expect(printed("say \"\"\"") == "\"\"\"\nsay \\\"\"\"\n\"\"\"")
        #expect(printed("  a\n b") == "\"  a\\n b\"")
        #expect(printed("a\n") == "\"a\\n\"")
        #expect(printed("\na") == "\"\\na\"")
        #expect(printed("a\rb") == "\"a\\rb\"")
        #expect(printed("\u{0}") == "\"\\u0000\"")
    }

    @Test("Nodes that code creates print like parsed nodes")
    func madeByHand() throws {
        let id = FieldDefinition(name: "id", type: .nonNull(.named("ID")))
        let model = Directive(name: "model", arguments: [Argument(name: "on", value: .boolean(true))])
        let type = TypeDefinition(
            .object, description: StringValue(value: "A post."), name: "Post", interfaces: ["Node"],
            directives: [model], fields: [id])
        let document = Document(definitions: [.type(type)])
        let text = "\"A post.\"\ntype Post implements Node @model(on: true) {\n  id: ID!\n}\n"
        #expect(document.printed() == text)
        #expect(document.definitions[0].printed() + "\n" == text)
        #expect(try shape(of: Document(parsing: text)) == shape(of: document))
    }
}
