import Testing

@Suite("Markdown")
struct MarkdownTests {
    @Test("every page has exactly one title")
    func titles() {
        for page in MarkdownPage.all {
            let titles = page.prose.filter { $0.line.hasPrefix("# ") }
            #expect(titles.count == 1, "\(page.path): \(titles.count) titles")
        }
    }

    @Test("every relative link leads to a file, and its anchor to a heading of that page")
    func links() {
        let pages = MarkdownPage.all
        let anchors = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, $0.anchors) })
        var findings: [String] = []
        for page in pages {
            for link in page.links {
                let place = "\(page.path):\(link.index + 1): "
                guard let path = page.resolve(link.target), Repository.has(path) else {
                    findings.append(place + "there is no file \(link.target)")
                    continue
                }
                guard let anchor = link.anchor else { continue }
                if anchors[path]?.contains(anchor) != true {
                    findings.append(place + "\(path) has no heading with the anchor #\(anchor)")
                }
            }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("links are found outside code, and resolved from the page's folder")
    func reading() {
        let text = """
            # Title
            [one](a.md) and [two](https://example.org/b.md), `[three](c.md)`
            ```
            # no title, [four](d.md)
            ```
            ![five](../e.png#part) and [six](#title)
            """
        let page = MarkdownPage(path: "docs/page.md", text: text)
        #expect(
            page.links == [
                .init(index: 1, target: "a.md", anchor: nil), .init(index: 5, target: "../e.png", anchor: "part"),
                .init(index: 5, target: "", anchor: "title"),
            ])
        #expect(page.prose.filter { $0.line.hasPrefix("# ") }.map(\.line) == ["# Title"])
        #expect(page.blocks.map(\.lines) == [["# no title, [four](d.md)"]])
        #expect(page.resolve("../e.png") == "e.png")
        #expect(page.resolve("decisions/1.md") == "docs/decisions/1.md")
        #expect(page.resolve("") == "docs/page.md")
        #expect(page.resolve("../../e.png") == nil)
    }

    @Test("anchors are made of headings as GitHub makes them")
    func anchors() {
        let text = """
            # The `log` & its_tail
            ## What's new?
            ## [Links](a.md), too
            ## What's new?
            ```
            ## not here
            ```
            """
        let anchors = MarkdownPage(text: text).anchors
        #expect(anchors == ["the-log--its_tail", "whats-new", "links-too", "whats-new-1"])
    }

    @Test("a section ends at the next heading of its level, and a table gives the cells of its first column")
    func sections() throws {
        let page = MarkdownPage(
            text: """
                # Title
                ## 1. One
                | name | what |
                |---|---|
                | `a` | first |
                | b c | second |

                | other | what |
                |---|---|
                | d | |
                ### 1.1 Inner
                ```
                code
                ```
                `x` and `y
                z`
                ## 2. Two
                `w`
                """)
        let section = try #require(page.section("1."))
        #expect(section.column("name") == ["a", "b c"])
        #expect(section.codeSpans == ["a", "x", "y\nz"])
        #expect(section.blocks.map(\.lines) == [["code"]])
        #expect(page.section("3.") == nil)
    }
}
