import Testing

@Suite("Reading Swift")
struct SwiftCodeTests {
    @Test("comments and text are blanked, interpolations and line ends stay")
    func blanking() {
        let text = ##"""
            let a = "x // {" // "y"
            let b = #"\(no) " "# + "\(f(")", g))" /* { /* { */ { */ + c
            let d = """
                {
                \(value) "
                """
            """##
        let code = SwiftCode.withoutCommentsAndText(text)
        #expect(code.utf8.count == text.utf8.count)
        #expect(code.split(separator: "\n", omittingEmptySubsequences: false).count == 6)
        #expect(!code.contains("{") && !code.contains("no") && !code.contains("x") && !code.contains("y"))
        #expect(code.contains("f(") && code.contains(", g)") && code.contains("+ c") && code.contains("value"))
    }

    @Test("functions are measured from their name to their closing brace")
    func functions() {
        let code = """
            protocol P {
                func required(_ a: Int)
                init()
            }
            struct S {
                init?(_ a: Int) { self.init() }
                func one<T>(
                    _ a: T
                ) -> Int
                where T: P {
                    if true { return 1 }
                    return 2
                }
                subscript(a: Int) -> Int { a }
            }
            """
        let functions = SwiftCode.functions(in: code)
        #expect(functions.map(\.name) == ["init", "one", "subscript"])
        #expect(functions.map(\.line) == [5, 6, 13])
        #expect(functions.map(\.lineCount) == [1, 7, 1])
    }
}
