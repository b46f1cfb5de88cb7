import Testing
import TidelogGraphQL

@Suite("Strings")
struct StringValueTests {
    private func text(_ literal: String) throws -> [UInt8]? {
        try Value(parsing: literal).string.map { Array($0.utf8) }
    }

    @Test(
        "An escape in a string stands for its character",
        arguments: [
            (#""""#, ""), (#""a b""#, "a b"), (#""\"""#, "\""), (#""\\""#, "\\"), (#""\/""#, "/"), (#""\b""#, "\u{8}"),
            (#""\f""#, "\u{C}"), (#""\n""#, "\n"), (#""\r""#, "\r"), (#""\t""#, "\t"), (#""\u0000""#, "\0"),
            (#""\u00e9\u00E9""#, "éé"), (#""\uFFFF""#, "\u{FFFF}"), (#""\uD83D\uDE00""#, "😀"),
            (#""\ud800\udc00\uDBFF\uDFFF""#, "\u{10000}\u{10FFFF}"), (#""\u{1F600}\u{41}\u{00000042}""#, "😀AB"),
            (#""\\u0041""#, "\\u0041"), (#""e\u0301""#, "e\u{301}"), (#""x\"y\"z""#, "x\"y\"z"), ("\"\tend\"", "\tend"),
        ])
    func escapes(literal: String, expected: String) throws {
        #expect(try text(literal) == Array(expected.utf8))
    }

    @Test(
        "A bad escape is refused at the place of its backslash",
        arguments: [
            (#"{a(b:"x\y")}"#, "1:8: unknown escape sequence in a string"),
            (#"{a(b:"\é")}"#, "1:7: unknown escape sequence in a string"),
            (#"{a(b:"\U0041")}"#, "1:7: unknown escape sequence in a string"),
            (#"{a(b:"é\u12")}"#, "1:8: expected four hexadecimal digits after \\u"),
            (#"{a(b:"\u12G4")}"#, "1:7: expected four hexadecimal digits after \\u"),
            (#"{a(b:"\uD83D")}"#, "1:7: a surrogate escape stands without its partner"),
            (#"{a(b:"ab\uDE00")}"#, "1:9: a surrogate escape stands without its partner"),
            (#"{a(b:"\uD83D\u0041")}"#, "1:7: a surrogate escape stands without its partner"),
            (#"{a(b:"\uD83D\u{DE00}")}"#, "1:7: a surrogate escape stands without its partner"),
            (#"{a(b:"\uDE00\uD83D")}"#, "1:7: a surrogate escape stands without its partner"),
            (#"{a(b:"\uDC00\uDE01")}"#, "1:7: a surrogate escape stands without its partner"),
            (#"{a(b:"\uD83D\uDBFF")}"#, "1:7: a surrogate escape stands without its partner"),
            (#"{a(b:"\uD83D\uE000")}"#, "1:7: a surrogate escape stands without its partner"),
            (#"{a(b:"\u{}")}"#, "1:7: expected the digits of a Unicode scalar between \\u{ and }"),
            (#"{a(b:"\u{110000}")}"#, "1:7: expected the digits of a Unicode scalar between \\u{ and }"),
            (#"{a(b:"\u{FFFFFFFFFFFFFFFF}")}"#, "1:7: expected the digits of a Unicode scalar between \\u{ and }"),
            (#"{a(b:"\u{DC00}")}"#, "1:7: expected the digits of a Unicode scalar between \\u{ and }"),
        ])
    func badEscapes(source: String, expected: String) {
        #expect(complaint(source) == expected)
    }

    @Test("An unterminated string is refused at the place where it starts")
    func unterminated() {
        #expect(complaint("{\n  a(b: \"x") == "2:8: the string does not end")
        #expect(complaint("{a(b:\"x\\\")}") == "1:6: the string does not end")
        #expect(
            complaint("{a(b:\"x\r\n\")}")
                == "1:6: the string does not end on its line; text over several lines goes between \"\"\"")
        #expect(complaint("{a(b:\"\\\n\")}")?.hasPrefix("1:6: the string does not end on its line") == true)
        #expect(complaint("{a(b:\"\"\"\n\nx\"\")}") == "1:6: the block string does not end")
        #expect(complaint(#"{a(b:"""x\""")}"#) == "1:6: the block string does not end")
    }

    @Test(
        "A block string loses common indentation and blank first and last lines",
        arguments: [
            ("", ""), ("   ", ""), ("\n \n\t\n", ""), ("x", "x"), ("  x  ", "  x  "),
            ("\n    a\n      b\n    c\n", "a\n  b\nc"),
            ("a\n    b\n   c", "a\n b\nc"), ("\n\n  a\n\n\n  b\n\n", "a\n\n\nb"), ("\ta\n\tb", "\ta\nb"),
            ("\n \ta\n \t\tb", "a\n\tb"), ("\n\n   lead\n back\n", "  lead\nback"),
            ("\r\n  a\r\n   b\r  c\n", "a\n b\nc"),
            ("\n    a\n  \n      \n    b", "a\n\n  \nb"), ("  first\n    second", "  first\nsecond"),
            (#"\n \u0041 \\"#, #"\n \u0041 \\"#), (#"a \""" b"#, #"a """ b"#), (#"\\"""x\"""#, "\\\"\"\"x\\\"\""),
            ("a \"\" b \" c", "a \"\" b \" c"), ("\n\u{3000}a\n  b", "\u{3000}a\n  b"), ("\n  é\n   😀\n", "é\n 😀"),
        ])
    func blockStrings(raw: String, expected: String) throws {
        // If the raw text ends in a quotation mark or a backslash, a line end must separate it from the closing quotation
        // marks. The parser drops the blank last line.
        let closing = raw.utf8.last == UInt8(ascii: "\"") || raw.utf8.last == UInt8(ascii: "\\") ? "\n" : ""
        #expect(try text("\"\"\"\(raw)\(closing)\"\"\"") == Array(expected.utf8))
    }

    @Test("A block string is marked as one, a quoted string is not")
    func isBlock() throws {
        #expect(
            try Value(parsing: "\"\"\"a\"\"\"")
                == .string(StringValue(value: "a", isBlock: true, span: SourceSpan(start: 0, end: 7))))
        #expect(try Value(parsing: "\"a\"") == .string(StringValue(value: "a", span: SourceSpan(start: 0, end: 3))))
    }
}
