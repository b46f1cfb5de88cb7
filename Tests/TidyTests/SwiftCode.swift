/// Reads Swift as far as the rules need: where comments and string literals are, and how long functions are.
enum SwiftCode {
    /// `text` with blanks in place of comments and of the contents of string literals. Line ends stay.
    static func withoutCommentsAndText(_ text: String) -> String { read(text).code }

    /// A string literal on one line, without its escapes and interpolations.
    struct Literal {
        /// The index of the line.
        let line: Int
        let bytes: [UInt8]
    }

    /// `text` as by ``withoutCommentsAndText(_:)``, and its string literals that are on one line.
    static func read(_ text: String) -> (code: String, literals: [Literal]) {
        var scanner = Blanking(Array(text.utf8))
        scanner.code(until: nil)
        return (String(decoding: scanner.output, as: UTF8.self), scanner.literals)
    }

    /// A name, a keyword or a number of a line.
    struct Word {
        let text: Substring
        /// Whether one full stop precedes the word, as it does before a member. The three full stops of a range do not count.
        let isMember: Bool
    }

    /// The words of `line`, which has neither comments nor text. A regular expression would take a hundred times as long in a
    /// debug build.
    static func words(in line: Substring) -> [Word] {
        let bytes = line.utf8
        var words: [Word] = []
        var index = bytes.startIndex
        var fullStopCount = 0
        while index < bytes.endIndex {
            let start = index
            while index < bytes.endIndex, isPartOfWord(bytes[index]) { index = bytes.index(after: index) }
            if index > start {
                words.append(Word(text: line[start..<index], isMember: fullStopCount == 1))
                fullStopCount = 0
            } else {
                fullStopCount = bytes[index] == UInt8(ascii: ".") ? fullStopCount + 1 : 0
                index = bytes.index(after: index)
            }
        }
        return words
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 128...:
            true
        default: false
        }
    }

    /// A function, initializer, deinitializer or subscript with a body.
    struct Function: Equatable {
        let name: String
        /// The index of the line on which it begins.
        let line: Int
        /// The number of lines from its name through its closing brace.
        let lineCount: Int
    }

    /// The functions in `code`, which has neither comments nor text.
    static func functions(in code: String) -> [Function] {
        let bytes = Array(code.utf8)
        var functions: [Function] = []
        for match in code.matches(of: /\b(?:func\s+([^\s(<]+)|(init|deinit|subscript)\b)/) {
            let start = match.range.lowerBound.utf16Offset(in: code)
            let offset = code.utf8.distance(from: code.startIndex, to: match.range.lowerBound)
            guard start == 0 || !".`".utf8.contains(bytes[offset - 1]) else { continue }
            let end = code.utf8.distance(from: code.startIndex, to: match.range.upperBound)
            guard let body = bodyStart(bytes, after: end), let close = closingBrace(bytes, after: body) else {
                continue
            }
            let newline = UInt8(ascii: "\n")
            functions.append(
                Function(
                    name: String(match.1 ?? match.2 ?? ""), line: bytes[..<offset].count { $0 == newline },
                    lineCount: bytes[offset..<close].count { $0 == newline } + 1))
        }
        return functions
    }

    /// The position of the brace that opens the body of the declaration whose name ends at `start`; `nil` if it has no body.
    private static func bodyStart(_ bytes: [UInt8], after start: Int) -> Int? {
        var depth = 0
        var position = start
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "{") where depth == 0: return position
            case UInt8(ascii: "}") where depth == 0: return nil
            case UInt8(ascii: "\n") where depth == 0:
                let rest = bytes[position...].drop { [32, 10].contains($0) }
                let continues = ["{", "->", "where ", "throws", "async", "rethrows"].contains {
                    rest.starts(with: $0.utf8)
                }
                if !continues { return nil }
            default: break
            }
            if depth < 0 { return nil }
            position += 1
        }
        return nil
    }

    private static func closingBrace(_ bytes: [UInt8], after open: Int) -> Int? {
        var depth = 0
        for position in open..<bytes.count {
            if bytes[position] == UInt8(ascii: "{") { depth += 1 }
            if bytes[position] == UInt8(ascii: "}") { depth -= 1 }
            if depth == 0 { return position }
        }
        return nil
    }
}

/// Copies Swift with blanks in place of comments and text.
private struct Blanking {
    private let input: [UInt8]
    private var position = 0
    private var line = 0
    private(set) var output: [UInt8] = []
    private(set) var literals: [SwiftCode.Literal] = []

    init(_ input: [UInt8]) {
        self.input = input
        output.reserveCapacity(input.count)
    }

    /// Copies code up to the end, or past the parenthesis that closes an interpolation.
    mutating func code(until closing: UInt8?) {
        var depth = 0
        while position < input.count {
            let byte = input[position]
            switch byte {
            case UInt8(ascii: "/") where starts("//"):
                while position < input.count, input[position] != 10 { blank() }
                continue
            case UInt8(ascii: "/") where starts("/*"):
                blockComment()
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "#"):
                if let hashes = hashesBeforeQuote() {
                    text(hashes)
                    continue
                }
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            default: break
            }
            copy()
            if let closing, byte == closing, depth < 0 { return }
        }
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if starts("/*") {
                depth += 1
                blank(2)
            } else if starts("*/") {
                depth -= 1
                blank(2)
            } else {
                blank()
            }
        } while depth > 0 && position < input.count
    }

    /// Blanks a string literal that begins with `hashes` number signs. Its interpolations are copied as code.
    private mutating func text(_ hashes: Int) {
        let marks = [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
        let isMultiline = input[(position + hashes)...].starts(with: "\"\"\"".utf8)
        let quote = [UInt8](repeating: UInt8(ascii: "\""), count: isMultiline ? 3 : 1)
        for _ in 0..<(hashes + quote.count) { copy() }
        let end = quote + marks
        let escape = [UInt8(ascii: "\\")] + marks
        var content: [UInt8] = []
        while position < input.count {
            let byte = input[position]
            if byte == end[0], input[position...].starts(with: end) {
                if !isMultiline { literals.append(SwiftCode.Literal(line: line, bytes: content)) }
                for _ in end { copy() }
                return
            } else if byte == escape[0], input[position...].starts(with: escape) {
                let isInterpolation = input[(position + escape.count)...].first == UInt8(ascii: "(")
                blank(escape.count)
                guard isInterpolation else {
                    blank()
                    continue
                }
                copy()
                code(until: UInt8(ascii: ")"))
            } else if byte == 10, !isMultiline {
                return
            } else {
                content.append(byte)
                blank()
            }
        }
    }

    /// The number of number signs before a quotation mark at this position; `nil` if no string literal begins here.
    private func hashesBeforeQuote() -> Int? {
        let hashes = input[position...].prefix { $0 == UInt8(ascii: "#") }.count
        return position + hashes < input.count && input[position + hashes] == UInt8(ascii: "\"") ? hashes : nil
    }

    private func starts(_ text: String) -> Bool { input[position...].starts(with: text.utf8) }

    private mutating func copy() {
        if input[position] == 10 { line += 1 }
        output.append(input[position])
        position += 1
    }

    private mutating func blank(_ count: Int = 1) {
        for _ in 0..<count where position < input.count {
            if input[position] == 10 { line += 1 }
            output.append(input[position] == 10 ? 10 : 32)
            position += 1
        }
    }
}
