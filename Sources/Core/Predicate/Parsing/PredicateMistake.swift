/// The surroundings of a mistake in the text of a predicate.
struct PredicateMistake {
    /// The right form, and the part of the text to replace.
    typealias Finding = (advice: String, change: (range: Range<Int>, text: String)?)

    /// The characters of the text.
    let text: [Unicode.Scalar]
    /// The place at which the parser found something unexpected.
    let start: Int

    init(_ text: String, at offset: Int) {
        self.text = Array(text.unicodeScalars)
        var (start, bytes) = (0, 0)
        while start < self.text.count, bytes < offset {
            bytes += UTF8.width(self.text[start])
            start += 1
        }
        while start < self.text.count, self.text[start].properties.isWhitespace { start += 1 }
        self.start = start
    }

    func replacing(_ range: Range<Int>, with replacement: String) -> String {
        var scalars = String.UnicodeScalarView(text)
        let lower = scalars.index(scalars.startIndex, offsetBy: range.lowerBound)
        let upper = scalars.index(lower, offsetBy: range.count)
        scalars.replaceSubrange(lower..<upper, with: replacement.unicodeScalars)
        return String(scalars)
    }

    // MARK: Parts of the text

    subscript(index: Int) -> Unicode.Scalar? { text.indices.contains(index) ? text[index] : nil }

    func string(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(text[range])) }

    /// The end of the characters from `index` on that satisfy `condition`.
    func end(from index: Int, while condition: (Unicode.Scalar) -> Bool) -> Int {
        var end = index
        while let scalar = self[end], condition(scalar) { end += 1 }
        return end
    }

    /// The beginning of the characters before `index` that satisfy `condition`.
    func beginning(before index: Int, while condition: (Unicode.Scalar) -> Bool) -> Int {
        var beginning = index
        while let scalar = self[beginning - 1], condition(scalar) { beginning -= 1 }
        return beginning
    }

    func skippingSpace(from index: Int) -> Int { end(from: index) { $0.properties.isWhitespace } }

    /// The end of the last character before `index` that is not white space.
    func trimmed(_ index: Int) -> Int { beginning(before: index) { $0.properties.isWhitespace } }

    /// The word that begins at `index`, in lower case.
    func word(at index: Int) -> (lowercase: String, range: Range<Int>)? {
        let range = index..<end(from: index) { $0.isWordPart }
        return range.isEmpty ? nil : (string(range).lowercased(), range)
    }

    /// The word that ends before `index`, possibly after white space, in lower case.
    func word(before index: Int) -> (lowercase: String, range: Range<Int>)? {
        let end = trimmed(index)
        let range = beginning(before: end) { $0.isWordPart }..<end
        return range.isEmpty ? nil : (string(range).lowercased(), range)
    }

    /// The text in quotation marks of any kind that begins at `index`, and the place of its marks and its content.
    func quoted(at index: Int) -> (content: String, range: Range<Int>)? {
        guard let open = self[index], let marks = Unicode.Scalar.closingMarks[open] else { return nil }
        let close = end(from: index + 1) { !marks.contains($0) }
        return (string(index + 1..<close), index..<min(close + 1, text.count))
    }

    /// A value that begins at `index`: a text in quotation marks, or all characters before a space, bracket or operator.
    func run(at index: Int) -> Range<Int> {
        if let quoted = quoted(at: index) { return quoted.range }
        return
            index..<end(from: index) { !$0.properties.isWhitespace && !"()[]{},&|=<>!\"".unicodeScalars.contains($0) }
    }

    /// The place of the list in brackets or parentheses that begins at `index`, and its content.
    func list(at index: Int) -> (content: String, range: Range<Int>)? {
        guard let open = self[index], open == "[" || open == "(" else { return nil }
        let close = end(from: index + 1) { $0 != "]" && $0 != ")" }
        guard close < text.count else { return nil }
        // `([1, 2])` has brackets inside of the parentheses.
        let isDouble = open == "(" && self[index + 1] == "[" && self[close + 1] == ")"
        return (string(index + (isDouble ? 2 : 1)..<close), index..<close + (isDouble ? 2 : 1))
    }

    /// The value in `range` in the form of a predicate: a text in other quotation marks gets double quotes.
    func value(in range: Range<Int>) -> String {
        guard self[range.lowerBound] != "\"", let quoted = quoted(at: range.lowerBound) else { return string(range) }
        return Self.quoted(quoted.content)
    }

    /// `text` in double quotes, with the escapes of JSON.
    static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}

extension Unicode.Scalar {
    /// The marks that end a text, by the mark that begins it.
    fileprivate static let closingMarks: [Unicode.Scalar: Set<Unicode.Scalar>] = [
        "\"": ["\""], "'": ["'"], "`": ["`", "'"], "\u{201C}": ["\u{201D}", "\""], "\u{201D}": ["\u{201D}", "\""],
        "\u{201E}": ["\u{201C}", "\u{201D}", "\""], "\u{2018}": ["\u{2019}", "'"], "\u{2019}": ["\u{2019}", "'"],
        "\u{AB}": ["\u{BB}"],
    ]

    /// Whether the character may be part of the name of a field.
    fileprivate var isWordPart: Bool {
        self == "_" || isDigit || ("a"..."z").contains(self) || ("A"..."Z").contains(self)
    }

    var isDigit: Bool { ("0"..."9").contains(self) }
}
