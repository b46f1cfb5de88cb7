internal import TidelogCore

/// The rules by which Amplify makes names.
package enum Names {
    /// The words as one name in camel case: the first letter of each but the first upper, all others as they are.
    static func camelCase(_ words: [String]) -> String {
        words.enumerated().map { $0 == 0 ? lowerFirst($1) : upperFirst($1) }.joined()
    }

    /// The name with a lower first letter.
    static func lowerFirst(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

    /// The name with an upper first letter.
    package static func upperFirst(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// The name that an index has if none is given: `commentsByPostIdAndCreatedAt`.
    static func index(of model: String, _ fields: [String]) -> String {
        lowerFirst(plural(model)) + "By" + fields.map(upperFirst).joined(separator: "And")
    }

    private static let unchanging = [
        "aircraft", "bison", "data", "deer", "equipment", "fish", "information", "media", "metadata", "money", "moose",
        "music", "news", "offspring", "rice", "series", "sheep", "shrimp", "software", "species", "staff", "swine",
    ]

    private static let irregular: [(String, String)] = [
        ("person", "people"), ("child", "children"), ("human", "humans"), ("woman", "women"), ("man", "men"),
        ("foot", "feet"),
        ("tooth", "teeth"), ("goose", "geese"), ("mouse", "mice"), ("quiz", "quizzes"),
        ("criterion", "criteria"), ("phenomenon", "phenomena"), ("matrix", "matrices"), ("vertex", "vertices"),
    ]

    /// Endings and what replaces them, the first that fits; an empty ending fits all.
    private static let endings: [(String, String)] = [
        ("sis", "ses"), ("ss", "sses"), ("sh", "shes"), ("ch", "ches"), ("x", "xes"), ("zz", "zzes"),
        ("alias", "aliases"), ("status", "statuses"), ("virus", "viruses"), ("bus", "buses"), ("campus", "campuses"),
        ("bonus", "bonuses"), ("gas", "gases"), ("lens", "lenses"), ("ay", "ays"), ("ey", "eys"), ("oy", "oys"),
        ("uy", "uys"), ("y", "ies"), ("hero", "heroes"), ("potato", "potatoes"), ("tomato", "tomatoes"),
        ("echo", "echoes"), ("knife", "knives"), ("wife", "wives"), ("life", "lives"), ("leaf", "leaves"),
        ("half", "halves"), ("wolf", "wolves"), ("shelf", "shelves"), ("thief", "thieves"), ("s", "s"), ("", "s"),
    ]

    /// The plural of an English name in camel case.
    static func plural(_ name: String) -> String {
        let lower = name.lowercased()
        if unchanging.contains(where: lower.hasSuffix) { return name }
        guard let (one, many) = (irregular + endings).first(where: { lower.hasSuffix($0.0) }) else { return name }
        let isUpper = name.suffix(one.count).first?.isUppercase ?? false
        return name.dropLast(one.count) + (isUpper ? upperFirst(many) : many)
    }

    /// Whether `text` can be the name of an index, a relation or a schema: letters, digits and underscores.
    package static func isName(_ text: String) -> Bool {
        let isLetter: (UInt8) -> Bool = { (97...122).contains($0 | 32) || $0 == UInt8(ascii: "_") }
        guard let first = text.utf8.first, isLetter(first), text.utf8.count <= Limits.nameByteCount else {
            return false
        }
        return text.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) }
    }
}
