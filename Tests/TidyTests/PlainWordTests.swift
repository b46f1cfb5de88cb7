import Testing

/// Comments and pages are sentences that an engineer reads once. A hit is a place to look at: rewrite the sentence, do not
/// swap the word.
@Suite("Plain words")
struct PlainWordTests {
    /// How many hits a folder may have per 1,000 lines of prose. A folder that is not here may have none. The numbers only go
    /// down.
    private static let limits = [
        "Benchmarks": 4,
        "Sources/Adapters": 2,
        "Sources/Core": 3,
        "Sources/JSON": 4,
        "Sources/Server": 1,
        "Tests/Support": 2,
        "docs": 2,
    ]
    /// A folder whose rate is lower than its limit by more than this gets a lower limit.
    private static let slack = 2

    private static let folders = ["Sources/", "Plugins/", "Benchmarks/", "Examples/", "Tests/", "docs/"]
    private static let pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]

    @Test("each folder has at most its limit of hits per 1,000 lines, and no limit is much higher than needed")
    func rates() {
        let rates = Rate.measured(in: Repository.files(".swift", ".md", ".c", ".h").filter(Self.isProse))
        let table = rates.filter { $0.value.perThousand > 0 }.sorted { $0.key < $1.key }
            .map { "        \"\($0.key)\": \($0.value.perThousand)," }
        var findings: [String] = []
        for (folder, rate) in rates.sorted(by: { $0.key < $1.key }) {
            let limit = Self.limits[folder] ?? 0
            if rate.perThousand > limit {
                findings.append("\(folder): \(rate.perThousand) per 1,000 lines, and its limit is \(limit).")
                findings += rate.hits.prefix(20)
            } else if rate.perThousand < limit - Self.slack {
                findings.append("\(folder): lower its limit from \(limit) to \(rate.perThousand).")
            }
        }
        for folder in Self.limits.keys.sorted() where rates[folder] == nil {
            findings.append("\(folder): it has a limit and no prose.")
        }
        if !findings.isEmpty { findings += ["The rates now:"] + table }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("messages, help and titles of tests have at most ten hits per 1,000 texts")
    func texts() {
        var rate = Rate()
        for file in Repository.files(".swift", below: Self.folders) where !file.path.hasPrefix("Tests/TidyTests/") {
            rate.add(file, Prose(textsOf: file), PhraseBook(PlainWord.avoided))
        }
        #expect(rate.perThousand <= 10, "\(rate.perThousand):\n\(rate.hits.joined(separator: "\n"))")
        let example = Prose(
            textsOf: SourceFile(path: "a.swift", text: #"f("Of a \(g("log here")) log", "a b", "c d e")"#))
        #expect(example.lineCount == 2 && example.words.map(\.text) == ["of", "a", "log", "c", "d", "e"])
    }

    @Test("every listed phrase is in lower case, is found in a sentence, and has a better form")
    func list() {
        let book = PhraseBook(PlainWord.avoided)
        for word in PlainWord.avoided {
            let words = word.phrase.drop { $0 == "^" }.split(separator: " ").map { $0.prefix { $0 != "/" } }
            let sentence = words.joined(separator: " ").replacing("*", with: "reader")
            let prose = Prose(SourceFile(path: "page.md", text: sentence))
            #expect(book.hits(in: prose.words).contains { $0.better == word.better }, "\(word.phrase)")
            #expect(word.phrase == word.phrase.lowercased() && !word.better.isEmpty, "\(word.phrase)")
        }
    }

    @Test("hits are found in comments and prose, also across lines, and not in code or text")
    func reading() {
        let swift = """
            /// Of a log that nobody
            /// reads: it goes
            /// on. `anew`
            let a = "// anew" // once more
            /// ```
            /// anew
            /// ```
            func whatever() {}  // What is it? What it is. It goes. On it is.
            """
        let markdown = """
            # What is behind
            It has `whatever` and [a link](anew.md). The
            rest has the log
            wait.

            ```
            nobody
            ```
            """
        let rates = Rate.measured(in: [
            SourceFile(path: "Sources/Core/a.swift", text: swift), SourceFile(path: "docs/b.md", text: markdown),
        ])
        let hits = rates.mapValues { rate in rate.hits.map { $0.prefix { $0 != "\u{201d}" } } }
        #expect(
            hits == [
                "Sources/Core": [
                    "  Sources/Core/a.swift:1: “of", "  Sources/Core/a.swift:1: “nobody",
                    "  Sources/Core/a.swift:2: “goes on", "  Sources/Core/a.swift:4: “once more",
                    "  Sources/Core/a.swift:8: “what",
                ],
                "docs": ["  docs/b.md:1: “behind", "  docs/b.md:3: “has the log wait"],
            ])
        #expect(rates["Sources/Core"]?.lineCount == 5)
        #expect(rates["docs"]?.perThousand == 500)
    }

    /// Whether a file's prose counts. The text that this file reads as a test does not.
    private static func isProse(_ file: SourceFile) -> Bool {
        if file.path == "Tests/TidyTests/PlainWordTests.swift" { return false }
        return folders.contains { file.path.hasPrefix($0) } || pages.contains(file.path)
    }
}

/// How often the prose of a folder has words that are avoided.
private struct Rate {
    var lineCount = 0
    /// The hits, each with its place and what to write instead.
    var hits: [String] = []

    /// The hits per 1,000 lines, rounded up.
    var perThousand: Int { lineCount == 0 ? 0 : (hits.count * 1_000 + lineCount - 1) / lineCount }

    /// The rates by folder.
    static func measured(in files: [SourceFile]) -> [String: Rate] {
        let book = PhraseBook(PlainWord.avoided)
        var rates: [String: Rate] = [:]
        for file in files { rates[folder(of: file.path), default: Rate()].add(file, Prose(file), book) }
        return rates
    }

    mutating func add(_ file: SourceFile, _ prose: Prose, _ book: PhraseBook) {
        lineCount += prose.lineCount
        hits += book.hits(in: prose.words).map { hit in
            "  " + file.place(hit.line, "“\(hit.text)”: \(hit.better)")
        }
    }

    /// The folder that the file at `path` counts for, such as `Sources/Core`, `docs` or `docs/decisions`. A page at the root
    /// counts for itself.
    private static func folder(of path: String) -> String {
        let parts = path.split(separator: "/").dropLast()
        let count = ["Benchmarks", "Plugins"].contains(parts.first) ? 1 : 2
        return parts.isEmpty ? path : parts.prefix(count).joined(separator: "/")
    }
}
