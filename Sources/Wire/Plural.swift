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
