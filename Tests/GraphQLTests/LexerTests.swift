import Testing

@testable import TidelogGraphQL

@Suite("Lexer")
struct LexerTests {
    private func tokens(_ source: [UInt8]) throws -> [Token] {
        var lexer = Lexer(source, tokenLimit: 1000)
        var tokens: [Token] = []
        while true {
            let token = try lexer.next()
            if token.kind == .endOfDocument { return tokens }
            tokens.append(token)
        }
    }

    private func kinds(_ source: String) throws -> [Token.Kind] { try tokens(Array(source.utf8)).map(\.kind) }

    @Test("Every punctuator is a token of its own, with or without space")
    func punctuators() throws {
        let all: [Token.Kind] = [
            .bang, .dollar, .ampersand, .leftParenthesis, .rightParenthesis, .spread, .colon, .equals, .at,
            .leftBracket, .rightBracket, .leftBrace, .pipe, .rightBrace,
        ]
        #expect(try kinds("!$&()...:=@[]{|}") == all)
        #expect(try kinds("! $ & ( ) ... : = @ [ ] { | }") == all)
        #expect(try kinds("......") == [.spread, .spread])
    }

    @Test("A name is the longest run of letters, digits and underscores that does not start with a digit")
    func names() throws {
        let tokens = try tokens(Array("_ a Z9 __typename aB_3{x}".utf8))
        #expect(tokens.map(\.kind) == [.name, .name, .name, .name, .name, .leftBrace, .name, .rightBrace])
        #expect(tokens[3].span == SourceSpan(start: 7, end: 17))
    }

    @Test("White space, line ends, commas, comments and byte order marks separate tokens and mean nothing")
    func ignored() throws {
        #expect(
            try kinds("\u{FEFF}a,,\t b\r\nc\rd\n#x\u{FEFF}é😀\u{7F}\re\u{FEFF}f#") == Array(repeating: .name, count: 6))
        #expect(try kinds("").isEmpty)
        #expect(try kinds("#").isEmpty)
    }

    @Test("An int has only digits, and a float also has a fraction, an exponent or both")
    func numbers() throws {
        for int in ["0", "-0", "7", "-12", "9007199254740993000000"] { #expect(try kinds(int) == [.int]) }
        for float in ["0.0", "-0.5", "1e0", "1E5", "1e+5", "2.50e-10", "-1.5E+007"] {
            #expect(try kinds(float) == [.float])
        }
        #expect(try kinds("1-2") == [.int, .int])
        #expect(try kinds("1,2 3]") == [.int, .int, .int, .rightBracket])
        #expect(try kinds("1\"a\"#") == [.int, .string])
    }

    @Test(
        "A malformed number is refused at the first wrong character",
        arguments: [
            ("00", "1:1: a number has no leading zeros"),
            ("-01", "1:2: a number has no leading zeros"),
            ("-", "1:2: expected a digit, found the end of the document"),
            ("-a", "1:2: expected a digit, found \"a\""),
            ("1.", "1:3: expected a digit after the point, found the end of the document"),
            ("1.a", "1:3: expected a digit after the point, found \"a\""),
            ("1.é", "1:3: expected a digit after the point, found U+00E9"),
            ("1e", "1:3: expected a digit in the exponent, found the end of the document"),
            ("1e+-", "1:4: expected a digit in the exponent, found \"-\""),
            ("1.5.", "1:4: a number ends before \".\""),
            ("1e5.", "1:4: a number ends before \".\""),
            ("0x1", "1:2: a number ends before \"x\""),
            ("12_", "1:3: a number ends before \"_\""),
            ("1.5f", "1:4: a number ends before \"f\""),
        ])
    func wrongNumbers(source: String, expected: String) {
        #expect(complaint(source) == expected)
    }

    @Test("A document may contain the tab and the line ends, and no other character below U+0020")
    func controlCharacters() {
        for byte in UInt8(0)..<0x20 {
            let isAllowed = byte == 0x09 || byte == 0x0A || byte == 0x0D
            #expect((complaint(Array("{a #".utf8) + [byte] + Array("\n}".utf8)) == nil) == isAllowed)
            #expect((complaint(Array("{a".utf8) + [byte] + Array("}".utf8)) == nil) == isAllowed)
            #expect((complaint(Array("{a(b:\"\"\"".utf8) + [byte] + Array("x\"\"\")}".utf8)) == nil) == isAllowed)
            #expect((complaint(Array("{a(b:\"".utf8) + [byte] + Array("\")}".utf8)) == nil) == (byte == 0x09))
        }
        #expect(complaint("{a #\u{0}") == "1:5: the control character U+0000 is not allowed")
        #expect(complaint("{a(b:\"\u{7F}\")}") == nil)
    }

    @Test(
        "Bytes that are not UTF-8 are refused at any place of a document",
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82], [0xE2, 0x82, 0x41], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func malformedUTF8(bytes: [UInt8]) {
        let message = "these bytes are not UTF-8"
        #expect(complaint(bytes) == "1:1: \(message)")
        #expect(complaint(Array("{a #".utf8) + bytes) == "1:5: \(message)")
        #expect(complaint(Array("{a(b:\"".utf8) + bytes + Array("\")}".utf8)) == "1:7: \(message)")
        #expect(complaint(Array("{a(b:\"\"\"".utf8) + bytes + Array("\"\"\")}".utf8)) == "1:9: \(message)")
    }

    @Test("The first and the last scalar of every UTF-8 length are allowed in strings and comments")
    func edgesOfUTF8() throws {
        for scalar in ["\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}"] {
            let document = try Document(parsing: "{a(b:\"\(scalar)\") #\(scalar)\n}")
            guard case .field(let field)? = document.operations.first?.selectionSet.selections.first else {
                Issue.record("no field")
                return
            }
            #expect(field.arguments["b"]?.string == scalar)
        }
    }
}
