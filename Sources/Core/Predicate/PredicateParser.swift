extension Predicate {
    /// Reads a predicate's text form, which is Swift's:
    /// `population > 1000000 && (name.beginsWith("San") || !(capital == nil))`.
    ///
    /// - Operators are `== != < <= > >=` between a field and a value, and `&& || !` with parentheses. A negated comparison
    ///   needs them: `!(a == 1)`. Parentheses are kept: `(a && b) && c` is a group in a group.
    /// - Methods are `.beginsWith("…")`, `.contains(value)`, `.notContains(value)`, `.between(lower, upper)`.
    /// - A field of a related record follows the relation's name: `post.title == "x"`; `comments.any(…)` holds where one
    ///   related record satisfies what is in the parentheses.
    /// - Values are texts in double quotes with the escapes of JSON, whole numbers of 64 bits, floating-point numbers,
    ///   `true`, `false`, lists `[1, nil]` and embedded values `{"city": "x"}`; `nil` stands after `==` and `!=`. Enums
    ///   and temporals are written as texts.
    /// - `true` is ``all``, `all(…)` and `any(…)` are groups of any number of members. A field whose name is not letters,
    ///   digits and underscores stands in backquotes.
    ///
    /// - Throws: ``PredicateSyntaxError`` that says where the text stops being a predicate; also where it nests deeper
    ///   than a predicate may, 200.
    public init(parsing text: String) throws(PredicateSyntaxError) {
        var parser = PredicateParser(text)
        self = try parser.predicate()
    }
}

/// Reads predicates by recursive descent, as deep as ``PredicateCompiler`` takes them.
struct PredicateParser {
    private var scanner: PredicateScanner
    private var depth = 0

    static let maximumValueDepth = 64

    init(_ text: String) { scanner = PredicateScanner(text) }

    /// The whole text.
    mutating func predicate() throws(PredicateSyntaxError) -> Predicate {
        let predicate = try disjunction()
        scanner.skipSpace()
        guard scanner.current == nil else { throw scanner.failure("&&, || or the end") }
        return predicate
    }

    private mutating func disjunction() throws(PredicateSyntaxError) -> Predicate {
        let first = try conjunction()
        var members = [first]
        while scanner.accept("||") { members.append(try conjunction()) }
        return members.count == 1 ? first : .or(members)
    }

    private mutating func conjunction() throws(PredicateSyntaxError) -> Predicate {
        let first = try operand()
        var members = [first]
        while scanner.accept("&&") { members.append(try operand()) }
        return members.count == 1 ? first : .and(members)
    }

    private mutating func operand() throws(PredicateSyntaxError) -> Predicate {
        if scanner.accept("(") { return try nested { (parser) throws(PredicateSyntaxError) in try parser.closed() } }
        guard scanner.accept("!") else { return try comparison(isNegated: false) }
        return .not(
            try nested { (parser) throws(PredicateSyntaxError) in
                if parser.scanner.accept("(") { return try parser.closed() }
                parser.scanner.skipSpace()
                return parser.scanner.current == UInt8(ascii: "!")
                    ? try parser.operand() : try parser.comparison(isNegated: true)
            })
    }

