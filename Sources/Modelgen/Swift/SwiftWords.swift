internal import TidelogAgreement
internal import TidelogSDL

/// Words of Swift that names of a schema may conflict with.
enum SwiftWords {
    /// Words that need back-ticks as names, or that have another meaning in an expression.
    static let keywords: Set<String> = [
        "any", "as", "associatedtype", "async", "await", "borrow", "break", "case", "catch", "class", "consume",
        "continue", "copy", "default", "defer", "deinit", "discard", "do", "each", "else", "enum", "extension",
        "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "inout", "internal", "is",
        "let", "nil", "nonisolated", "open", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
        "rethrows", "return", "some", "static", "struct", "subscript", "super", "switch", "then", "throw", "throws",
        "true", "try", "typealias", "unsafe", "var", "where", "while", "yield",
    ]

    /// Words that cannot be the name of a type or member even in back-ticks, or that are used to qualify other names.
    static let unusable: Set<String> = ["Any", "Protocol", "Self", "Swift", "Tidelog", "Type", "_", "init", "self"]

    /// The names of the members that a generated model has in addition to its fields.
    static let modelMembers: Set<String> = ["CodingKeys", "ID", "Keys", "hashValue"]

    /// The names of the members that a generated embedded type has in addition to its fields.
    static let embeddedMembers: Set<String> = ["CodingKeys", "Keys", "fieldValue", "hashValue"]

    /// The names of the members that a generated enum has in addition to its cases.
    static let enumMembers: Set<String> = ["AllCases", "RawValue", "allCases", "fieldValue", "hashValue", "rawValue"]

    /// Names that have another meaning inside the generated types and the extension of `Schema`.
    static let scopedTypes: Set<String> = [
        "AllCases", "CodingKeys", "ID", "Keys", "RawValue", "Target", "embeddedTypes", "enums", "hashValue", "models",
    ]

    /// Whether a generated function has a parameter or variable with such a name. A property of the same name needs `self`.
    static func isLocal(_ name: String) -> Bool {
        ["element", "fields", "list", "row", "value"].contains { name.hasPrefix($0) }
    }

    /// Converts a name of any style to lower camel case: `IN_PROGRESS` and `InProgress` become `inProgress`.
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

    /// Converts the first word of a name: `HTTPServer` becomes `httpServer`, and `Active` becomes `active`.
    private static func lowerWord(_ word: String) -> String {
        let capitals = word.prefix { $0.isUppercase }.count
        if capitals == word.count { return word.lowercased() }
        let count = max(1, capitals - 1)
        return capitals == 0 ? word : word.prefix(count).lowercased() + word.dropFirst(count)
    }

    /// A string literal with the value `text`.
    static func literal(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// `text` with escapes, for use between quotes.
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
