/// A Swift source text under construction: lines with indentation, broken as `swift format` breaks them.
struct SourceText {
    private(set) var text = ""
    private var depth = 0

    /// Whether all lines fit the width. Some lines do not fit if their names are too long.
    private(set) var isWithinWidth = true

    /// The largest number of columns of a line.
    private static let width = 120

    private var room: Int { Self.width - depth * 4 }

    /// Whether `line` fits after the indentation.
    func fits(_ line: String) -> Bool { line.utf8.count <= room }

    mutating func line(_ line: String) {
        // Comments and string literals on their own line may be longer.
        if line.utf8.count > room, !line.hasPrefix("//"), !line.hasPrefix("\"") { isWithinWidth = false }
        for _ in 0..<depth { text += "    " }
        text += line
        text += "\n"
    }

    mutating func blank() { text += "\n" }

    /// Writes a documentation comment. Empty lines of `document` are kept.
    mutating func document(_ document: String) {
        for part in document.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let end = part.lastIndex { !$0.isWhitespace }.map { part.index(after: $0) } ?? part.startIndex
            line(end == part.startIndex ? "///" : "/// \(part[..<end])")
        }
    }

    mutating func indented(_ body: (inout SourceText) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    /// Writes `head { … }` over several lines.
    mutating func block(_ head: String, _ body: (inout SourceText) -> Void) { scope(head + " {", body) }

    /// Writes `opening`, the indented body, and the closing brace. `opening` contains the opening brace.
    mutating func scope(_ opening: String, _ body: (inout SourceText) -> Void) {
        line(opening)
        indented(body)
        line("}")
    }

    /// Writes `head { statement }`, on one line if it fits.
    mutating func braces(_ head: String, _ statement: Expression) {
        let line = "\(head) { \(statement.flat) }"
        if fits(line) { return self.line(line) }
        block(head) { $0.write(statement) }
    }

    /// Writes `target = value`, on two lines if one is too short.
    mutating func assign(_ target: String, _ value: String) { halves("\(target) =", value) }

    /// Writes `first second`, on two lines if one is too short.
    mutating func halves(_ first: String, _ second: String, suffix: String = "") {
        let whole = "\(first) \(second)\(suffix)"
        if fits(whole) { return line(whole) }
        line(first)
        depth += 1
        let isTogether = fits(second + suffix) || !suffix.hasPrefix(")")
        line(isTogether ? second + suffix : second)
        depth -= 1
        if !isTogether {
            // The closing parenthesis of a call has the indentation of the call.
            depth -= 1
            line(suffix)
            depth += 1
        }
    }

    /// Writes `head { names in statement }`, on one line if it fits.
    mutating func closure(_ head: String, _ names: String, _ statement: String) {
        let whole = "\(head) { \(names) \(statement) }"
        if fits(whole) { return line(whole) }
        closure(head, names) { $0.line(statement) }
    }

    /// Writes `head { names in`, the body, and the closing brace.
    mutating func closure(_ head: String, _ names: String, _ body: (inout SourceText) -> Void) {
        let opening = "\(head) { \(names)"
        if fits(opening) { return scope(opening, body) }
        scope(head + " {") { text in
            text.line(names)
            body(&text)
        }
    }

    /// Writes `head(parameters)tail {`, which opens a function.
    mutating func signature(_ head: String, _ parameters: [Expression], _ tail: String = "") {
        let whole = "\(head)(\(parameters.map(\.flat).joined(separator: ", ")))\(tail) {"
        if fits(whole) || parameters.isEmpty { return line(whole) }
        line(head + "(")
        indented { $0.write(parameters, separated: ",", end: "") }
        line(")\(tail) {")
    }

    /// Writes an expression between `prefix` and `suffix`.
    mutating func write(_ expression: Expression, prefix: String = "", suffix: String = "") {
        let whole = prefix + expression.flat + suffix
        if fits(whole + expression.ending) { return line(whole) }
        switch expression {
        case .text: line(whole)
        case .prefixed(let label, .text(let text)): halves(prefix + label, text, suffix: suffix)
        case .prefixed(let label, let value): write(value, prefix: "\(prefix)\(label) ", suffix: suffix)
        case .prose(let text): write(prose: text, prefix: prefix, suffix: suffix)
        case .call(let function, let arguments):
            if arguments.isEmpty { return line(whole) }
            if arguments.count == 1, case .array = arguments[0] {
                return write(arguments[0], prefix: "\(prefix)\(function)(", suffix: ")" + suffix)
            }
            line("\(prefix)\(function)(")
            indented { $0.write(arguments, separated: ",", end: ")" + suffix) }
        case .array(let elements):
            if elements.isEmpty { return line(whole) }
            line("\(prefix)[")
            indented { $0.write(elements, separated: ",", end: elements.count == 1 ? "" : ",") }
            line("]" + suffix)
        }
    }

    /// Writes `items` with `separator` between them and `end` after the last. Each line has as many items as fit.
    private mutating func write(_ items: [Expression], separated separator: String, end: String) {
        var waiting = ""
        for (place, item) in items.enumerated() {
            let end = place == items.count - 1 ? end : separator
            let flat = item.flat + end
            if !waiting.isEmpty, fits(waiting + " " + flat + item.ending) {
                waiting += " " + flat
            } else {
                if !waiting.isEmpty { line(waiting) }
                waiting = fits(flat + item.ending) ? flat : ""
                if waiting.isEmpty { write(item, suffix: end) }
            }
        }
        if !waiting.isEmpty { line(waiting) }
    }

    /// Writes a string literal over several lines, broken between words.
    private mutating func write(prose: String, prefix: String, suffix: String) {
        line(prefix + "\"\"\"")
        indented { text in
            for paragraph in prose.split(separator: "\n", omittingEmptySubsequences: false) {
                let words = SwiftWords.escaped(paragraph).split(separator: " ", omittingEmptySubsequences: false)
                var current = ""
                for (place, word) in words.enumerated() {
                    let isLast = place == words.count - 1
                    if !current.isEmpty, !text.fits(current + word + (isLast ? "" : " \\")) {
                        text.line(current + "\\")
                        current = ""
                    }
                    current += isLast ? String(word) : word + " "
                }
                if current.hasSuffix(" ") { current = current.dropLast() + "\\u{20}" }
                if current.isEmpty { text.blank() } else { text.line(current) }
            }
            text.line("\"\"\"" + suffix)
        }
    }

    /// An expression that may be broken over several lines.
    indirect enum Expression {
        case text(String)
        /// An expression after a label with its colon, or after `name =`.
        case prefixed(String, Expression)
        /// A string literal with a text for people.
        case prose(String)
        case call(String, [Expression])
        case array([Expression])

        /// The expression on one line.
        var flat: String {
            switch self {
            case .text(let text): text
            case .prefixed(let prefix, let value): "\(prefix) \(value.flat)"
            case .prose(let text): SwiftWords.literal(text)
            case .call(let function, let arguments):
                "\(function)(\(arguments.map(\.flat).joined(separator: ", ")))"
            case .array(let elements): "[\(elements.map(\.flat).joined(separator: ", "))]"
            }
        }

        /// The further characters that the formatter counts: the trailing comma that each list with several elements would
        /// have.
        var ending: String {
            switch self {
            case .array(let elements): (elements.count > 1 ? "," : "") + elements.map(\.ending).joined()
            case .prefixed(_, let value): value.ending
            case .call(_, let arguments): arguments.map(\.ending).joined()
            case .text, .prose: ""
            }
        }

        static func labelled(_ label: String, _ value: Expression) -> Expression {
            .prefixed(label + ":", value)
        }

        /// A call of `function` with texts as arguments.
        static func call(_ function: String, texts: [String]) -> Expression {
            .call(function, texts.map { .text($0) })
        }
    }
}