    private mutating func nested<Value>(
        _ body: (inout PredicateParser) throws(PredicateSyntaxError) -> Value
    ) throws(PredicateSyntaxError) -> Value {
        guard depth < PredicateCompiler.maximumDepth else {
            throw scanner.failure("at most \(PredicateCompiler.maximumDepth) levels of nesting")
        }
        depth += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    /// The rest of a group whose opening parenthesis was taken.
    private mutating func closed() throws(PredicateSyntaxError) -> Predicate {
        let predicate = try disjunction()
        guard scanner.accept(")") else { throw scanner.failure("&&, || or )") }
        return predicate
    }

    /// The members of `all(…)` or `any(…)` whose opening parenthesis was taken.
    private mutating func members() throws(PredicateSyntaxError) -> [Predicate] {
        try nested { (parser) throws(PredicateSyntaxError) in
            var members: [Predicate] = []
            if parser.scanner.accept(")") { return members }
            repeat { members.append(try parser.disjunction()) } while parser.scanner.accept(",")
            guard parser.scanner.accept(")") else { throw parser.scanner.failure(", or )") }
            return members
        }
    }

    private mutating func comparison(isNegated: Bool) throws(PredicateSyntaxError) -> Predicate {
        scanner.skipSpace()
        let start = scanner.position
        guard let name = try scanner.name() else { throw scanner.failure("a field, ( or !") }
        if !name.isQuoted {
            if name.text == "all", scanner.accept("(") { return .and(try members()) }
            if name.text == "any", scanner.accept("(") { return .or(try members()) }
        }
        if scanner.accept(".") { return try member(of: name.text, isNegated: isNegated, start) }
        guard let comparison = try relation() else {
            if !name.isQuoted, name.text == "true" { return .all }
            if !name.isQuoted, name.text == "false" { return .or([]) }
            throw scanner.failure("==, !=, <, <=, >, >= or .")
        }
        if isNegated { throw scanner.failure("parentheses around a negated comparison", at: start) }
        return .field(name.text, comparison)
    }

    private mutating func relation() throws(PredicateSyntaxError) -> Predicate.Comparison? {
        if scanner.accept("==") { return .equal(try optionalValue()) }
        if scanner.accept("!=") { return .notEqual(try optionalValue()) }
        if scanner.accept("<=") { return .lessOrEqual(try value()) }
        if scanner.accept("<") { return .less(try value()) }
        if scanner.accept(">=") { return .greaterOrEqual(try value()) }
        if scanner.accept(">") { return .greater(try value()) }
        return nil
    }

    /// What follows the point after `name`: a method of the field called so, or a field of the relation called so.
    private mutating func member(
        of name: String, isNegated: Bool, _ start: Int
    ) throws(PredicateSyntaxError) -> Predicate {
        scanner.skipSpace()
        let memberStart = scanner.position
        guard let member = try scanner.name() else { throw scanner.failure("a method or a field", at: memberStart) }
        scanner.skipSpace()
        if !member.isQuoted, scanner.current == UInt8(ascii: "(") {
            guard member.text == "any" else { return .field(name, try method(member.text, at: memberStart)) }
            return .related(
                name,
                try nested { (parser) throws(PredicateSyntaxError) in
                    try parser.scanner.expect("(")
                    return try parser.closed()
                })
        }
        if scanner.accept(".") {
            scanner.skipSpace()
            let methodStart = scanner.position
            let method = try scanner.name()
            guard let method, !method.isQuoted else { throw scanner.failure(Self.methods, at: methodStart) }
            return .relatedField(name, member.text, try self.method(method.text, at: methodStart))
        }
        guard let comparison = try relation() else { throw scanner.failure("(, ==, !=, <, <=, >, >= or .") }
        if isNegated { throw scanner.failure("parentheses around a negated comparison", at: start) }
        return .relatedField(name, member.text, comparison)
    }

    private static let methods = "beginsWith, contains, notContains or between"

    /// The arguments of the method called `name`.
    private mutating func method(
        _ name: String, at start: Int
    ) throws(PredicateSyntaxError) -> Predicate.Comparison {
        guard ["beginsWith", "contains", "notContains", "between"].contains(name) else {
            throw scanner.failure(Self.methods, at: start)
        }
        try scanner.expect("(")
        let comparison: Predicate.Comparison
        switch name {
        case "beginsWith": comparison = .beginsWith(try text())
        case "contains": comparison = .contains(try value())
        case "notContains": comparison = .notContains(try value())
        default:
            let lower = try value()
            try scanner.expect(",")
            comparison = .between(lower, try value())
        }
        try scanner.expect(")")
        return comparison
    }

    private mutating func text() throws(PredicateSyntaxError) -> String {
        scanner.skipSpace()
        guard scanner.current == UInt8(ascii: "\"") else { throw scanner.failure("a text in double quotes") }
        return try scanner.quoted("\"")
    }
}

extension PredicateParser {
    /// A value that is not missing.
    private mutating func value(depth: Int = 0) throws(PredicateSyntaxError) -> FieldValue {
        scanner.skipSpace()
        let start = scanner.position
        guard let value = try optionalValue(depth: depth) else {
            throw scanner.failure("a value that is not nil", at: start)
        }
        return value
    }

    /// A value, or `nil`.
    private mutating func optionalValue(depth: Int = 0) throws(PredicateSyntaxError) -> FieldValue? {
        scanner.skipSpace()
        let start = scanner.position
        guard depth <= Self.maximumValueDepth else {
            throw scanner.failure("at most \(Self.maximumValueDepth) levels of nesting")
        }
        switch scanner.current {
        case UInt8(ascii: "\""): return .string(try scanner.quoted("\""))
        case let byte? where byte == UInt8(ascii: "-") || (48...57).contains(byte): return try scanner.number()
        case UInt8(ascii: "["): return try list(depth: depth + 1)
        case UInt8(ascii: "{"): return try embedded(depth: depth + 1)
        case UInt8(ascii: "`"): break
        default:
            switch try scanner.name()?.text {
            case "true": return .bool(true)
            case "false": return .bool(false)
            case "nil": return nil
            default: break
            }
        }
        throw scanner.failure("a value: a text in double quotes, a number, true, false, nil, a list or {…}", at: start)
    }

    private mutating func list(depth: Int) throws(PredicateSyntaxError) -> FieldValue {
        try scanner.expect("[")
        var elements: [FieldValue?] = []
        if scanner.accept("]") { return .list(elements) }
        repeat { elements.append(try optionalValue(depth: depth)) } while scanner.accept(",")
        guard scanner.accept("]") else { throw scanner.failure(", or ]") }
        return .list(elements)
    }

    private mutating func embedded(depth: Int) throws(PredicateSyntaxError) -> FieldValue {
        try scanner.expect("{")
        var values: [String: FieldValue] = [:]
        if scanner.accept("}") { return .embedded(values) }
        repeat {
            scanner.skipSpace()
            let start = scanner.position
            let name = try text()
            try scanner.expect(":")
            guard values.updateValue(try value(depth: depth), forKey: name) == nil else {
                throw scanner.failure("a name that was not given before", at: start)
            }
        } while scanner.accept(",")
        guard scanner.accept("}") else { throw scanner.failure(", or }") }
        return .embedded(values)
    }
}
