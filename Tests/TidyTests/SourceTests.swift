import Testing

@Suite("Sources")
struct SourceTests {
    /// Words that the glossary replaces, in lower case, with what to write instead.
    private static let bannedWords = [
        "manager": "the thing that it is", "helper": "the thing that it does", "utils": "a subject",
        "utilities": "a subject", "utility": "a subject", "impl": "what sets it apart", "entity": "record or model",
        "entities": "records or models", "journal": "log", "lsn": "sequence number",
    ]

    @Test("public names have no word that the glossary replaces")
    func words() {
        var findings: [String] = []
        for file in Repository.files(".swift", below: ["Sources/"]) {
            for (index, line) in file.codeLines.enumerated() {
                for word in Self.publicNames(line).flatMap(Self.words) {
                    guard let better = Self.bannedWords[word] else { continue }
                    findings.append(file.place(index, "the word \(word): name \(better)"))
                }
            }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("Sources have no marks for unfinished work, no forced try, no forced cast and no fatalError")
    func traps() {
        let marks = ["TO" + "DO", "FIX" + "ME"]
        let traps = /\btry!|\bas!|\bfatalError\b/
        var findings: [String] = []
        for file in Repository.files(".swift", ".c", ".h", below: ["Sources/"]) {
            for (index, line) in file.lines.enumerated() {
                for mark in marks where line.contains(mark) { findings.append(file.place(index, mark)) }
            }
            guard file.path.hasSuffix(".swift") else { continue }
            for (index, line) in file.codeLines.enumerated() {
                if let match = line.firstMatch(of: traps) { findings.append(file.place(index, String(match.0))) }
            }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("each @unchecked Sendable and each nonisolated(unsafe) has a comment that says why it is sound")
    func sound() {
        var findings: [String] = []
        for file in Repository.files(".swift", below: ["Sources/", "Benchmarks/", "Examples/"]) {
            let lines = file.lines
            for (index, line) in file.codeLines.enumerated() {
                guard line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") else { continue }
                let nearby = lines[max(0, index - 4)...index]
                if !nearby.contains(where: { $0.contains("Sound") || $0.contains("sound") }) {
                    findings.append(file.place(index, "no reason why it is sound"))
                }
            }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("no file names a directory of the machine that it was written on")
    func machine() {
        let directories = ["work", "root"].map { "/\($0)/" }
        var findings: [String] = []
        for file in Repository.files("") {
            for directory in directories where file.text.contains(directory) {
                findings.append("\(file.path): \(directory)")
            }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("public names are found, and split into words")
    func names() {
        #expect(Self.publicNames("    public static func open(at path: String)") == ["open"])
        #expect(Self.publicNames("public final class StoreManager: Sendable {") == ["StoreManager"])
        #expect(Self.publicNames("public private(set) var walLSN = 1") == ["walLSN"])
        #expect(Self.publicNames("public class func run() { let manager = 1 }") == ["run"])
        #expect(Self.publicNames("let manager = 1") == [])
        #expect(Self.words("StoreManager") == ["store", "manager"])
        #expect(Self.words("walLSN") == ["wal", "lsn"])
        #expect(Self.words("implicit_URLPath2") == ["implicit", "url", "path2"])
    }

    private static func publicNames(_ line: some StringProtocol) -> [String] {
        guard line.contains("public ") || line.contains("open ") else { return [] }
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.drop { $0 != "public" && $0 != "open" }
        let kinds: Set<Substring> = [
            "func", "var", "let", "class", "struct", "enum", "protocol", "actor", "typealias",
        ]
        let name = words.drop { !kinds.contains(Substring($0)) }.first { !kinds.contains(Substring($0)) }
        return name.map { [String($0)] } ?? []
    }

    private static func words(_ name: String) -> [String] {
        name.matches(of: /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*/).map { $0.0.lowercased() }
    }
}
