/// Swift source on its way: lines at their indentation, broken where `swift format` breaks them.
struct SourceText {
    private(set) var text = ""
    private var depth = 0

    /// The most columns of a line.
    static let width = 120

    private var room: Int { Self.width - depth * 4 }

    /// Whether `line` fits behind the indentation.
    func fits(_ line: String) -> Bool { line.utf8.count <= room }

    mutating func line(_ line: String) {
        for _ in 0..<depth { text += "    " }
        text += line
        text += "\n"
    }

    mutating func blank() { text += "\n" }

    /// A documentation comment; empty lines of `document` stay.
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

    /// `head { … }` over several lines.
    mutating func block(_ head: String, _ body: (inout SourceText) -> Void) {
        scope(head + " {", body)
    }

    /// `opening` with its brace or closure's names, the body, and the closing brace.
    mutating func scope(_ opening: String, _ body: (inout SourceText) -> Void) {
        line(opening)
        indented(body)
        line("}")
    }

    /// `head { statement }`, on one line where it fits.
    mutating func braces(_ head: String, _ statement: SourceExpression) {
        let line = "\(head) { \(statement.flat) }"
        if fits(line) { return self.line(line) }
        block(head) { $0.write(statement) }
    }

    /// `head { names in statement }`, on one line where it fits.
    mutating func closure(_ head: String, _ names: String, _ statement: String) {
        let whole = "\(head) { \(names) \(statement) }"
        if fits(whole) { return line(whole) }
        scope("\(head) { \(names)") { $0.line(statement) }
    }

    /// `head(parameters)tail {`, the opening of a function.
    mutating func signature(_ head: String, _ parameters: [String], _ tail: String = "") {
        let whole = "\(head)(\(parameters.joined(separator: ", ")))\(tail) {"
        if fits(whole) || parameters.isEmpty { return line(whole) }
        line(head + "(")
        indented { $0.fill(parameters, end: "") }
        line(")\(tail) {")
    }

    /// The expression behind `prefix`, before `suffix`.
    mutating func write(_ expression: SourceExpression, prefix: String = "", suffix: String = "") {
        let whole = prefix + expression.flat + suffix
        if fits(whole) { return line(whole) }
        switch expression {
        case .text: line(whole)
        case .labelled(let label, let value): write(value, prefix: "\(prefix)\(label): ", suffix: suffix)
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
            let isOneLine = elements.count == 1 && !fits("    " + elements[0].flat + ",")
            indented { $0.write(elements, separated: ",", end: isOneLine ? "" : ",") }
            line("]" + suffix)
        }
    }

    /// `items` with `separator` between them, as many on a line as fit, and `end` behind the last.
    private mutating func write(_ items: [SourceExpression], separated separator: String, end: String) {
        var waiting = ""
        for (place, item) in items.enumerated() {
            let end = place == items.count - 1 ? end : separator
            let flat = item.flat + end
            if !waiting.isEmpty, fits(waiting + " " + flat) {
                waiting += " " + flat
            } else {
                if !waiting.isEmpty { line(waiting) }
                waiting = fits(flat) ? flat : ""
                if waiting.isEmpty { write(item, suffix: end) }
            }
        }
        if !waiting.isEmpty { line(waiting) }
    }

    /// `items` with commas between them, as many on a line as fit, and `end` behind the last.
    private mutating func fill(_ items: [String], end: String) {
        var current = ""
        for (place, item) in items.enumerated() {
            let ended = item + (place == items.count - 1 ? end : ",")
            if current.isEmpty {
                current = ended
            } else if current.utf8.count + 1 + ended.utf8.count <= room {
                current += " " + ended
            } else {
                line(current)
                current = ended
            }
        }
        if !current.isEmpty { line(current) }
    }
}

/// An expression that may have to be broken over several lines.
indirect enum SourceExpression {
    case text(String)
    case labelled(String, SourceExpression)
    case call(String, [SourceExpression])
    case array([SourceExpression])

    /// On one line.
    var flat: String {
        switch self {
        case .text(let text): text
        case .labelled(let label, let value): "\(label): \(value.flat)"
        case .call(let function, let arguments):
            "\(function)(\(arguments.map(\.flat).joined(separator: ", ")))"
        case .array(let elements): "[\(elements.map(\.flat).joined(separator: ", "))]"
        }
    }

    /// `function` called with texts.
    static func call(_ function: String, texts: [String]) -> SourceExpression {
        .call(function, texts.map { .text($0) })
    }
}
