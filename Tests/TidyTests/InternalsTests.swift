import Testing

/// The page about the internals names types and functions. Each is declared in a file to which the same step links.
@Suite("The walk through the files")
struct InternalsTests {
    @Test("every type and function that a step names is declared in a file that the step links")
    func names() throws {
        let file = try #require(Repository.files("docs/INTERNALS.md").first)
        let steps = Self.steps(MarkdownPage(file))
        var findings: [String] = []
        var nameCount = 0
        for step in steps {
            let code = step.files.flatMap { Repository.files($0).flatMap(\.codeLines) }
            for name in step.names {
                nameCount += 1
                for part in name.split(separator: ".") where !Self.isDeclared(part, in: code) {
                    findings.append(file.place(step.index, "no linked file declares \(part) of \(name)"))
                }
            }
        }
        #expect(nameCount > 50)
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("a step is a list item or a paragraph, and names are texts in backticks that look like Swift")
    func reading() {
        let page = MarkdownPage(
            path: "docs/page.md",
            text: """
                # Title
                1. `A.b` acts on `--option`:
                   [A.swift](../Sources/A.swift)
                2. `C`

                `d` of [E.swift](E.swift)
                """)
        let steps = Self.steps(page)
        #expect(steps.map(\.index) == [1, 3, 5])
        #expect(steps.map(\.names) == [["A.b"], ["C"], ["d"]])
        #expect(steps.map(\.files) == [["Sources/A.swift"], [], ["docs/E.swift"]])
        let code = "extension A { func b() {} }".split(separator: "\n")
        #expect(Self.isDeclared("A", in: code) && Self.isDeclared("b", in: code) && !Self.isDeclared("c", in: code))
    }

    private struct Step {
        let index: Int
        var text: String
        var files: [String]

        /// The texts in backticks that look like the name of a type or function.
        var names: [String] {
            text.matches(of: /`([^`]+)`/).map { String($0.1) }
                .filter { $0.wholeMatch(of: /[A-Za-z]\w*(\.[a-z]\w*)*/) != nil }
        }
    }

    /// The list items, and the paragraphs that link to Swift files.
    private static func steps(_ page: MarkdownPage) -> [Step] {
        var steps: [Step] = []
        let links = Dictionary(grouping: page.links, by: \.index)
        var isDue = true
        for (index, line) in page.prose {
            let isItem = line.wholeMatch(of: /[0-9]+\. .*/) != nil
            if line.isEmpty || line.hasPrefix("#") {
                isDue = true
                continue
            }
            if isDue || isItem { steps.append(Step(index: index, text: "", files: [])) }
            isDue = false
            steps[steps.count - 1].text += "\(line)\n"
            steps[steps.count - 1].files += (links[index] ?? []).map(\.target).filter { $0.hasSuffix(".swift") }
                .compactMap(page.resolve)
        }
        return steps.filter { $0.text.first?.isNumber ?? false || !$0.files.isEmpty }
    }

    private static func isDeclared(_ name: Substring, in code: [Substring]) -> Bool {
        let kinds = ["func", "var", "let", "case", "struct", "class", "enum", "protocol", "extension", "typealias"]
        return code.contains { line in
            guard line.contains(name) else { return false }
            let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            return zip(words, words.dropFirst()).contains { kinds.contains(String($0)) && $1 == name }
        }
    }
}
