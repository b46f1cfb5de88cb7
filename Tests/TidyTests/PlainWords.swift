/// A turn of phrase that makes prose hard to read, and what to write instead.
struct PlainWord: Sendable {
    /// The words in lower case. Alternatives have a slash between them. A `^` at the beginning means the beginning of a
    /// sentence that is not a question. A `*` is any word.
    let phrase: String
    let better: String

    init(_ phrase: String, _ better: String) {
        self.phrase = phrase
        self.better = better
    }

    static let avoided = [
        // A subject that the reader has to guess.
        PlainWord("nobody", "name who does not: no reader, no process"),
        PlainWord("somebody/someone", "name who: a caller, a process"),
        PlainWord("whoever/whosoever", "name who: the caller that"),
        PlainWord("whatever", "any, every, or name the thing"),
        PlainWord("those who/that/which/of/with", "repeat the noun"),
        PlainWord("the one/ones who/that/of/with", "repeat the noun"),
        PlainWord("the/all/each/every others", "the other readers, the other files"),
        PlainWord("^who/whom/whose/what", "begin with the noun: the reader that"),
        PlainWord("^of", "begin with the subject, and write a whole sentence"),
        PlainWord("whom", "name who, or turn the sentence round"),
        PlainWord("to be had/found/told", "say who does it: the reader finds"),
        // Verbs that have a plainer one.
        PlainWord("go/goes/going/went/gone on", "continues"),
        PlainWord("takes/taken/took/taking in", "reads, absorbs, accepts"),
        PlainWord("let/lets/letting go", "releases, closes"),
        PlainWord("look/looks/looking after/on", "checks, maintains, observes"),
        PlainWord("is/are/was/were told/let", "gets, receives, may"),
        PlainWord("is/are at work", "runs"),
        PlainWord("hold/holds/held good", "is valid, is true"),
        PlainWord("know/knows nothing/of", "has, sees, imports, depends on"),
        PlainWord("has the/a/an/its/each/every * take/go/do/follow/wait/write/read/run/begin/end/close", "makes it"),
        // Words that are out of use, or that mean several things.
        PlainWord("anew", "again"),
        PlainWord("once more", "again"),
        PlainWord("meanwhile", "at the same time, in the meantime"),
        PlainWord("beside/besides", "next to, in addition"),
        PlainWord("behind", "after, later, older than"),
        PlainWord("in front of", "before"),
        PlainWord("for ever", "without end, permanently"),
        PlainWord("but for", "except"),
        PlainWord("nothing but", "only"),
        PlainWord("thereof/therein/thereby/thereupon", "name the thing: of the log"),
        PlainWord("whereof/wherein/whereby/whereupon/hereby/herein", "name the thing: in which"),
        PlainWord("hence/thus/whence/lest", "so, therefore, so that"),
        PlainWord("so much/many for/as/that", "say how much or how many"),
        PlainWord("as it/they is/are there", "as soon as it exists, or leave it out"),
        PlainWord("of no use/account/avail", "is not needed, has no effect"),
    ]
}

/// Finds turns of phrase in prose.
struct PhraseBook {
    private struct Entry {
        let words: [Set<String>]
        let beginsSentence: Bool
        let better: String
    }

    private var entries: [String: [Entry]] = [:]

    init(_ list: [PlainWord]) {
        for word in list {
            let beginsSentence = word.phrase.hasPrefix("^")
            let words = word.phrase.drop { $0 == "^" }.split(separator: " ").map { part in
                Set(part.split(separator: "/").map { String($0) })
            }
            let entry = Entry(words: words, beginsSentence: beginsSentence, better: word.better)
            for first in words[0] { entries[first, default: []].append(entry) }
        }
    }

    /// The hits in `words`, each with the index of its line.
    func hits(in words: [Prose.Word]) -> [(line: Int, text: String, better: String)] {
        var hits: [(line: Int, text: String, better: String)] = []
        for (index, word) in words.enumerated() {
            for entry in entries[word.text] ?? [] where index + entry.words.count <= words.count {
                let run = words[index..<(index + entry.words.count)]
                let isInOneSentence = !run.dropFirst().contains { $0.beginsSentence }
                let matches = zip(run, entry.words).allSatisfy { $1.contains($0.text) || $1 == ["*"] }
                guard matches, isInOneSentence, !entry.beginsSentence || word.beginsSentence else { continue }
                if entry.beginsSentence, word.isAsked { continue }
                hits.append((word.line, run.map(\.text).joined(separator: " "), entry.better))
            }
        }
        return hits
    }
}

/// The prose of a file: the comments of code, or a page without its fenced code.
struct Prose {
    /// A word of the prose.
    struct Word {
        /// In lower case. Code in backticks is one word, a backtick.
        let text: String
        /// The index of its line in the file.
        let line: Int
        /// Whether it begins a sentence of a paragraph. Headings and tables have no sentences.
        let beginsSentence: Bool
        /// Whether its sentence is a question.
        var isAsked = false
    }

