/// Parses predicates by recursive descent, up to the nesting depth that ``PredicateCompiler`` accepts.
struct PredicateParser {
    private var scanner: PredicateScanner
    private var depth = 0

    static let maximumValueDepth = 64

    init(_ text: String) { scanner = PredicateScanner(text) }

    /// Parses the whole text.
    mutating func predicate() throws(PredicateSyntaxError) -> QueryPredicate {
        let predicate = try disjunction()
        scanner.skipSpace()
        guard scanner.current == nil else { throw scanner.failure("&&, || or the end", .connector) }
        return predicate
    }

    private mutating func disjunction() throws(PredicateSyntaxError) -> QueryPredicate {
        let first = try conjunction()
        var members = [first]
        while scanner.accept("||") { members.append(try conjunction()) }
        return members.count == 1 ? first : .or(members)
    }

    private mutating func conjunction() throws(PredicateSyntaxError) -> QueryPredicate {
        let first = try operand()
        var members = [first]
        while scanner.accept("&&") { members.append(try operand()) }
        return members.count == 1 ? first : .and(members)
    }

    private mutating func operand() throws(PredicateSyntaxError) -> QueryPredicate {
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

    /// Parses the rest of a group after its opening parenthesis.
    private mutating func closed() throws(PredicateSyntaxError) -> QueryPredicate {
        let predicate = try disjunction()
        guard scanner.accept(")") else { throw scanner.failure("&&, || or )", .connector) }
        return predicate
    }

    /// Parses the members of `all(…)` or `any(…)` after the opening parenthesis.
    private mutating func members() throws(PredicateSyntaxError) -> [QueryPredicate] {
        try nested { (parser) throws(PredicateSyntaxError) in
            var members: [QueryPredicate] = []
            if parser.scanner.accept(")") { return members }
            repeat { members.append(try parser.disjunction()) } while parser.scanner.accept(",")
            guard parser.scanner.accept(")") else { throw parser.scanner.failure(", or )") }
            return members
        }
    }

    private mutating func comparison(isNegated: Bool) throws(PredicateSyntaxError) -> QueryPredicate {
        scanner.skipSpace()
        let start = scanner.position
        guard let name = try scanner.name() else { throw scanner.failure("a field, ( or !", .field) }
        if !name.isQuoted {
            if name.text == "all", scanner.accept("(") { return .and(try members()) }
            if name.text == "any", scanner.accept("(") { return .or(try members()) }
        }
        if scanner.accept(".") { return try member(of: [name.text], isNegated: isNegated, start) }
        guard let comparison = try relation() else {
            if !name.isQuoted, name.text == "true" { return .all }
            if !name.isQuoted, name.text == "false" { return .or([]) }
            throw scanner.failure("==, !=, <, <=, >, >= or .", .comparison)
        }
        if isNegated { throw scanner.failure("parentheses around a negated comparison", at: start) }
        return .field(name.text, comparison)
    }

    private mutating func relation() throws(PredicateSyntaxError) -> QueryPredicate.Comparison? {
        if scanner.accept("==") { return .equal(try optionalValue()) }
        if scanner.accept("!=") { return .notEqual(try optionalValue()) }
        if scanner.accept("<=") { return .lessOrEqual(try value()) }
        if scanner.accept("<") { return .less(try value()) }
        if scanner.accept(">=") { return .greaterOrEqual(try value()) }
        if scanner.accept(">") { return .greater(try value()) }
        return nil
    }

    /// Parses the part after the point that follows `names`: a method of that field, or a field of the related or embedded
    /// value.
    private mutating func member(
        of names: [String], isNegated: Bool, _ start: Int
    ) throws(PredicateSyntaxError) -> QueryPredicate {
        scanner.skipSpace()
        let memberStart = scanner.position
        guard let member = try scanner.name() else { throw scanner.failure("a method or a field", at: memberStart) }
        scanner.skipSpace()
        if !member.isQuoted, scanner.current == UInt8(ascii: "(") {
            switch member.text {
            case "any":
                let inner = try nested { (parser) throws(PredicateSyntaxError) in
                    try parser.scanner.expect("(")
                    return try parser.closed()
                }
                return names.reversed().reduce(inner) { .related($1, $0) }
            case "in": return .or(try values().map { .field(at: names, .equal($0)) })
            default: return .field(at: names, try method(member.text, at: memberStart))
            }
        }
        guard names.count < PredicateCompiler.maximumDepth else {
            throw scanner.failure("at most \(PredicateCompiler.maximumDepth) levels of nesting", at: memberStart)
        }
        if scanner.accept(".") { return try self.member(of: names + [member.text], isNegated: isNegated, start) }
        guard let comparison = try relation() else {
            throw scanner.failure("(, ==, !=, <, <=, >, >= or .", .comparison)
        }
        if isNegated { throw scanner.failure("parentheses around a negated comparison", at: start) }
        return .field(at: names + [member.text], comparison)
    }

    private static let methods = "equals, beginsWith, endsWith, contains, notContains, between, in or any"

    /// Parses the arguments of the method called `name`.
    private mutating func method(
        _ name: String, at start: Int
    ) throws(PredicateSyntaxError) -> QueryPredicate.Comparison {
        guard ["equals", "beginsWith", "endsWith", "contains", "notContains", "between"].contains(name) else {
            throw scanner.failure(Self.methods, at: start, .method)
        }
        try scanner.expect("(")
        let comparison: QueryPredicate.Comparison
        switch name {
        case "equals":
            let value = try value()
            comparison = try folded(.equal, value) ?? .equal(value)
        case "beginsWith":
            let prefix = try text()
            comparison = try folded(.beginsWith, .string(prefix)) ?? .beginsWith(prefix)
        case "endsWith":
            let suffix = try text()
            comparison = try folded(.endsWith, .string(suffix)) ?? .endsWith(suffix)
        case "contains":
            let value = try value()
            comparison = try folded(.contains, value) ?? .contains(value)
        case "notContains": comparison = .notContains(try value())
        default:
            let lower = try value()
            try scanner.expect(",")
            comparison = .between(lower, try value())
        }
        try scanner.expect(")")
        return comparison
    }

    /// Parses the label `ignoringCase: true` and returns the comparison with `value` that ignores case, or `nil` without a
    /// label.
    private mutating func folded(
        _ comparison: QueryPredicate.TextComparison, _ value: FieldValue
    ) throws(PredicateSyntaxError) -> QueryPredicate.Comparison? {
        guard scanner.accept(",") else { return nil }
        scanner.skipSpace()
        let start = scanner.position
        guard try scanner.name()?.text == "ignoringCase", scanner.accept(":") else {
            throw scanner.failure("ignoringCase:", at: start)
        }
        scanner.skipSpace()
        let flagStart = scanner.position
        switch try scanner.name()?.text {
        case "false": return nil
        case "true": break
        default: throw scanner.failure("true or false", at: flagStart)
        }
        guard case .string(let text) = value else { throw scanner.failure("a text before ignoringCase", at: start) }
        return .ignoringCase(comparison, text)
    }

    /// Parses the values of `in([…])`.
    private mutating func values() throws(PredicateSyntaxError) -> [FieldValue] {
        try scanner.expect("(")
        guard scanner.accept("[") else { throw scanner.failure("a list of values: [", .list) }
        var values: [FieldValue] = []
        if !scanner.accept("]") {
            repeat { values.append(try value()) } while scanner.accept(",")
            guard scanner.accept("]") else { throw scanner.failure(", or ]") }
        }
        try scanner.expect(")")
        return values
    }

    private mutating func text() throws(PredicateSyntaxError) -> String {
        scanner.skipSpace()
        guard scanner.current == UInt8(ascii: "\"") else { throw scanner.failure("a text in double quotes", .value) }
        return try scanner.quoted("\"")
    }

    /// Parses a value other than `nil`.
    private mutating func value(depth: Int = 0) throws(PredicateSyntaxError) -> FieldValue {
        scanner.skipSpace()
        let start = scanner.position
        guard let value = try optionalValue(depth: depth) else {
            throw scanner.failure("a value that is not nil", at: start)
        }
        return value
    }

    /// Parses a value or `nil`.
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
        throw scanner.failure(
            "a value: a text in double quotes, a number, true, false, nil, a list or {…}", at: start, .value)
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

extension QueryPredicate {
    /// Parses the text form of a predicate, which has the syntax of Swift: `population > 1000000 && (name.beginsWith("San") ||
    /// !(capital == nil))`.
    ///
    /// - Operators are `== != < <= > >=` between a field and a value, and `&& || !` with parentheses. The negation of a
    ///   comparison needs parentheses: `!(a == 1)`. Parentheses are kept: `(a && b) && c` is a group in a group.
    /// - Methods are `.beginsWith("…")`, `.endsWith("…")`, `.contains(value)`, `.notContains(value)`, `.between(lower, upper)`,
    ///   `.in([value, …])` and `.equals("…", ignoringCase: true)`. The methods on texts ignore the difference between upper and
    ///   lower case if they have the label `ignoringCase: true`.
    /// - A field of a related record or of an embedded value comes after the relation's or value's name: `post.title == "x"`,
    ///   `address.city == "x"`. `comments.any(…)` holds if at least one of the records satisfies the predicate in parentheses.
    /// - `title.size > 3` compares the size of a text or list, and `day.text.beginsWith("2026")` the text of a temporal.
    /// - Values are texts in double quotes with the escapes of JSON, numbers, `true`, `false`, lists `[1, nil]` and embedded
    ///   values `{"city": "x"}`. A whole number of more than 64 bits is a floating-point number. `nil` may follow `==` and
    ///   `!=`. Enums and temporals are written as texts.
    /// - `true` is ``all``. `all(…)` and `any(…)` are groups with any number of members. A field name with characters other
    ///   than letters, digits and underscores is written in backquotes.
    ///
    /// - Throws: ``PredicateSyntaxError`` with the place of the error in the text. It is also thrown if the text nests deeper
    ///   than the limit of 200. For a common mistake, the error has advice and the text in the right form.
    public init(parsing text: String) throws(PredicateSyntaxError) {
        var parser = PredicateParser(text)
        do { self = try parser.predicate() } catch { throw error.advised(on: text) }
    }
}
