import Testing

@Suite("Markdown")
struct MarkdownTests {
    @Test("every page has exactly one title")
    func titles() {
        for file in Repository.files(".md") {
            let titles = Self.prose(file.text).filter { $0.hasPrefix("# ") }
            #expect(titles.count == 1, "\(file.path): \(titles.count) titles")
        }
    }

    @Test("every relative link leads to a file")
    func links() {
        for file in Repository.files(".md") {
            for target in Self.links(file.text) {
                let path = Self.resolve(target, from: file.path)
                let isThere = path.map { Repository.has($0) } ?? false
                #expect(isThere, "\(file.path): the link \(target) leads nowhere")
            }
        }
    }

    @Test("links are found outside code, and resolved from the page's folder")
    func reading() {
        let text = """
            # Title
            [one](a.md) and [two](https://example.org/b.md), `[three](c.md)`
            ```
            # no title, [four](d.md)
            ```
            ![five](../e.png#part)
            """
        #expect(Self.links(text) == ["a.md", "../e.png"])
        #expect(Self.prose(text).filter { $0.hasPrefix("# ") } == ["# Title"])
        #expect(Self.resolve("../e.png", from: "docs/page.md") == "e.png")
        #expect(Self.resolve("decisions/1.md", from: "docs/page.md") == "docs/decisions/1.md")
        #expect(Self.resolve("../../e.png", from: "docs/page.md") == nil)
    }

    /// The lines that are not in fenced code.
    private static func prose(_ text: String) -> [Substring] {
        var isCode = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            guard line.drop(while: { $0 == " " }).hasPrefix("```") else { return !isCode }
            isCode.toggle()
            return false
        }
    }

    /// The targets of the relative links in `text`, without their fragments.
    private static func links(_ text: String) -> [String] {
        prose(text).flatMap { line in
            line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/).compactMap { match in
                let target = match.1.prefix { $0 != "#" }
                return target.isEmpty || match.1.contains(":") ? nil : String(target)
            }
        }
    }

    /// The path of `target` from the root, as the page at `page` means it; `nil` if it lies outside.
    private static func resolve(_ target: String, from page: String) -> String? {
        var parts = page.split(separator: "/").dropLast()
        for part in target.split(separator: "/") where part != "." {
            guard part == ".." else {
                parts.append(part)
                continue
            }
            guard parts.popLast() != nil else { return nil }
        }
        return parts.joined(separator: "/")
    }
}
