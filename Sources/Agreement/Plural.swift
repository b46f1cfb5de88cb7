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

/// The words and endings for ``Plural``.
enum PluralRules {
    /// Whole words with an irregular plural.
    static let irregular: [String: String] = pairs(
        """
        i we, me us, he they, she they, them them, myself ourselves, yourself yourselves, itself themselves,
        herself themselves, himself themselves, themself themselves, is are, was were, has have, this these, that those,
        echo echoes, dingo dingoes, volcano volcanoes, tornado tornadoes, torpedo torpedoes, genus genera, viscus viscera,
        stigma stigmata, stoma stomata, dogma dogmata, lemma lemmata, schema schemata, anathema anathemata, ox oxen,
        axe axes, die dice, yes yeses, foot feet, eave eaves, goose geese, tooth teeth, quiz quizzes, human humans,
        proof proofs, carve carves, valve valves, looey looies, thief thieves, groove grooves, pickaxe pickaxes,
        passerby passersby
        """)

    /// The irregular plurals. They are not changed again.
    static let irregularPlurals = Set(irregular.values)

    /// Whole words without a separate plural.
    static let uncountable = words(
        """
        adulthood advice agenda aid aircraft alcohol ammo analytics anime athletics audio bison blood bream buffalo butter
        carp cash chassis chess clothing cod commerce cooperation corps debris diabetes digestion elk energy equipment
        excretion expertise firmware flounder fun gallows garbage graffiti hardware headquarters health herpes highjinks
        homework housework information jeans justice kudos labour literature machinery mackerel mail manga media mews moose
        mud music news only personnel pike plankton pliers police pollution premises rain research rice salmon scissors
        series sewage shambles shrimp software species staff swine tennis traffic transportation trout tuna wealth welfare
        whiting wildebeest wildlife you
        """)

    /// Endings of words that are not changed.
    static let unchanging: [WordEnd] = [
        "sheep", "pox", "ois", "ous", "measles", "fish", "deer", "[^aeiou]ese", "pokemon",
    ]

    /// The rules, of which the first match counts.
    static let endings: [Ending] = [
        Ending("", "^thou", "you"),
        Ending("", "man men", "men"),
        Ending("eaux", "-", ""),
        Ending("child", "ren -", "ren"),
        Ending("pe", "rson ople", "ople"),
        Ending("^m ^titm ^l", "ice ouse", "ice"),
        Ending("matr cod mur sil vert ind append", "ix ex", "ices"),
        Ending("x ch ss sh zz", "-", "es"),
        Ending("[^ch][ieo][ln]", "ey", "ies"),
        Ending("[^aeiouy] qu", "y", "ies"),
        Ending("kni wi li", "fe", "ves"),
        Ending("ar l ea eo oa hoo", "f", "ves"),
        Ending("", "sis", "ses"),
        Ending("apheli hyperbat periheli asyndet noumen phenomen criteri organ prolegomen hedr automat", "a on", "a"),
        Ending(
            """
            agend addend millenni dat extrem bacteri desiderat strat candelabr errat ov symposi curricul automat quor
            """, "a um", "a"),
        Ending("her at gr", "o", "oes"),
        Ending("seraph cherub", "im -", "im"),
        Ending("alumn alg vertebr", "a ae", "ae"),
        Ending("alumn syllab vir radi nucle fung cact stimul termin bacill foc uter loc strat", "us i", "i"),
        Ending("[^l]ias [aeiou]las [ejzr]as [iu]am", "-", ""),
        Ending("e[mn]u", "s -", "s"),
        Ending("alias [^aou]us t[lm]as gas ris", "-", "es"),
        Ending("ax test", "is", "es"),
        Ending("", "s -", "s"),
    ]

    private static func words(_ text: String) -> Set<String> {
        Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
    }

    private static func pairs(_ text: String) -> [String: String] {
        let pairs = text.split { $0 == "," || $0 == "\n" }.map { $0.split(separator: " ").map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
    }

    /// A pattern for the end of a word. It consists of lower-case letters, of sets of letters such as `[aou]` and `[^aou]`, and
    /// of `^` for the beginning of the word.
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
    struct Ending: Sendable {
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

        /// The numbers of letters in the stem and in the dropped ending of `word`, for the longest match; `nil` if the rule
        /// does not match.
        func match(_ word: [UInt8]) -> (kept: Int, dropped: Int)? {
            var best: (kept: Int, dropped: Int)?
            for ending in dropped {
                guard let endingLength = ending.length(atEndOf: word[...]) else { continue }
                for stem in stems {
                    guard let length = stem.length(atEndOf: word.dropLast(endingLength)) else { continue }
                    if length + endingLength > (best.map { $0.kept + $0.dropped } ?? -1) {
                        best = (length, endingLength)
                    }
                }
            }
            return best
        }
    }
}
