/// Makes the plural of an English name like version 8 of npm's `pluralize`, which Amplify's transformer uses.
///
/// Whole words are checked first: words without a plural, and irregular words. After that, the first of the ``PluralRules``
/// whose ending matches decides. For example, `SalesPerson` becomes `SalesPeople`. But `BlogMedia` becomes `BlogMedias`,
/// because it is not a whole word of the list.
package enum Plural {
    /// The plural of `name`, which must be ASCII, as names in GraphQL are.
    package static func of(_ name: String) -> String {
        let lower = name.lowercased()
        if PluralRules.irregularPlurals.contains(lower) { return inCase(of: name, lower) }
        if let plural = PluralRules.irregular[lower] { return inCase(of: name, plural) }
        if name.isEmpty || PluralRules.uncountable.contains(lower) { return name }
        let letters = Array(lower.utf8)
        if PluralRules.unchanging.contains(where: { $0.length(atEndOf: letters[...]) != nil }) { return name }
        for rule in PluralRules.endings {
            guard let (kept, dropped) = rule.match(letters) else { continue }
            let end = name.utf8.count - kept - dropped
            let matched = String(name.dropFirst(end))
            guard !matched.isEmpty else { return name + inCase(of: String(name.suffix(1)), rule.added) }
            return name.prefix(end) + inCase(of: matched, matched.prefix(kept) + rule.added)
        }
        return name
    }

    /// `text` in the case of `model`: in lower case, in upper case, or with an upper-case first letter.
    private static func inCase(of model: String, _ text: String) -> String {
        if model == text { return text }
        if model == model.lowercased() { return text.lowercased() }
        if model == model.uppercased() { return text.uppercased() }
        let first = model.prefix(1)
        return first == first.uppercased() ? Names.upperFirst(text.lowercased()) : text.lowercased()
    }
}

/// A pattern for the end of a word. It consists of lower-case letters, of sets of letters such as `[aou]` and `[^aou]`, and of
/// `^` for the beginning of the word.
struct WordEnd: Sendable, ExpressibleByStringLiteral {
    private enum Part: Sendable {
        case letter(UInt8)
        case set(Set<UInt8>, isInverted: Bool)
        case start
    }

    private let parts: [Part]

    init(stringLiteral text: String) { self.init(text) }

    init(_ text: String) {
        var parts: [Part] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.popFirst() {
            switch first {
            case UInt8(ascii: "^"): parts.append(.start)
            case UInt8(ascii: "["):
                let set = rest.prefix { $0 != UInt8(ascii: "]") }
                rest = rest.dropFirst(set.count + 1)
                let isInverted = set.first == UInt8(ascii: "^")
                parts.append(.set(Set(isInverted ? set.dropFirst() : set), isInverted: isInverted))
            default: parts.append(.letter(first))
            }
        }
        self.parts = parts
    }

    /// The number of letters at the end of `word` that match the pattern; `nil` if the end does not match.
    func length(atEndOf word: ArraySlice<UInt8>) -> Int? {
        var place = word.endIndex
        for part in parts.reversed() {
            if case .start = part {
                guard place == word.startIndex else { return nil }
                continue
            }
            guard place > word.startIndex else { return nil }
            place -= 1
            switch part {
            case .letter(let letter): guard word[place] == letter else { return nil }
            case .set(let letters, let isInverted):
                guard letters.contains(word[place]) != isInverted else { return nil }
            case .start: break
            }
        }
        return word.endIndex - place
    }
}

/// A plural rule for words that end in one of `stems` followed by one of `dropped`. `added` replaces the dropped letters.
struct PluralEnding: Sendable {
    let stems: [WordEnd]
    let dropped: [WordEnd]
    let added: String

    /// - Parameters:
    ///   - stems: The letters that are kept, separated by spaces. An empty text matches any stem.
    ///   - dropped: The letters that are replaced, separated by spaces. `-` means no letters.
    init(_ stems: String, _ dropped: String, _ added: String) {
        let parts = { (text: String) in text.split(separator: " ").map { WordEnd($0 == "-" ? "" : String($0)) } }
        self.stems = stems.isEmpty ? [""] : parts(stems)
        self.dropped = parts(dropped)
        self.added = added
    }

    /// The numbers of letters in the stem and in the dropped ending of `word`, for the longest match; `nil` if the rule does
    /// not match.
    func match(_ word: [UInt8]) -> (kept: Int, dropped: Int)? {
        var best: (kept: Int, dropped: Int)?
        for ending in dropped {
            guard let endingLength = ending.length(atEndOf: word[...]) else { continue }
            for stem in stems {
                guard let length = stem.length(atEndOf: word.dropLast(endingLength)) else { continue }
                if length + endingLength > (best.map { $0.kept + $0.dropped } ?? -1) { best = (length, endingLength) }
            }
        }
        return best
    }
}
