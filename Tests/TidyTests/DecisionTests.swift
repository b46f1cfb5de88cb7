import Foundation
import Testing

@Suite("Decisions")
struct DecisionTests {
    private static let folder = "docs/decisions/"

    @Test("the list of decisions has every record exactly once, next to its number")
    func records() throws {
        let list = try DecisionList(page())
        for (name, count) in list.counts where count != 1 {
            #expect(Bool(false), "docs/decisions/README.md has \(name) \(count) times")
        }
        let missing = Self.names.filter { list.counts[$0] == nil }
        #expect(missing.isEmpty, "docs/decisions/README.md lacks \(missing)")
        #expect(list.unnumbered.isEmpty, "docs/decisions/README.md has no number next to \(list.unnumbered)")
    }

    @Test("the list names every number that no record has, and no other number")
    func numbers() throws {
        let list = try DecisionList(page())
        let used = Set(Self.names.compactMap { Int($0.prefix(4)) })
        let missing = Set(1...(used.max() ?? 1)).subtracting(used)
        let unnamed = missing.subtracting(list.otherNumbers).sorted()
        #expect(unnamed.isEmpty, "docs/decisions/README.md does not explain the missing numbers \(unnamed)")
        let unknown = list.otherNumbers.subtracting(missing).subtracting(used).sorted()
        #expect(unknown.isEmpty, "docs/decisions/README.md has numbers above the last record: \(unknown)")
    }

    @Test("every record has its number in its name and in its title, and no two records have the same number")
    func titles() {
        var names: [String: String] = [:]
        for file in Repository.files(".md", below: [Self.folder]) where !file.path.hasSuffix("/README.md") {
            let name = String(file.path.dropFirst(Self.folder.count))
            let number = String(name.prefix(4))
            let isNumbered = name.wholeMatch(of: /[0-9]{4}-[a-z0-9-]+\.md/) != nil
            #expect(isNumbered, "\(name) is not named as NNNN-words.md")
            #expect(file.lines.first?.hasPrefix("# \(number): ") == true, "\(name): the title is not # \(number): ...")
            #expect(names[number] == nil, "\(name) has the number of \(names[number] ?? "")")
            names[number] = name
        }
        #expect(!names.isEmpty)
    }

    @Test("every decision that a file cites exists")
    func citations() {
        let numbers = Set(Self.names.map { $0.prefix(4) })
        var findings: [String] = []
        // The whole text is searched first, because few files cite a decision.
        for file in Repository.files(".swift", ".md", ".c", ".h") where file.text.range(of: "ecision 0") != nil {
            for (index, line) in file.lines.enumerated() {
                for match in line.matches(of: /[Dd]ecision ([0-9]{4})\b/) where !numbers.contains(match.1) {
                    findings.append(file.place(index, "there is no decision \(match.1)"))
                }
            }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("records and other numbers are found in rows and sentences, ranges included")
    func reading() {
        let list = DecisionList(
            MarkdownPage(
                path: "docs/decisions/README.md",
                text: """
                    # Decisions
                    | 0001 | [One](0001-one.md) |
                    - [0002: Two](0002-two.md), as in [0002](0002-two.md)
                    - [Three](0003-three.md)

                    The numbers 0004 and 0006–0008 were not used; see [the design](../ARCHITECTURE.md).
                    """))
        #expect(list.counts == ["0001-one.md": 1, "0002-two.md": 2, "0003-three.md": 1])
        #expect(list.unnumbered == ["0003-three.md"])
        #expect(list.otherNumbers == [4, 6, 7, 8])
    }

    /// The names of the records' files.
    private static var names: [String] {
        Repository.files(".md", below: [folder]).map { String($0.path.dropFirst(folder.count)) }
            .filter { $0.first?.isNumber ?? false }
    }

    private func page() throws -> MarkdownPage {
        let file = Repository.files(".md", below: [Self.folder + "README.md"]).first
        return MarkdownPage(try #require(file, "docs/decisions/README.md does not exist"))
    }
}

/// The contents of a list of decisions.
private struct DecisionList {
    /// How many links lead to each record.
    private(set) var counts: [String: Int] = [:]
    /// The records whose line does not have their number, apart from the link's target.
    private(set) var unnumbered: [String] = []
    /// The numbers on lines without a link to a record. A range counts as all its numbers.
    private(set) var otherNumbers: Set<Int> = []

    init(_ page: MarkdownPage) {
        let targets = Dictionary(grouping: page.links, by: \.index)
        for (index, line) in page.prose {
            let text = line.replacing(/\]\([^)]*\)/, with: "]")
            let records = (targets[index] ?? []).map(\.target).filter { $0.wholeMatch(of: /[0-9]{4}-.*/) != nil }
            for record in records {
                counts[record, default: 0] += 1
                if !text.contains(record.prefix(4)) { unnumbered.append(record) }
            }
            guard records.isEmpty else { continue }
            for match in text.matches(of: /\b([0-9]{4})(?:(?: to |–|-)([0-9]{4}))?\b/) {
                guard let first = Int(match.1), let last = match.2.map({ Int($0) }) ?? first, first <= last else {
                    continue
                }
                otherNumbers.formUnion(first...last)
            }
        }
    }
}
