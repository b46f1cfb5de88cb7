import Testing

@Suite("Sizes")
struct SizeTests {
    /// Files of more than 500 lines, each with the reason why it is one subject.
    private static let longFiles: [Exception] = []
    /// Functions of more than 70 lines, as `path function`.
    private static let longFunctions = [
        Exception("Tests/GraphQLTests/PrinterTests.swift typeSystem", "One schema and its printed form, as text.")
    ]
    /// Swift files with a line that the formatter should have wrapped, but leaves.
    private static let unwrappedCode = [
        Exception("Sources/SDL/Raising.swift", "One closure of 121 columns, which the formatter leaves.")
    ]
    /// Markdown whose lines are not wrapped.
    private static let unwrapped = [
        Exception("docs/FORMATS.md", "Its lines are as wide as the tables that they explain."),
        Exception("Examples/World/README.md", "A notice with one sentence a line."),
    ]

    /// The formatter wraps code at 120 columns, and does not wrap comments. A comment may be longer by a word.
    private static let commentColumns = 128

    @Test("no line of code is longer than 120 columns, except for literals")
    func code() {
        var findings: [String] = []
        for file in Repository.files(".swift") where !Self.unwrappedCode.covers(file.path) {
            for (index, line) in file.lines.enumerated() where line.utf8.count > 120 && line.count > 120 {
                let code = file.codeLines[index]
                let isLiteral = code.drop { $0 == " " || $0 == "+" }.hasPrefix("\"")
                let columns = code.count - code.reversed().prefix { $0 == " " }.count
                if columns > 120, !isLiteral { findings.append(file.place(index, "\(columns) columns")) }
            }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("no comment and no line of C goes beyond 128 columns")
    func comments() {
        var findings: [String] = []
        for file in Repository.files(".swift", ".c", ".h") {
            for (index, line) in file.lines.enumerated() where line.utf8.count > Self.commentColumns {
                let isText = file.path.hasSuffix(".swift") && !line.drop { $0 == " " }.hasPrefix("//")
                if !isText, line.count > Self.commentColumns {
                    findings.append(file.place(index, "\(line.count) columns"))
                }
            }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("no line of prose is longer than 140 columns, except in tables, records and addresses")
    func prose() {
        var findings: [String] = []
        for file in Repository.files(".md") where !Self.unwrapped.covers(file.path) {
            for (index, line) in file.lines.enumerated() where line.count > 140 {
                if line.hasPrefix("|") || line.hasPrefix("{") || !line.dropFirst(100).contains(" ") { continue }
                findings.append(file.place(index, "\(line.count) columns"))
            }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("no Swift file has more than 500 lines")
    func files() {
        let findings = Repository.files(".swift").filter { $0.lines.count > 501 }.map(\.path)
        #expect(findings.filter { !Self.longFiles.covers($0) }.isEmpty, "\(findings.joined(separator: "\n"))")
        #expect(Self.longFiles.allSatisfy { findings.contains($0.path) }, "an exception is no longer needed")
    }

    @Test("no function has more than 70 lines")
    func functions() {
        var findings: [String: String] = [:]
        for file in Repository.files(".swift") {
            for function in SwiftCode.functions(in: file.codeLines.joined(separator: "\n"))
            where function.lineCount > 70 {
                findings["\(file.path) \(function.name)"] = file.place(
                    function.line, "\(function.name) has \(function.lineCount) lines")
            }
        }
        let broken = findings.filter { !Self.longFunctions.covers($0.key) }.values.sorted()
        #expect(broken.isEmpty, "\(broken.joined(separator: "\n"))")
        #expect(Self.longFunctions.allSatisfy { findings[$0.path] != nil }, "an exception is no longer needed")
    }
}