    /// How many lines of prose the file has.
    private(set) var lineCount = 0
    private(set) var words: [Word] = []
    /// The index of the line that would continue the current paragraph.
    private var expected: Int?
    private var isSentenceDue = true
    private var sentenceStart = 0

    init(_ file: SourceFile) {
        if file.path.hasSuffix(".md") {
            for (index, line) in MarkdownPage(file).prose { add(Array(line.utf8), at: index) }
            return
        }
        var isCode = false
        for (index, line) in file.lines.enumerated() {
            let code = index < file.codeLines.count ? file.codeLines[index] : nil
            guard let comment = Self.comment(in: line, code: code) else { continue }
            if comment.starts(with: "```".utf8) {
                isCode.toggle()
            } else if !isCode {
                add(comment, at: index)
            }
        }
    }

    /// The texts in the code of a Swift file that have three words or more. Each counts as a line, and begins a sentence.
    init(textsOf file: SourceFile) {
        for text in file.literals where text.bytes.count(where: { $0 == UInt8(ascii: " ") }) >= 2 {
            isSentenceDue = true
            lineCount += 1
            read(text.bytes[...], at: text.line, true)
        }
    }

    /// The text of the comment at the end of `line`.
    ///
    /// - Parameter code: In Swift, the same line with blanks in place of comments and text; `nil` in C.
    private static func comment(in line: Substring, code: Substring?) -> [UInt8]? {
        let bytes = Array(line.utf8)
        var start = 0
        if let code {
            start = bytes.count - code.utf8.reversed().prefix { $0 == UInt8(ascii: " ") }.count
        } else if let comment = line.firstRange(of: "//") {
            start = line.utf8.distance(from: line.startIndex, to: comment.lowerBound)
        }
        let text = bytes[start...].drop { $0 == UInt8(ascii: " ") }
        let marks: [UInt8] = code == nil ? Array("/*".utf8) : Array("/".utf8)
        guard text.starts(with: "//".utf8) || code == nil && (text.first.map(marks.contains) ?? false) else {
            return nil
        }
        let comment = Array(text.drop { marks.contains($0) }.drop { $0 == UInt8(ascii: " ") })
        let isForTools = comment.starts(with: "swift-format-ignore".utf8) || comment.starts(with: "MARK:".utf8)
        return isForTools ? nil : comment
    }

    private mutating func add(_ line: [UInt8], at index: Int) {
        let first = line.first { $0 != UInt8(ascii: " ") }
        let text = line.drop { " -*#>|".utf8.contains($0) }
        guard !text.isEmpty else { return }
        lineCount += 1
        let isMarked = first.map { "-*#>|".utf8.contains($0) } ?? false
        let hasSentences = first != UInt8(ascii: "#") && first != UInt8(ascii: "|")
        if index != expected || isMarked { isSentenceDue = true }
        expected = hasSentences ? index + 1 : nil
        read(text, at: index, hasSentences)
    }

    private mutating func read(_ text: ArraySlice<UInt8>, at index: Int, _ hasSentences: Bool) {
        var position = text.startIndex
        func byte(_ place: Int) -> UInt8 { place < text.endIndex ? text[place] : UInt8(ascii: " ") }
        while position < text.endIndex {
            let start = position
            switch byte(position) {
            case UInt8(ascii: "`"):
                position = (text[(position + 1)...].firstIndex(of: UInt8(ascii: "`")) ?? text.endIndex - 1) + 1
                append("`", at: index, hasSentences)
            case UInt8(ascii: "(") where start > text.startIndex && byte(start - 1) == UInt8(ascii: "]"):
                position = (text[position...].firstIndex(of: UInt8(ascii: ")")) ?? text.endIndex - 1) + 1
            case UInt8(ascii: "["):
                // A link at the beginning of a sentence may have the words of a heading.
                position += 1
                if isSentenceDue { sentenceStart = words.count }
                isSentenceDue = false
            case let letter where Self.isOfWord(letter):
                while Self.isOfWord(byte(position)) { position += 1 }
                append(String(decoding: text[start..<position], as: UTF8.self).lowercased(), at: index, hasSentences)
            case let mark:
                position += 1
                guard ".!?".utf8.contains(mark), byte(position) == UInt8(ascii: " ") else { continue }
                if mark == UInt8(ascii: "?"), sentenceStart < words.count { words[sentenceStart].isAsked = true }
                isSentenceDue = true
            }
        }
    }

    private mutating func append(_ word: String, at index: Int, _ hasSentences: Bool) {
        if isSentenceDue { sentenceStart = words.count }
        words.append(Word(text: word, line: index, beginsSentence: isSentenceDue && hasSentences))
        isSentenceDue = false
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "'"), UInt8(ascii: "-"), 0x80...: true
        default: false
        }
    }
}
