internal import TidelogSDL
internal import TidelogWire

/// The words of Swift that a name of a schema may meet.
enum SwiftWords {
    /// Words that are names only between back-ticks, or that mean something else where an expression stands.
    static let keywords: Set<String> = [
        "any", "as", "associatedtype", "async", "await", "borrow", "break", "case", "catch", "class", "consume",
        "continue", "copy", "default", "defer", "deinit", "discard", "do", "each", "else", "enum", "extension",
        "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "inout", "internal", "is",
        "let", "nil", "nonisolated", "open", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
        "rethrows", "return", "some", "static", "struct", "subscript", "super", "switch", "then", "throw", "throws",
        "true", "try", "typealias", "unsafe", "var", "where", "while", "yield",
    ]

    /// Words that no name of a type or member can be, even between back-ticks, or that qualify others.
    static let unusable: Set<String> = [
        "Any", "Protocol", "Self", "Swift", "Tidelog", "Type", "_", "init", "self",
    ]

    /// What members of a generated model are called besides its fields.
    static let modelMembers: Set<String> = ["CodingKeys", "ID", "Keys", "hashValue"]

    /// What members of a generated embedded type are called besides its fields.
    static let embeddedMembers: Set<String> = ["CodingKeys", "Keys", "fieldValue", "hashValue"]

    /// What members of a generated enum are called besides its cases.
    static let enumMembers: Set<String> = [
        "AllCases", "RawValue", "allCases", "fieldValue", "hashValue", "rawValue",
    ]

    /// Names that stand for something else inside the generated types and the extension of `Schema`.
    static let scopedTypes: Set<String> = [
        "AllCases", "CodingKeys", "ID", "Keys", "RawValue", "Target", "embeddedTypes", "enums", "hashValue", "models",
    ]

    /// The parameters and variables of generated functions; a property of such a name is reached through `self`.
    static func isLocal(_ name: String) -> Bool {
        ["element", "fields", "list", "row", "value"].contains { name.hasPrefix($0) }
    }

    /// The words of a name in any style, as one name in lower camel case: `IN_PROGRESS` and `InProgress` give
    /// `inProgress`.
    static func lowerCamelCase(_ name: String) -> String {
        var result = ""
        for word in name.split(separator: "_") {
            let isShouted = !word.contains(where: \.isLowercase)
            let lower = isShouted ? word.lowercased() : String(word)
            result += result.isEmpty ? lowerWord(lower) : Names.upperFirst(lower)
        }
        guard let first = result.first, !first.isNumber else { return name }
        return result
    }

    /// `HTTPServer` gives `httpServer`, `Active` gives `active`.
    private static func lowerWord(_ word: String) -> String {
        let capitals = word.prefix { $0.isUppercase }.count
        if capitals == word.count { return word.lowercased() }
        let count = max(1, capitals - 1)
        return capitals == 0 ? word : word.prefix(count).lowercased() + word.dropFirst(count)
    }

    /// A literal whose value is `text`.
    static func literal(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// `text` as it stands between quotes.
    static func escaped(_ text: some StringProtocol) -> String {
        var literal = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
                    literal += "\\u{\(String(scalar.value, radix: 16))}"
                default: literal.unicodeScalars.append(scalar)
                }
            }
        }
        return literal
    }
}
