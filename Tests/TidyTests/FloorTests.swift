import Testing

/// Folders are floors. A file names only types of its own floor and of the floors below.
@Suite("Floors")
struct FloorTests {
    /// References that run upward, as `file type`, each with its reason. The list only shrinks.
    private static let upward: [Exception] = []

    @Test("every file stands in a folder that has a floor", arguments: Floors.all)
    func folders(floors: Floors) {
        let strays = floors.files.map(\.path).filter { floors.floor(of: $0) == nil }
        #expect(strays.isEmpty, "\(strays.joined(separator: "\n"))")
        for (number, name) in floors.names.enumerated() {
            #expect(floors.files.contains { floors.floor(of: $0.path) == number }, "\(name) has no files")
        }
    }

    @Test("no file names a type of a higher floor", arguments: Floors.all)
    func references(floors: Floors) {
        let broken = Self.upward(in: floors).filter { !Self.upward.covers("\($0.file) \($0.type)") }
        #expect(broken.isEmpty, "\(broken.map { "\($0.file) names \($0.type) of \($0.declaredIn)" })")
    }

    @Test("every exception on the list is still needed")
    func exceptions() {
        let needed = Set(Floors.all.flatMap { Self.upward(in: $0) }.map { "\($0.file) \($0.type)" })
        #expect(Self.upward.allSatisfy { needed.contains($0.path) }, "an exception is no longer needed")
    }

    @Test("the largest circle of files has exactly the recorded size", arguments: Floors.all)
    func circles(floors: Floors) {
        let largest = TypeGraph(of: floors.files).circles.max { $0.count < $1.count } ?? []
        #expect(largest.count <= floors.largestCircle, "\(largest.sorted().joined(separator: "\n"))")
        #expect(
            largest.count == floors.largestCircle,
            "The largest circle has \(largest.count) files now: change the limit.")
    }

    @Test("the page about the architecture lists the floors, the highest first", arguments: Floors.all)
    func drawn(floors: Floors) throws {
        let page = try #require(MarkdownPage.all.first { $0.path == "docs/ARCHITECTURE.md" })
        let section = try #require(page.section("Imports point one way"), "docs/ARCHITECTURE.md has no such section")
        let lists = section.blocks.map { $0.lines.compactMap { $0.split(separator: " ").first.map { String($0) } } }
        let names = Array(floors.names.reversed())
        #expect(lists.contains(names), "no list has \(names)")
    }

    private static func upward(in floors: Floors) -> [TypeGraph.Reference] {
        TypeGraph(of: floors.files).references.filter { reference in
            guard let from = floors.floor(of: reference.file), let to = floors.floor(of: reference.declaredIn) else {
                return false
            }
            return to > from
        }
    }

    @Test("the only circle of files in the log is the circle of the staged events")
    func circleOfLog() {
        let files = Repository.files(".swift", below: ["Sources/Core/"])
        let circles = TypeGraph(of: files).circles.filter { $0.contains { $0.hasPrefix("Sources/Core/Log/") } }
        let staged = "Sources/Core/Log/Appending/Staged"
        #expect(circles.allSatisfy { $0.allSatisfy { $0.hasPrefix(staged) } }, "\(circles)")
        #expect(circles.count == 1)
    }

    @Test("references are found in code, and a name that the file itself declares is no reference")
    func reading() {
        let graph = TypeGraph(of: [
            SourceFile(path: "a.swift", text: "struct A {\n    struct C {}\n    let b: B\n    let c: C\n} // D"),
            SourceFile(path: "b.swift", text: "public final class B { let text = \"A\" }\nprivate struct E {}"),
            SourceFile(path: "c.swift", text: "enum C { case d(D) }\nextension D { var e: E? { nil } }"),
            SourceFile(path: "d.swift", text: "protocol D { func c() -> C }"),
            SourceFile(path: "e.swift", text: "let b: Other.B\nlet range = 0...D.first"),
        ])
        #expect(
            graph.references.map { "\($0.file) \($0.type)" }.sorted() == [
                "a.swift B", "c.swift D", "d.swift C", "e.swift D",
            ])
        #expect(graph.circles.map { $0.sorted() } == [["c.swift", "d.swift"]])
    }
}

/// Which files name types that other files declare. The search compares texts, so it leaves some names out: a name that two
/// files declare at their top level, and a name after a full stop, because it is nested in another type.
private struct TypeGraph {
    struct Reference {
        let file: String
        let type: String
        let declaredIn: String
    }

    let references: [Reference]
    private let neighbours: [String: Set<String>]

    init(of files: [SourceFile]) {
        let keywords: Set<Substring> = ["class", "struct", "enum", "protocol", "actor", "typealias"]
        var owners: [Substring: Set<String>] = [:]
        var declared: [String: Set<Substring>] = [:]
        var named: [String: Set<Substring>] = [:]
        for file in files {
            for line in file.codeLines {
                let words = SwiftCode.words(in: line)
                for (index, word) in words.enumerated() where !word.isMember {
                    guard word.text.first?.isUppercase ?? false else { continue }
                    named[file.path, default: []].insert(word.text)
                    guard index > 0, keywords.contains(words[index - 1].text) else { continue }
                    declared[file.path, default: []].insert(word.text)
                    let isPrivate = words.contains { $0.text == "private" }
                    if line.first != " ", !isPrivate { owners[word.text, default: []].insert(file.path) }
                }
            }
        }
        var references: [Reference] = []
        for file in files {
            let own = declared[file.path] ?? []
            let names = named[file.path] ?? []
            for name in names.subtracting(own).sorted() {
                guard let owner = owners[name], owner.count == 1, let path = owner.first else { continue }
                references.append(Reference(file: file.path, type: String(name), declaredIn: path))
            }
        }
        self.references = references
        neighbours = Dictionary(grouping: references, by: \.file).mapValues { Set($0.map(\.declaredIn)) }
    }

    /// The groups of at least two files that reach each other.
    var circles: [Set<String>] {
        let reach = neighbours.keys.reduce(into: [String: Set<String>]()) { $0[$1] = reachable(from: $1) }
        var circles: Set<Set<String>> = []
        for (file, reached) in reach where reached.contains(file) {
            circles.insert(reached.filter { reach[$0]?.contains(file) ?? false })
        }
        return circles.filter { $0.count > 1 }
    }

    private func reachable(from start: String) -> Set<String> {
        var found: Set<String> = []
        var pending = [start]
        while let file = pending.popLast() {
            for next in neighbours[file] ?? [] where found.insert(next).inserted { pending.append(next) }
        }
        return found
    }
}
