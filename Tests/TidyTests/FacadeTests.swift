import Testing

@Suite("The facade with Amplify's calls")
struct FacadeTests {
    private static var files: [SourceFile] { Repository.files(".swift", below: ["Sources/Facade/"]) }

    @Test("the facade has at most 1,500 lines of code, and uses only declarations that every app may use")
    func isThin() {
        var (lineCount, findings) = (0, [String]())
        for file in Self.files {
            for (index, line) in file.codeLines.enumerated() where line.contains(where: { $0 != " " }) {
                lineCount += 1
                let isClosed = line.contains("@_spi") || line.split(separator: " ").contains("package")
                if isClosed { findings.append(file.place(index, "no app may use this")) }
            }
        }
        #expect((1...1_500).contains(lineCount))
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("only the tests and the examples of the facade import the facade")
    func isOnTop() {
        var findings: [String] = []
        for file in Repository.files(".swift", below: ["Sources/", "Benchmarks/", "Tests/"]) {
            if file.path.hasPrefix("Tests/FacadeTests/") { continue }
            for (index, line) in file.codeLines.enumerated() where line.hasSuffix("import TidelogAmplify") {
                findings.append(file.place(index, "imports the facade"))
            }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }
}
