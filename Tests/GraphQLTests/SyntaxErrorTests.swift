import Testing
import TidelogGraphQL

@Suite("Syntax errors")
struct SyntaxErrorTests {
    @Test(
        "An error names the place, the expected and the found text, and the likely correction",
        arguments: [
            ("", "1:1: expected a definition, found the end of the document"),
            ("\n\n  ", "3:3: expected a definition, found the end of the document"),
            ("tpye A", "1:1: expected a definition, found \"tpye\"; did you mean \"type\"?"),
            ("Enum A", "1:1: expected a definition, found \"Enum\"; did you mean \"enum\"?"),
            ("class A", "1:1: expected a definition, found \"class\""),
            ("type A {\n  a: Int\n  b: }\n}", "3:6: expected a type, found \"}\""),
            ("type A {\r\n  a Int\r\n}", "2:5: expected \":\", found \"Int\""),
            ("type A {\r  é: Int }", "2:3: unexpected character U+00E9"),
            ("type \"é😀\" A", "1:6: expected a name, found a string"),
            ("type A @a(b: \"é😀\" %", "1:19: unexpected character \"%\""),
            ("type A {}", "1:9: expected a field definition, found \"}\"; leave the empty \"{}\" out"),
            (
                "type A implements B, C { a: Int }",
                "1:22: expected \"&\", a directive or \"{\", found \"C\"; interfaces are joined by \"&\""
            ),
            (
                "type A { a: Int = 1 }",
                "1:17: expected a field definition, found \"=\"; only arguments and input fields have default values"
            ),
            ("type A { a(): Int }", "1:12: expected an argument definition, found \")\"; leave the empty \"()\" out"),
            ("type A { a: [Int }", "1:18: expected \"]\", found \"}\""),
            (
                "enum A { null }",
                "1:10: expected an enum value, found \"null\"; true, false and null cannot be enum values"
            ),
            ("input A { a: Int = $b }", "1:20: expected a constant value, found \"$\"; variables have no value here"),
            ("union A = | ", "1:13: expected the name of a type, found the end of the document"),
            ("schema { qery: Q }", "1:10: expected an operation type, found \"qery\"; did you mean \"query\"?"),
            ("schema @a", "1:10: expected \"{\", found the end of the document"),
            ("directive @a on FEILD", "1:17: expected a directive location, found \"FEILD\"; did you mean \"FIELD\"?"),
            ("directive @a FIELD", "1:14: expected \"repeatable\" or \"on\", found \"FIELD\""),
            ("directive @a repeatable FIELD", "1:25: expected \"on\", found \"FIELD\""),
            ("extend typ A", "1:8: expected a kind of definition to extend, found \"typ\"; did you mean \"type\"?"),
            ("extend type A type B", "1:15: expected \"implements\", a directive or \"{\", found \"type\""),
            ("extend scalar A", "1:16: expected a directive, found the end of the document"),
            ("extend union A", "1:15: expected a directive or \"=\", found the end of the document"),
            ("extend schema", "1:14: expected a directive or \"{\", found the end of the document"),
            (
                "\"d\" extend type A @a",
                "1:5: expected a definition to describe, found \"extend\"; an extension takes no description"
            ),
            ("\"d\" { a }", "1:5: expected a definition to describe, found \"{\""),
            ("{ a }}", "1:6: expected a definition, found \"}\""),
            ("{ ... }", "1:7: expected the name of a fragment, \"on\" or \"{\", found \"}\""),
            ("{ ... on T }", "1:12: expected \"{\", found \"}\""),
            ("fragment on on T { a }", "1:10: expected the name of a fragment, found \"on\""),
            ("{ a(b: 'x') }", "1:8: unexpected character \"'\"; strings are written between \" and \""),
            ("{ a(b: .5) }", "1:8: unexpected character \".\"; write a digit before the point, as in 0.5"),
            ("{ a; }", "1:4: unexpected character \";\"; GraphQL needs no semicolons"),
            ("{ ..a }", "1:3: unexpected character \".\"; did you mean \"...\"?"),
            ("\u{FEFF}{ a ? }", "1:6: unexpected character \"?\""),
        ])
    func messages(source: String, expected: String) {
        #expect(complaint(source) == expected)
    }

    @Test("An error has its message, location, span and suggestion in separate properties")
    func parts() throws {
        let error = try #require(throws: GraphQLSyntaxError.self) { try Document(parsing: "# é\ndirectve @a on FIELD") }
        #expect(error.message == "expected a definition, found \"directve\"")
        #expect(error.location == SourceLocation(line: 2, column: 1))
        #expect(error.span == SourceSpan(start: 5, end: 13))
        #expect(error.suggestion == "did you mean \"directive\"?")
    }

    @Test("A message quotes at most 40 bytes of the document")
    func longNames() {
        let name = String(repeating: "x", count: 41)
        let quoted = String(repeating: "x", count: 40)
        #expect(complaint(name) == "1:1: expected a definition, found \"\(quoted)…\"")
        #expect(complaint(quoted) == "1:1: expected a definition, found \"\(quoted)\"")
    }

    @Test("Lines end at LF, CR and CRLF; columns count Unicode scalars")
    func locations() {
        let source = Array("a\nbé\r\n😀x\r\rz".utf8)
        // The offsets of the characters: a 0, \n 1, b 2, é 3-4, \r 5, \n 6, 😀 7-10, x 11, \r 12, \r 13, z 14.
        let expected: [(Int, Int, Int)] = [
            (0, 1, 1), (1, 1, 2), (2, 2, 1), (3, 2, 2), (4, 2, 3), (5, 2, 3), (6, 2, 4), (7, 3, 1), (9, 3, 2),
            (11, 3, 2),
            (12, 3, 3), (13, 4, 1), (14, 5, 1), (15, 5, 2), (99, 5, 2), (-1, 1, 1),
        ]
        let lines = SourceLines(source)
        for (offset, line, column) in expected {
            #expect(SourceLocation(offset: offset, in: source) == SourceLocation(line: line, column: column))
            #expect(lines.location(at: offset, in: source) == SourceLocation(line: line, column: column))
        }
        #expect(SourceLocation(offset: 0, in: []) == SourceLocation(line: 1, column: 1))
    }
}
