import Testing

/// A reader finds a type by the name of its file, and a subject by the name of its folder.
@Suite("Names of files")
struct FileNameTests {
    @Test("nine of ten types that a module shares are in a file of their name")
    func types() {
        let declarations = Self.declarations(in: Repository.files(".swift", below: ["Sources/"]))
        let elsewhere = declarations.filter { !$0.isInFileOfItsName }
        #expect(declarations.count > 700)
        #expect(
            elsewhere.count * 10 <= declarations.count,
            "\(elsewhere.map { "\($0.path): \($0.type)" }.joined(separator: "\n"))")
    }

    @Test("no folder of Sources has more than 24 files in one level")
    func folders() {
        let files = Repository.files(".swift", ".c", ".h", below: ["Sources/"])
        let folders = Dictionary(grouping: files) { $0.path.split(separator: "/").dropLast().joined(separator: "/") }
        for (folder, files) in folders { #expect(files.count <= 24, "\(folder) has \(files.count) files") }
    }

    @Test("a file of Sources has fewer than 400 lines, and at most 15 files have fewer than 15")
    func lengths() {
        let files = Repository.files(".swift", below: ["Sources/"])
        let long = files.filter { $0.lines.count > 400 }.map(\.path)
        #expect(long.isEmpty, "\(long.joined(separator: "\n"))")
        let short = files.filter { $0.lines.count <= 15 }.map(\.path)
        #expect(short.count <= 15, "\(short.joined(separator: "\n"))")
    }

    @Test("a type is read with the name of its file; members and private types are not")
    func reading() {
        let declarations = Self.declarations(in: [
            SourceFile(
                path: "Sources/A/Port+Ships.swift",
                text: """
                    @_spi(Adapters) public final class Port: Sendable {
                        struct Quay {}
                    }
                    extension Port { enum Tide { case low } }
                    indirect enum Cargo { case none }
                    private struct Crane {}
                    /// struct Fog
                    """)
        ])
        #expect(declarations.map(\.type) == ["Port", "Cargo"])
        #expect(declarations.map(\.isInFileOfItsName) == [true, false])
    }

    private struct Declaration {
        let path: String
        let type: Substring

        var isInFileOfItsName: Bool {
            let file = path.split(separator: "/").last ?? ""
            return file.prefix { $0 != "." && $0 != "+" } == type
        }
    }

    /// The types that begin in the first column and that other files may name.
    private static func declarations(in files: [SourceFile]) -> [Declaration] {
        let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol"]
        return files.flatMap { file in
            file.codeLines.compactMap { line in
                guard line.first?.isWhitespace == false, !line.hasPrefix("extension") else { return nil }
                let words = SwiftCode.words(in: line.prefix { $0 != ":" && $0 != "{" && $0 != "<" }).map(\.text)
                guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count,
                    !words[..<kind].contains("private"), !words[..<kind].contains("fileprivate")
                else { return nil }
                return Declaration(path: file.path, type: words[kind + 1])
            }
        }
    }
}
