extension QueryPredicate {
    /// The canonical text form, which ``init(parsing:)`` parses to an equal predicate.
    ///
    /// Temporals are parsed as texts, which have the same meaning if the field is a temporal. Numbers that are not finite have
    /// no text form that can be parsed. No store can compare with them.
    public var text: String {
        var text = ""
        write(to: &text, isMember: false)
        return text
    }

    /// Appends the text. A member of a group is put in parentheses if it is itself a group of several members.
    private func write(to text: inout String, isMember: Bool) {
        switch self {
        case .all: text += "true"
        case .field(let name, let comparison): comparison.write(to: &text, field: name)
        case .related(let name, let member):
            text.append(field: name)
            if member.isOneComparison {
                text += "."
                member.write(to: &text, isMember: false)
            } else {
                text += ".any("
                member.write(to: &text, isMember: false)
                text += ")"
            }
        case .and(let members): Self.write(members, "all", " && ", to: &text, isMember: isMember)
        case .or(let members): Self.write(members, "any", " || ", to: &text, isMember: isMember)
        case .not(let member):
            text += "!"
            if member.isInfix {
                text += "("
                member.write(to: &text, isMember: false)
                text += ")"
            } else {
                member.write(to: &text, isMember: true)
            }
        }
    }

    /// Whether this predicate on a related record or embedded value can be written as a path: `post.title == "x"`.
    ///
    /// Comparisons that also hold for a missing value cannot, because they are written as the opposite of another
    /// (``field(at:_:)``).
    private var isOneComparison: Bool {
        switch self {
        case .field(_, .equal(nil)), .field(_, .notEqual(.some)), .field(_, .notContains): false
        case .field: true
        case .related(_, let member): member.isOneComparison
        default: false
        }
    }

    /// Whether the text has two operands with an operator between them. Groups do not count.
    private var isInfix: Bool {
        switch self {
        case .field(_, let comparison): !comparison.isMethod
        case .related(_, let member): member.isOneComparison && member.isInfix
        default: false
        }
    }

    private static func write(
        _ members: [QueryPredicate], _ function: String, _ separator: String, to text: inout String, isMember: Bool
    ) {
        if members.count > 1 {
            text += isMember ? "(" : ""
            for (index, member) in members.enumerated() {
                text += index > 0 ? separator : ""
                member.write(to: &text, isMember: true)
            }
            text += isMember ? ")" : ""
        } else if members.isEmpty, function == "any" {
            text += "false"
        } else {
            text += function + "("
            members.first?.write(to: &text, isMember: false)
            text += ")"
        }
    }
}

extension QueryPredicate.Comparison {
    fileprivate var isMethod: Bool {
        switch self {
        case .between, .beginsWith, .endsWith, .ignoringCase, .contains, .notContains: true
        default: false
        }
    }

    fileprivate func write(to text: inout String, field: String) {
        text.append(field: field)
        switch self {
        case .equal(let value): text.append(operator: " == ", value)
        case .notEqual(let value): text.append(operator: " != ", value)
        case .less(let value): text.append(operator: " < ", value)
        case .lessOrEqual(let value): text.append(operator: " <= ", value)
        case .greater(let value): text.append(operator: " > ", value)
        case .greaterOrEqual(let value): text.append(operator: " >= ", value)
        case .between(let lower, let upper): text.append(method: "between", lower, upper)
        case .beginsWith(let prefix): text.append(method: "beginsWith", .string(prefix))
        case .endsWith(let suffix): text.append(method: "endsWith", .string(suffix))
        case .ignoringCase(let comparison, let value):
            text.append(
                method: comparison == .equal ? "equals" : comparison.rawValue, .string(value),
                labels: ", ignoringCase: true")
        case .contains(let value): text.append(method: "contains", value)
        case .notContains(let value): text.append(method: "notContains", value)
        }
    }
}

extension String {
    /// Appends an infix operator, with its spaces, and the value after it.
    fileprivate mutating func append(operator: String, _ value: FieldValue?) {
        self += `operator`
        append(value)
    }

    fileprivate mutating func append(method: String, _ arguments: FieldValue..., labels: String = "") {
        self += "." + method + "("
        append(elements: arguments)
        self += labels + ")"
    }

    fileprivate mutating func append(field: String) {
        let isPlain = field.utf8.enumerated().allSatisfy { offset, byte in
            (97...122).contains(byte | 32) || byte == 95 || (offset > 0 && (48...57).contains(byte))
        }
        if isPlain, !field.isEmpty { self += field } else { append(quoted: field, "`") }
    }

    private mutating func append(_ value: FieldValue?) {
        switch value {
        case nil: self += "nil"
        case .string(let value)?: append(quoted: value, "\"")
        case .int(let value)?: self += "\(value)"
        case .double(let value)?: self += "\(value)"
        case .bool(let value)?: self += "\(value)"
        case .date(let value)?: append(quoted: value.text, "\"")
        case .time(let value)?: append(quoted: value.text, "\"")
        case .dateTime(let value)?: append(quoted: value.text, "\"")
        case .embedded(let values)?:
            self += "{"
            let sorted = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (index, entry) in sorted.enumerated() {
                self += index > 0 ? ", " : ""
                append(quoted: entry.key, "\"")
                self += ": "
                append(entry.value)
            }
            self += "}"
        case .list(let values)?:
            self += "["
            append(elements: values)
            self += "]"
        }
    }

    private mutating func append(elements: [FieldValue?]) {
        for (index, element) in elements.enumerated() {
            self += index > 0 ? ", " : ""
            append(element)
        }
    }

    /// Appends `text` in `quote`s, with the escapes of JSON (RFC 8259, section 7) if they are needed.
    private mutating func append(quoted text: String, _ quote: Unicode.Scalar) {
        unicodeScalars.append(quote)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": self += #"\\"#
            case "\n": self += #"\n"#
            case "\r": self += #"\r"#
            case "\t": self += #"\t"#
            case quote where quote == "\"": self += #"\""#
            case quote, "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                self += #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
            default: unicodeScalars.append(scalar)
            }
        }
        unicodeScalars.append(quote)
    }
}
