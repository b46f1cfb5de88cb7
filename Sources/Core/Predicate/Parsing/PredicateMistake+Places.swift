internal import TidelogSuggestion

/// The common mistakes at each kind of place in a predicate.
extension PredicateMistake {
    // MARK: A field is expected

    var field: Finding? {
        if let quoted = quoted(at: start) {
            let isName = quoted.content.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0 == "_" || $0.isDigit
            }
            return (
                "The name of a field has no quotation marks.",
                isName && !quoted.content.isEmpty ? (quoted.range, quoted.content) : nil
            )
        }
        guard let first = self[start], first.isDigit || first == "-" else { return nil }
        return ("The field comes before the operator, and the value after it: rating == 3.", nil)
    }

    // MARK: An operator or a method is expected

    var comparison: Finding? {
        if self[start] == "=" { return equalSign }
        if self[start] == "[" || self[start] == "(" { return listWithoutParentheses }
        if let not = word(before: start), not.lowercase == "not", word(at: start)?.lowercase != "in" {
            let end = endOfCondition(from: start)
            return ("Write !(…) for \"not\".", (not.range.lowerBound..<end, "!(\(string(start..<end)))"))
        }
        guard let word = word(at: start) else { return nil }
        if let sign = Self.signs[word.lowercase] {
            return ("Write \(sign) for \"\(word.lowercase)\".", (word.range, sign))
        }
        let next = skippingSpace(from: word.range.upperBound)
        switch word.lowercase {
        case "in": return infixList(start, list(at: next), isNegated: false)
        case "not":
            guard let second = self.word(at: next), second.lowercase == "in" else { return nil }
            return infixList(start, list(at: skippingSpace(from: second.range.upperBound)), isNegated: true)
        case "is":
            if let not = self.word(at: next), not.lowercase == "not" {
                return ("Write != for \"is not\".", (start..<not.range.upperBound, "!="))
            }
            return ("Write == for \"is\".", (word.range, "=="))
        case "like", "ilike":
            return ("Write .beginsWith(\"…\"), .endsWith(\"…\") or .contains(\"…\") for \"\(word.lowercase)\".", nil)
        case "between": return infixRange(next)
        default: return infixMethod(word.lowercase, next)
        }
    }

    private static let signs = [
        "eq": "==", "equals": "==", "ne": "!=", "neq": "!=", "gt": ">", "ge": ">=", "gte": ">=", "lt": "<", "le": "<=",
        "lte": "<=",
    ]

    private var equalSign: Finding {
        switch self[start + 1] {
        case ">": ("Write >= for \"greater or equal\".", (start..<start + 2, ">="))
        case "<": ("Write <= for \"less or equal\".", (start..<start + 2, "<="))
        default: ("Write == for \"equal\".", (start..<start + 1, "=="))
        }
    }

    /// The mistake in `rating.in [1, 2]`.
    private var listWithoutParentheses: Finding? {
        guard word(before: start)?.lowercase == "in", let list = list(at: start) else { return nil }
        return (
            "A list of values is in parentheses: .in([1, 2]).",
            (trimmed(start)..<list.range.upperBound, "([\(list.content)])")
        )
    }

    /// The mistake in `rating in [1, 2]` and `rating not in (1, 2)`.
    private func infixList(_ start: Int, _ list: (content: String, range: Range<Int>)?, isNegated: Bool) -> Finding {
        let field = fieldPath(before: start)
        let condition = list.map { "\(isNegated ? "!" : "")\(string(field)).in([\($0.content)])" } ?? ""
        return (
            isNegated ? "Write !field.in([1, 2]) for \"not in\"." : "Write field.in([1, 2]) for \"in\".",
            list.map { (field.lowerBound..<$0.range.upperBound, condition) }
        )
    }

    /// The mistake in `rating between 1 and 5`.
    private func infixRange(_ next: Int) -> Finding {
        let lower = run(at: next)
        let separator = word(at: skippingSpace(from: lower.upperBound))
        let upper = separator.map { run(at: skippingSpace(from: $0.range.upperBound)) }
        let isWhole = !lower.isEmpty && separator?.lowercase == "and" && !(upper?.isEmpty ?? true)
        return (
            "Write field.between(1, 5), which includes both ends.",
            isWhole
                ? upper.map { (trimmed(start)..<$0.upperBound, ".between(\(value(in: lower)), \(value(in: $0)))") }
                : nil
        )
    }

    /// The mistake in `title contains "x"`.
    private func infixMethod(_ word: String, _ next: Int) -> Finding? {
        guard let method = Self.method(for: word) else { return nil }
        let argument = list(at: next)?.range ?? run(at: next)
        let content = list(at: next)?.content ?? value(in: argument)
        return (
            "Write field.\(method)(\"…\") for \"\(word)\".",
            argument.isEmpty ? nil : (trimmed(start)..<argument.upperBound, ".\(method)(\(content))")
        )
    }

    /// The field before `index`, with the relation or embedded value that leads to it.
    private func fieldPath(before index: Int) -> Range<Int> {
        let end = trimmed(index)
        return beginning(before: end) { !$0.properties.isWhitespace && !"(!&|,".unicodeScalars.contains($0) }..<end
    }

    /// The end of the condition that begins at `index`.
    private func endOfCondition(from index: Int) -> Int {
        var (end, depth) = (index, 0)
        while let scalar = self[end] {
            if let quoted = quoted(at: end) {
                end = quoted.range.upperBound
                continue
            }
            if scalar == "(" { depth += 1 }
            if scalar == ")" { depth -= 1 }
            let isAfterSpace = self[end - 1]?.properties.isWhitespace ?? false
            let isConnector = isAfterSpace && ["and", "or"].contains(word(at: end)?.lowercase)
            if depth < 0 || depth == 0 && (scalar == "&" || scalar == "|" || isConnector) { break }
            end += 1
        }
        return trimmed(end)
    }

    // MARK: A method is expected

    private static let methods = [
        "equals", "beginsWith", "endsWith", "contains", "notContains", "between", "in", "any",
    ]

    private static let otherMethods = [
        "startswith": "beginsWith", "hasprefix": "beginsWith", "hassuffix": "endsWith", "includes": "contains",
        "isin": "in", "oneof": "in", "within": "between", "some": "any",
    ]

    /// The method that `word` probably means.
    private static func method(for word: String) -> String? {
        methods.first { $0.lowercased() == word.lowercased() } ?? otherMethods[word.lowercased()]
    }

    var method: Finding? {
        guard let word = word(at: start) else { return nil }
        let written = string(word.range)
        if let method = Self.method(for: written) { return ("Write .\(method) for .\(written).", (word.range, method)) }
        guard let guess = Suggestion.nearest(to: written, among: Self.methods) else { return nil }
        return ("Did you mean .\(guess)?", (word.range, guess))
    }

    // MARK: The list of `in` is expected

    var list: Finding? {
        // The opening parenthesis was read already.
        guard self[start] != nil, let values = list(at: trimmed(start) - 1) else { return nil }
        return ("A list of values is in brackets: .in([1, 2]).", (values.range, "([\(values.content)])"))
    }

    // MARK: A value is expected

    var value: Finding? {
        let before = self[trimmed(start) - 1]
        if self[start] != "\"", let quoted = quoted(at: start) {
            return ("Texts are in double quotes.", (quoted.range, Self.quoted(quoted.content)))
        }
        switch (before, self[start]) {
        case ("=", "="):
            let sign = self[trimmed(start) - 2] == "!" ? "!=" : "=="
            return ("Write \(sign) for \"\(sign)=\".", (start..<start + 1, ""))
        case ("<", ">"): return ("Write != for \"not equal\".", (trimmed(start) - 1..<start + 1, "!="))
        case (_, "+"): return ("Positive numbers have no sign.", (start..<start + 1, ""))
        case (_, "."):
            if self[start + 1]?.isDigit ?? false { return ("A number begins with a digit.", (start..<start, "0")) }
            let name = run(at: start + 1)
            return (
                "The case of an enum is a text in double quotes.",
                name.isEmpty ? nil : (start..<name.upperBound, Self.quoted(string(name)))
            )
        default: return bareWord
        }
    }

    /// The mistake in `title == x`, `title == null` and `isDone == True`.
    private var bareWord: Finding? {
        guard let first = self[start], first.properties.isAlphabetic || first.isDigit || first == "_" else {
            return nil
        }
        let run = run(at: start)
        let written = string(run)
        switch written.lowercased() {
        case "null", "nil", "none", "undefined": return ("Write nil for a missing value.", (run, "nil"))
        case "true", "false": return ("Write true or false.", (run, written.lowercased()))
        default: return ("Texts, and the cases of enums, are in double quotes.", (run, Self.quoted(written)))
        }
    }

    // MARK: An operator between conditions, or the end, is expected

    var connector: Finding? {
        if self[start] == "&" { return ("Write && for \"and\".", (start..<start + 1, "&&")) }
        if self[start] == "|" { return ("Write || for \"or\".", (start..<start + 1, "||")) }
        // The text goes on directly after a value.
        if let before = self[start - 1], !before.properties.isWhitespace, before != ")", before != "\"",
            let continued = continuedValue
        {
            return continued
        }
        if self[start] == "," { return ("Write && between conditions.", (trimmed(start)..<start + 1, " &&")) }
        guard let word = word(at: start) else { return nil }
        switch word.lowercase {
        case "and": return ("Write && for \"and\".", (word.range, "&&"))
        case "or": return ("Write || for \"or\".", (word.range, "||"))
        default: return nil
        }
    }

    /// The mistake in `1_000_000`, `1,000,000`, `2026-11-01` and `12ab`, which the parser reads as a number and a rest.
    private var continuedValue: Finding? {
        let first = beginning(before: start) { $0.isValuePart }
        let range = first..<end(from: start) { $0.isValuePart || $0 == "," }
        let written = string(range)
        guard self[first]?.isDigit ?? false, range.upperBound > start else { return nil }
        let groups = written.split(omittingEmptySubsequences: false) { $0 == "_" || $0 == "," }
        let isGrouped = groups.count > 1 && groups.allSatisfy { $0.unicodeScalars.allSatisfy(\.isDigit) }
        if isGrouped, !written.contains(",") || groups.dropFirst().allSatisfy({ $0.count == 3 }) {
            return ("Numbers have only digits, without separators.", (range, groups.joined()))
        }
        guard self[start] != "," else { return nil }
        let value = first..<end(from: start) { $0.isValuePart }
        let digitCount = end(from: first, while: \.isDigit) - first
        let isTime = digitCount == 4 && self[first + 4] == "-" || digitCount == 2 && self[first + 2] == ":"
        let kind = isTime ? "Dates and times" : "Texts"
        return ("\(kind) are in double quotes.", (value, Self.quoted(string(value))))
    }
}

extension Unicode.Scalar {
    /// Whether the character may be part of a value without quotation marks.
    fileprivate var isValuePart: Bool { properties.isAlphabetic || isDigit || "_-:.+".unicodeScalars.contains(self) }
}
