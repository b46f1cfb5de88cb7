import Foundation

/// The models of a schema and their rules, as a small parser of the tests reads them from the schema's text.
struct RuleText {
    /// A rule: the values of its arguments, by the names of the arguments.
    typealias Rule = [String: [String]]

    struct Model {
        var rules: [Rule]?
        var fieldRules: [String: [Rule]] = [:]
        /// The names of the fields without relations, and their types as the schema writes them.
        var fields: [(name: String, type: String)] = []
    }

    private(set) var models: [String: Model] = [:]
    private var tokens: [String]
    private var place = 0

    init(_ sdl: String) {
        tokens = Self.tokens(sdl)
        var names = Set<String>()
        for (index, token) in tokens.enumerated() where token == "type" { names.insert(tokens[index + 1]) }
        while place < tokens.count {
            guard next() == "type" else { continue }
            let name = next()
            var model = Model()
            while peek() != "{" {
                let directive = next()
                let arguments = peek() == "(" ? group() : []
                if directive == "@auth" { model.rules = Self.rules(arguments) }
            }
            _ = next()
            while peek() != "}" { readField(&model, names) }
            models[name] = model
        }
    }

    private mutating func readField(_ model: inout Model, _ types: Set<String>) {
        let name = next()
        _ = next()
        var type = ""
        while let token = Optional(peek()), ["[", "]", "!"].contains(token) || type.isEmpty || type == "[" {
            type += next()
        }
        if !types.contains(type.filter(\.isLetter)) { model.fields.append((name, type)) }
        while peek().hasPrefix("@") {
            let directive = next()
            let arguments = peek() == "(" ? group() : []
            if directive == "@auth" { model.fieldRules[name] = Self.rules(arguments) }
        }
    }

    private func peek() -> String { place < tokens.count ? tokens[place] : "}" }

    private mutating func next() -> String {
        defer { place += 1 }
        return peek()
    }

    /// The tokens from the next opening parenthesis to its closing one, including both.
    private mutating func group() -> [String] {
        var depth = 0
        var found: [String] = []
        repeat {
            let token = next()
            if token == "(" { depth += 1 }
            if token == ")" { depth -= 1 }
            found.append(token)
        } while depth > 0
        return found
    }

    private static func rules(_ tokens: [String]) -> [Rule] {
        var rules: [Rule] = []
        var name = ""
        for (index, token) in tokens.enumerated() {
            if token == "{" { rules.append([:]) }
            if ["{", "}", "[", "]", "(", ")", ":"].contains(token) || rules.isEmpty { continue }
            if index + 1 < tokens.count, tokens[index + 1] == ":" {
                name = token
                rules[rules.count - 1][name] = []
            } else {
                rules[rules.count - 1][name]?.append(token)
            }
        }
        return rules
    }

    private static func tokens(_ text: String) -> [String] {
        var tokens: [String] = []
        for line in text.split(separator: "\n") {
            var rest = line.prefix { $0 != "#" }[...]
            while let first = rest.first {
                if first == "\"" {
                    let word = rest.dropFirst().prefix { $0 != "\"" }
                    tokens.append(String(word))
                    rest = rest.dropFirst(word.count + 2)
                } else if first.isLetter || first == "@" || first == "_" {
                    let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "@" || $0 == "_" }
                    tokens.append(String(word))
                    rest = rest.dropFirst(word.count)
                } else {
                    if !first.isWhitespace, first != "," { tokens.append(String(first)) }
                    rest = rest.dropFirst()
                }
            }
        }
        return tokens
    }
}
