import Testing

/// A higher floor may extend a type of a lower one. A file below that floor does not use the members that the extension adds.
@Suite("Floors of members in Core")
struct MemberFloorTests {
    @Test("no file of Core uses a member that a higher floor adds to a lower type")
    func references() {
        let files = Repository.files(".swift", below: ["Sources/Core/"]).compactMap { file in
            FloorTests.floor(file.path).map { FloorFile(floor: $0, file: file) }
        }
        let found = MemberReferences(of: files)
        #expect(found.memberCount > 20, "The test reads extensions.")
        #expect(found.upward.isEmpty, "\(found.upward.joined(separator: "\n"))")
    }

    @Test("a reference upward is found, and a member with the name of another one is left out")
    func reading() {
        let below = SourceFile(
            path: "below.swift", text: "struct A {\n    let c = 1\n    func e() { f() + b.d + b.c }\n}")
        let above = SourceFile(
            path: "above.swift", text: "extension A {\n    var d: Int { 0 }\n    static func c() {}\n}\nstruct B {}")
        let files = [FloorFile(floor: 0, file: below), FloorFile(floor: 1, file: above)]
        #expect(MemberReferences(of: files).upward == ["below.swift uses d of above.swift"])
    }
}

/// A file and the number of its floor.
private struct FloorFile {
    let floor: Int
    let file: SourceFile
}

/// The members that extensions on a higher floor add, and their uses on lower floors.
///
/// The search goes by names. A name that two declarations of Core have is left out, because a use of it could mean either.
private struct MemberReferences {
    private(set) var upward: [String] = []
    private(set) var memberCount = 0

    init(of files: [FloorFile]) {
        let types: Set<Substring> = ["class", "struct", "enum", "protocol", "actor", "typealias"]
        let members: Set<Substring> = ["var", "let", "func", "case"]
        var floorsOfTypes: [Substring: Int] = [:]
        var declarationCounts: [Substring: Int] = [:]
        let lines = files.map { file in file.file.codeLines.map { (text: $0, words: SwiftCode.words(in: $0)) } }
        for (file, lines) in zip(files, lines) {
            for (text, words) in lines {
                if text.first != " ", let name = Self.name(after: types, in: words) { floorsOfTypes[name] = file.floor }
                if let name = Self.name(after: members, in: words) { declarationCounts[name, default: 0] += 1 }
            }
        }
        var added: [Substring: FloorFile] = [:]
        for (file, lines) in zip(files, lines) {
            var isUpward = false
            for (text, words) in lines {
                if text.first != " ", let name = Self.name(after: ["extension"], in: words) {
                    isUpward = floorsOfTypes[name].map { $0 < file.floor } ?? false
                } else if text.first == "}" {
                    isUpward = false
                }
                guard isUpward, text.hasPrefix("    "), !text.hasPrefix("     "),
                    let name = Self.name(after: members, in: words), declarationCounts[name] == 1
                else { continue }
                added[name] = file
            }
        }
        memberCount = added.count
        for (file, lines) in zip(files, lines) {
            let used = Set(lines.flatMap { $0.words.filter(\.isMember).map(\.text) })
            for name in used.sorted() {
                guard let declaration = added[name], declaration.floor > file.floor else { continue }
                upward.append("\(file.file.path) uses \(name) of \(declaration.file.path)")
            }
        }
    }

    /// The word after the first of `keywords`; `nil` if the line has none of them.
    private static func name(after keywords: Set<Substring>, in words: [SwiftCode.Word]) -> Substring? {
        guard let index = words.firstIndex(where: { keywords.contains($0.text) }), index + 1 < words.count,
            !words[index + 1].isMember
        else { return nil }
        return words[index + 1].text
    }
}
