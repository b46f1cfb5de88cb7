import Testing

/// A higher floor may extend a type of a lower one. A file below that floor does not use the members that the extension adds.
@Suite("Floors of members")
struct MemberFloorTests {
    @Test(
        "no file uses a member that a higher floor adds to a lower type or to another module's type",
        arguments: Floors.all)
    func references(floors: Floors) {
        let files = floors.files.compactMap { file in
            floors.floor(of: file.path).map { FloorFile(floor: $0, file: file) }
        }
        let found = MemberReferences(of: files)
        #expect(found.memberCount >= floors.leastMemberCount, "The test reads extensions.")
        #expect(found.upward.isEmpty, "\(found.upward.joined(separator: "\n"))")
    }

    @Test("a use of a higher floor's member is found, unless another declaration has the same name")
    func reading() {
        let below = SourceFile(
            path: "below.swift",
            text:
                "struct A {\n    let c = 1\n    private var h = 0\n    func e() { f() + b.d + b.c + b.g + b.h + 0...i }\n}"
        )
        let above = SourceFile(
            path: "above.swift",
            text: """
                extension A {
                    var d: Int { 0 }
                    static func c() {}
                    private var j: Int { 0 }
                }
                extension Int {
                    func g() {}
                    func g(_ count: Int) {}
                    var h: Int { 0 }
                    var i: Int { 0 }
                }
                struct B {}
                """)
        let other = SourceFile(path: "other.swift", text: "struct C {\n    func e() { b.h + b.j }\n}")
        let files = [
            FloorFile(floor: 0, file: below), FloorFile(floor: 1, file: above), FloorFile(floor: 0, file: other),
        ]
        let found = MemberReferences(of: files)
        #expect(
            found.upward == [
                "below.swift uses d of above.swift", "below.swift uses g of above.swift",
                "other.swift uses h of above.swift",
            ])
        #expect(found.memberCount == 4)
    }
}

/// A file and the number of its floor.
private struct FloorFile {
    let floor: Int
    let file: SourceFile
}

/// The members that extensions on a higher floor add, and their uses on lower floors.
///
/// The search compares names. A name counts only if all its declarations that other files can use are in such extensions.
/// Otherwise a use of the name could mean a declaration on the same floor or on a lower one.
private struct MemberReferences {
    private(set) var upward: [String] = []
    private(set) var memberCount = 0

    private static let types: Set<Substring> = ["class", "struct", "enum", "protocol", "actor", "typealias"]
    private static let members: Set<Substring> = ["var", "let", "func", "case"]

    private typealias Line = (text: Substring, words: [SwiftCode.Word])

    /// A declaration of a member.
    private struct Member {
        let name: Substring
        /// Whether the member is in an extension of a type of a lower floor or of another module.
        let isAddedAbove: Bool
        let isPrivate: Bool
    }

    init(of files: [FloorFile]) {
        let lines = files.map { file in file.file.codeLines.map { (text: $0, words: SwiftCode.words(in: $0)) } }
        var floorsOfTypes: [Substring: Int] = [:]
        for (file, lines) in zip(files, lines) {
            for (text, words) in lines where text.first != " " {
                if let name = Self.name(after: Self.types, in: words) { floorsOfTypes[name] = file.floor }
            }
        }
        let declared = zip(files, lines).map { Self.members(in: $1, on: $0.floor, floorsOfTypes) }
        var declaring: [Substring: [FloorFile]] = [:]
        var others: Set<Substring> = []
        for (file, members) in zip(files, declared) {
            for member in members where !member.isPrivate {
                if member.isAddedAbove {
                    declaring[member.name, default: []].append(file)
                } else {
                    others.insert(member.name)
                }
            }
        }
        let added = declaring.filter { !others.contains($0.key) }
            .compactMapValues { $0.min { $0.floor < $1.floor } }
        memberCount = added.count
        for (index, file) in files.enumerated() {
            let used = Set(lines[index].flatMap { $0.words.filter(\.isMember).map(\.text) })
            for name in used.subtracting(declared[index].map(\.name)).sorted() {
                guard let declaration = added[name], declaration.floor > file.floor else { continue }
                upward.append("\(file.file.path) uses \(name) of \(declaration.file.path)")
            }
        }
    }

    /// The members that a file on the floor `floor` declares.
    private static func members(
        in lines: [Line], on floor: Int, _ floorsOfTypes: [Substring: Int]
    ) -> [Member] {
        var members: [Member] = []
        var isUpward = false
        var isInPrivate = false
        for (text, words) in lines {
            let isPrivate = isPrivate(words)
            if text.first != " ", let name = name(after: ["extension"], in: words) {
                // A type that is not declared in these files belongs to another module.
                isUpward = floorsOfTypes[name].map { $0 < floor } ?? true
                isInPrivate = isPrivate
            } else if text.first == "}" {
                isUpward = false
                isInPrivate = false
            }
            guard let name = name(after: Self.members, in: words) else { continue }
            let isDirect = text.hasPrefix("    ") && !text.hasPrefix("     ")
            members.append(
                Member(name: name, isAddedAbove: isUpward && isDirect, isPrivate: isPrivate || isInPrivate))
        }
        return members
    }

    /// Whether only its own file can use the declaration on a line with these words. After `private(set)`, every file can read
    /// it.
    private static func isPrivate(_ words: [SwiftCode.Word]) -> Bool {
        words.indices.contains { index in
            ["private", "fileprivate"].contains(words[index].text)
                && (index + 1 == words.count || words[index + 1].text != "set")
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
