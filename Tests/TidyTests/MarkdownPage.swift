/// A page in Markdown, read as far as the rules need: its prose, its links, its headings and its sections.
struct MarkdownPage {
    let path: String
    /// The lines, numbered from 0, that are not in fenced code.
    let prose: [(index: Int, line: Substring)]
    /// The fenced blocks, without their fences. `index` is the line of the opening fence.
    let blocks: [(index: Int, lines: [Substring])]

    init(path: String = "page.md", text: String) {
        self.path = path
        var prose: [(index: Int, line: Substring)] = []
        var blocks: [(index: Int, lines: [Substring])] = []
        var isCode = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                isCode.toggle()
                if isCode { blocks.append((index, [])) }
            } else if isCode {
                blocks[blocks.count - 1].lines.append(line)
            } else {
                prose.append((index, line))
            }
        }
        self.prose = prose
        self.blocks = blocks
    }

    init(_ file: SourceFile) { self.init(path: file.path, text: file.text) }

    /// All pages of the repository.
    static var all: [MarkdownPage] { Repository.files(".md").map { MarkdownPage($0) } }

    // MARK: Links

    /// The target of a relative link.
    struct Link: Equatable {
        let index: Int
        /// The path as the page writes it. It is empty for a link to a heading of the same page.
        let target: String
        let anchor: String?
    }

    /// The relative links outside code.
    var links: [Link] {
        prose.flatMap { index, line in
            line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/).compactMap { match in
                if match.1.contains(":") { return nil }
                let target = match.1.prefix { $0 != "#" }
                let anchor = match.1.dropFirst(target.count + 1)
                return Link(
                    index: index, target: String(target), anchor: match.1.contains("#") ? String(anchor) : nil)
            }
        }
    }

    /// The path of `target` from the root, or `nil` if it is outside the repository.
    func resolve(_ target: String) -> String? {
        guard !target.isEmpty else { return path }
        var parts = path.split(separator: "/").dropLast()
        for part in target.split(separator: "/") where part != "." {
            guard part == ".." else {
                parts.append(part)
                continue
            }
            guard parts.popLast() != nil else { return nil }
        }
        return parts.joined(separator: "/")
    }

    // MARK: Headings

    /// The anchors of all headings by GitHub's rule: the heading's text in lower case, without punctuation, with a hyphen for
    /// each space. A second heading with the same text gets `-1`, and so on.
    var anchors: Set<String> {
        var counts: [String: Int] = [:]
        var anchors: Set<String> = []
        for (_, line) in prose {
            guard let heading = Self.heading(line) else { continue }
            let text = heading.text.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.1) }
            var anchor = ""
            for character in text.lowercased() {
                if character == " " {
                    anchor.append("-")
                } else if character.isLetter || character.isNumber || character == "-" || character == "_" {
                    anchor.append(character)
                }
            }
            let count = counts[anchor, default: 0]
            counts[anchor] = count + 1
            anchors.insert(count == 0 ? anchor : "\(anchor)-\(count)")
        }
        return anchors
    }

    /// The level and the text of the heading in `line`, or `nil` if the line is not a heading.
    static func heading(_ line: Substring) -> (level: Int, text: String)? {
        guard let match = line.wholeMatch(of: /(#{1,6}) +(.*?)[ #]*/) else { return nil }
        return (match.1.count, String(match.2))
    }

    /// The part of the page from the heading that begins with `title` up to the next heading of the same or a higher level.
    func section(_ title: String) -> MarkdownPage? {
        var range: (start: Int, level: Int, end: Int)?
        for (index, line) in prose {
            guard let heading = Self.heading(line) else { continue }
            if let found = range {
                if heading.level <= found.level, found.end == .max { range?.end = index }
            } else if heading.text.hasPrefix(title) {
                range = (index, heading.level, .max)
            }
        }
        guard let range else { return nil }
        let isInside = { (index: Int) in index >= range.start && index < range.end }
        return MarkdownPage(
            path: path, prose: prose.filter { isInside($0.index) }, blocks: blocks.filter { isInside($0.index) })
    }

    private init(path: String, prose: [(index: Int, line: Substring)], blocks: [(index: Int, lines: [Substring])]) {
        self.path = path
        self.prose = prose
        self.blocks = blocks
    }

    // MARK: Contents

    /// The texts in backticks, line breaks included.
    var codeSpans: [String] {
        prose.map(\.line).joined(separator: "\n").matches(of: /`([^`]+)`/).map { String($0.1) }
    }

    /// The first cells of the rows of each table whose first column has the heading `title`, without backticks.
    func column(_ title: String) -> [String] {
        var cells: [String] = []
        var isInTable = false
        for (_, line) in prose {
            guard line.hasPrefix("|") else {
                isInTable = false
                continue
            }
            let cell = (line.split(separator: "|").first ?? "").split(separator: " ").joined(separator: " ")
            if cell == title {
                isInTable = true
            } else if isInTable, cell.contains(where: { $0 != "-" && $0 != ":" }) {
                cells.append(cell.replacing("`", with: ""))
            }
        }
        return cells
    }
}
