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
        let type = #/^(?:\w+(?:\([^)]*\))? )*(?:struct|class|enum|protocol|actor|typealias) (\w+)/#
        let anExtension = #/^(?:\w+ )*extension (\w+)/#
        let member = #/\b(?:var|let|func|case) (\w+)/#
        var floorsOfTypes: [Substring: Int] = [:]
        var declarationCounts: [Substring: Int] = [:]
        for file in files {
            for line in file.file.codeLines {
                if let match = line.prefixMatch(of: type) { floorsOfTypes[match.1] = file.floor }
                for match in line.matches(of: member) { declarationCounts[match.1, default: 0] += 1 }
            }
        }
        var added: [Substring: FloorFile] = [:]
        for file in files {
            var isUpward = false
            for line in file.file.codeLines {
                if let match = line.prefixMatch(of: anExtension) {
                    isUpward = floorsOfTypes[match.1].map { $0 < file.floor } ?? false
                } else if line.first == "}" {
                    isUpward = false
                }
                guard isUpward, line.hasPrefix("    "), !line.hasPrefix("     "),
                    let name = line.firstMatch(of: member)?.1, declarationCounts[name] == 1
                else { continue }
                added[name] = file
            }
        }
        memberCount = added.count
        let use = #/\.(\w+)/#
        for file in files {
            let used = Set(file.file.codeLines.flatMap { $0.matches(of: use).map(\.1) })
            for name in used.sorted() {
                guard let declaration = added[name], declaration.floor > file.floor else { continue }
                upward.append("\(file.file.path) uses \(name) of \(declaration.file.path)")
            }
        }
    }
}
