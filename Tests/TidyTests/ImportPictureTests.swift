import Testing

/// The picture of the imports in the page about the architecture shows exactly the imports of the files.
@Suite("The picture of the imports")
struct ImportPictureTests {
    @Test("each folder of Sources has a line, which names exactly the folders and C modules that its files import")
    func agrees() throws {
        let page = try #require(MarkdownPage.all.first { $0.path == "docs/ARCHITECTURE.md" })
        let section = try #require(page.section("Imports point one way"), "docs/ARCHITECTURE.md has no such section")
        let block = try #require(section.blocks.first, "The section shows no picture.")
        let picture = Picture(block.lines)
        let imports = Picture(of: Repository.files(".swift", below: ["Sources/"]))
        var findings: [String] = []
        for folder in Set(picture.lines.keys).union(imports.lines.keys).sorted() {
            guard let shown = picture.lines[folder] else {
                findings.append("The picture has no line for \(folder).")
                continue
            }
            guard let imported = imports.lines[folder] else {
                findings.append("The picture has a line for \(folder), which is no folder with Swift files.")
                continue
            }
            let (missing, extra) = (imported.subtracting(shown).sorted(), shown.subtracting(imported).sorted())
            if !missing.isEmpty { findings.append("\(folder) imports \(missing), which its line does not name.") }
            if !extra.isEmpty { findings.append("\(folder) imports no \(extra), which its line names.") }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("a line is read as a folder and its imports, and modules belong to folders")
    func reading() {
        let shown = Picture([
            "LMDB      System (CLMDB)", "JSON      nothing",
            "Adapters  Core; LMDB (the adapter for LMDB), System (CSQLite, the adapter for SQLite)",
        ])
        #expect(shown.lines == ["LMDB": ["CLMDB"], "JSON": [], "Adapters": ["Core", "LMDB", "CSQLite"]])
        let imported = Picture(of: [
            SourceFile(path: "Sources/LMDB/A.swift", text: "internal import CLMDB\nimport Dispatch"),
            SourceFile(path: "Sources/JSON/B.swift", text: "// import TidelogCore"),
            SourceFile(
                path: "Sources/Adapters/SQLite/C.swift",
                text: "public import TidelogCore\nimport TidelogSQLiteAdapter\n#if DEBUG\n    import CSQLite"),
        ])
        #expect(imported.lines == ["LMDB": ["CLMDB"], "JSON": [], "Adapters": ["Core", "CSQLite"]])
    }
}

/// For each folder of Sources, the other folders and the C modules that it imports.
private struct Picture {
    var lines: [String: Set<String>] = [:]

    /// Reads the lines of the picture: a folder, blanks, and its imports. A name in parentheses counts if it is a C module.
    init(_ text: [Substring]) {
        for line in text {
            guard let match = line.wholeMatch(of: /(\w+) +(.*)/) else { continue }
            let outside = match.2.replacing(/\([^)]*\)/, with: "")
            let folders = outside.matches(of: /\w+/).map { String($0.0) }
            let modules = match.2.matches(of: /\bC[A-Z]\w+/).map { String($0.0) }.filter(Self.isOfC)
            lines[String(match.1)] = Set(folders + modules).subtracting(["nothing", "System"])
        }
    }

    /// Reads the imports of `files`.
    init(of files: [SourceFile]) {
        for file in files {
            guard let folder = file.path.split(separator: "/").dropFirst().first.map({ String($0) }), folder != "System"
            else { continue }
            let modules = file.codeLines.compactMap { ImportTests.module($0) }
            lines[folder, default: []].formUnion(modules.compactMap(Self.folder(of:)).filter { $0 != folder })
        }
    }

    /// The folder of a module of this package, or the module itself if it is a C module of `Sources/System`. The result is
    /// `nil` for modules that the operating system has.
    private static func folder(of module: String) -> String? {
        if isOfC(module) { return module }
        guard module.hasPrefix("Tidelog") else { return nil }
        let folders = ["": "Tidelog", "Amplify": "Facade", "Conformance": "Adapters", "SQLTranslation": "Adapters"]
        let name = String(module.dropFirst("Tidelog".count))
        if !name.isEmpty, Repository.has("Sources/System/\(name)") { return nil }
        return folders[name] ?? (name.hasSuffix("Adapter") ? "Adapters" : name)
    }

    private static func isOfC(_ module: String) -> Bool {
        module.hasPrefix("C") && Repository.has("Sources/System/\(module)")
    }
}
