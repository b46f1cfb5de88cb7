/// Reads the text of a pattern.
struct TextPatternParser {
    private typealias Refusal = TextPattern.Refusal

    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var depth = 0

    private static let depthLimit = 50
    private static let repetitionLimit = 1_000

    init(_ pattern: String) { scalars = Array(pattern.unicodeScalars) }

    /// Reads the whole pattern.
    mutating func pattern() throws(TextPattern.Refusal) -> TextPattern.Node {
        let node = try alternatives()
        guard peek() == nil else { throw Refusal(reason: "\")\" closes no group; write \"\\)\" for the character") }
        return node
    }

    private func peek(_ offset: Int = 0) -> Unicode.Scalar? {
        index + offset < scalars.count ? scalars[index + offset] : nil
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == scalar else { return false }
        index += 1
        return true
    }

    private mutating func alternatives() throws(Refusal) -> TextPattern.Node {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else { throw Refusal(reason: "its groups nest too deep") }
        var members = [try sequence()]
        while skip("|") { members.append(try sequence()) }
        return members.count == 1 ? members[0] : .alternatives(members)
    }

    private mutating func sequence() throws(Refusal) -> TextPattern.Node {
        var nodes: [TextPattern.Node] = []
        while let scalar = peek(), scalar != "|", scalar != ")" {
            let node = try atom()
            nodes.append(try repeated(node))
        }
        return .sequence(nodes)
    }

    private mutating func repeated(_ node: TextPattern.Node) throws(Refusal) -> TextPattern.Node {
        let (least, most): (Int, Int?)
        switch peek() {
        case "*": (least, most) = (0, nil)
        case "+": (least, most) = (1, nil)
        case "?": (least, most) = (0, 1)
        case "{": (least, most) = try bounds()
        default: return node
        }
        index += 1
        // Whether the shortest or the longest match is found first does not matter, because only its existence counts.
        if skip("?") { return .repeated(node, least: least, most: most) }
        switch peek() {
        case "+": throw Refusal(reason: "\"\(scalars[index - 1])+\" is possessive, which Tidelog cannot match")
        case "*", "?", "{": throw Refusal(reason: "nothing stands before \"\(scalars[index])\"")
        default: return .repeated(node, least: least, most: most)
        }
    }

    /// Reads `{2}`, `{2,}` or `{2,5}` up to the closing brace.
    private mutating func bounds() throws(Refusal) -> (Int, Int?) {
        index += 1
        let least = number()
        var most = least
        if skip(",") { most = peek() == "}" ? nil : number() ?? -1 }
        guard let least, peek() == "}" else {
            throw Refusal(reason: "\"{\" begins no count such as {2} or {2,5}; write \"\\{\" for the character")
        }
        guard max(least, most ?? 0) <= Self.repetitionLimit else {
            throw Refusal(reason: "a part repeats more than \(Self.repetitionLimit) times")
        }
        guard most.map({ $0 >= least }) ?? true else { throw Refusal(reason: "a count ends before it begins") }
        return (least, most)
    }

    private mutating func number() -> Int? {
        var digits = ""
        while let scalar = peek(), ("0"..."9").contains(scalar) {
            digits.unicodeScalars.append(scalar)
            index += 1
        }
        return digits.isEmpty ? nil : Int(digits) ?? .max
    }

    private mutating func atom() throws(Refusal) -> TextPattern.Node {
        guard let scalar = peek() else { throw Refusal(reason: "it ends too early") }
        index += 1
        switch scalar {
        case ".": return .set(.any)
        case "^": return .assertion(.start)
        case "$": return .assertion(.end)
        case "(": return try group()
        case "[": return .set(try characterClass())
        case "\\": return try escape()
        case "*", "+", "?", "{":
            throw Refusal(reason: "nothing stands before \"\(scalar)\"; write \"\\\(scalar)\" for the character")
        default: return .set(Self.only(scalar))
        }
    }

    private static func only(_ scalar: Unicode.Scalar) -> ScalarSet { ScalarSet([scalar.value...scalar.value]) }

    private mutating func group() throws(Refusal) -> TextPattern.Node {
        if skip("?") {
            switch (peek(), peek(1)) {
            case (":", _): index += 1
            case ("=", _), ("!", _):
                throw Refusal(reason: "\"(?\(scalars[index])\" looks ahead, which Tidelog cannot match")
            case ("<", "="), ("<", "!"):
                throw Refusal(reason: "\"(?<\(scalars[index + 1])\" looks back, which Tidelog cannot match")
            case (">", _): throw Refusal(reason: "\"(?>\" begins an atomic group, which Tidelog cannot match")
            case ("<", _):
                while let scalar = peek(), scalar != ">", scalar != ")" { index += 1 }
                guard skip(">") else { throw Refusal(reason: "the name of a group has no end") }
            default: throw Refusal(reason: "\"(?\" begins a flag, which Tidelog does not know")
            }
        }
        let node = try alternatives()
        guard skip(")") else { throw Refusal(reason: "\"(\" has no \")\"") }
        return node
    }
}

// MARK: - Escapes and classes

extension TextPatternParser {
    /// A member of a class: ranges of characters, or a category.
    private enum Member {
        case scalar(UInt32)
        case ranges([ClosedRange<UInt32>])
        case category(ScalarSet.Category)
    }

    private mutating func escape() throws(TextPattern.Refusal) -> TextPattern.Node {
        switch peek() {
        case "b": return next(.wordBoundary)
        case "B": return next(.noWordBoundary)
        case "A": return next(.start)
        case "z": return next(.end)
        default:
            switch try member() {
            case .scalar(let scalar): return .set(ScalarSet([scalar...scalar]))
            case .ranges(let ranges): return .set(ScalarSet(ranges))
            case .category(let category): return .set(ScalarSet([], categories: [category]))
            }
        }
    }

    private mutating func next(_ assertion: TextPattern.Assertion) -> TextPattern.Node {
        index += 1
        return .assertion(assertion)
    }

    /// Reads the characters after a backslash.
    private mutating func member() throws(TextPattern.Refusal) -> Member {
        guard let letter = peek() else { throw Refusal(reason: "it ends with a backslash") }
        index += 1
        if let ranges = ScalarSet.ranges(of: letter) { return .ranges(ranges) }
        switch letter {
        case "t": return .scalar(0x09)
        case "n": return .scalar(0x0A)
        case "v": return .scalar(0x0B)
        case "f": return .scalar(0x0C)
        case "r": return .scalar(0x0D)
        case "0": return .scalar(0)
        case "x": return .scalar(try hexadecimal(2))
        case "u": return .scalar(try hexadecimal(4))
        case "p", "P": return .category(try category(isNegated: letter == "P"))
        case "1"..."9", "k": throw Refusal(reason: "\"\\\(letter)\" repeats a group, which Tidelog cannot match")
        case "a"..."z", "A"..."Z": throw Refusal(reason: "\"\\\(letter)\" is unknown")
        default: return .scalar(letter.value)
        }
    }

    private mutating func hexadecimal(_ count: Int) throws(TextPattern.Refusal) -> UInt32 {
        let isBraced = skip("{")
        var digits = ""
        while let scalar = peek(), isBraced ? scalar != "}" : digits.count < count {
            digits.unicodeScalars.append(scalar)
            index += 1
        }
        let isWhole = isBraced ? skip("}") : digits.count == count
        guard isWhole, let number = UInt32(digits, radix: 16), Unicode.Scalar(number) != nil else {
            throw Refusal(reason: "\"\\x\" and \"\\u\" need a character's number in hexadecimal digits")
        }
        return number
    }

    private mutating func category(isNegated: Bool) throws(TextPattern.Refusal) -> ScalarSet.Category {
        var name = ""
        if skip("{") {
            while let scalar = peek(), scalar != "}" {
                name.unicodeScalars.append(scalar)
                index += 1
            }
            guard skip("}") else { throw Refusal(reason: "\"\\p{\" has no \"}\"") }
        } else if let scalar = peek() {
            name.unicodeScalars.append(scalar)
            index += 1
        }
        guard Unicode.GeneralCategory.codes.contains(name) else {
            throw Refusal(reason: "\"\\p{\(name)}\" is no general category of Unicode such as L, Lu or Nd")
        }
        return ScalarSet.Category(name: name, isNegated: isNegated)
    }

    /// Reads a class after its opening bracket.
    private mutating func characterClass() throws(TextPattern.Refusal) -> ScalarSet {
        let isNegated = skip("^")
        var (ranges, categories): ([ClosedRange<UInt32>], [ScalarSet.Category]) = ([], [])
        while !skip("]") {
            switch try classMember() {
            case .category(let category): categories.append(category)
            case .ranges(let members): ranges += members
            case .scalar(let first):
                guard peek() == "-", let end = peek(1), end != "]" else {
                    ranges.append(first...first)
                    continue
                }
                index += 1
                guard case .scalar(let last) = try classMember(), first <= last else {
                    throw Refusal(reason: "a range such as [a-z] ends before it begins")
                }
                ranges.append(first...last)
            }
        }
        guard !ranges.isEmpty || !categories.isEmpty else { throw Refusal(reason: "\"[]\" contains no character") }
        return ScalarSet(ranges, categories: categories, isNegated: isNegated)
    }

    private mutating func classMember() throws(TextPattern.Refusal) -> Member {
        guard let scalar = peek() else { throw Refusal(reason: "\"[\" has no \"]\"") }
        index += 1
        switch scalar {
        case "\\" where peek() == "b":
            index += 1
            return .scalar(0x08)
        case "\\": return try member()
        case "[": throw Refusal(reason: "\"[\" stands inside a class; write \"\\[\" for the character")
        case "&" where peek() == "&":
            throw Refusal(reason: "\"&&\" stands inside a class; write \"\\&\" for the character")
        default: return .scalar(scalar.value)
        }
    }
}
