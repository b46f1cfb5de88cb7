internal import TidelogSuggestion

/// A recursive descent parser with one token of lookahead (October 2021, appendix B).
///
/// Each recursion calls `enter()`, which the depth limit bounds. A parser must not be used again after an error.
struct Parser {
    var lexer: Lexer
    /// The next token, which is not consumed yet.
    var token: Token
    /// The end of the last consumed token.
    private var consumedEnd = 0
    private var depth = 0
    private let depthLimit: Int

    init(_ bytes: [UInt8], limits: GraphQLLimits) throws(GraphQLSyntaxError) {
        guard bytes.count <= limits.documentBytes else { throw Parser.tooLong(limits) }
        lexer = Lexer(bytes, tokenLimit: limits.tokens)
        depthLimit = limits.depth
        token = try lexer.next()
    }

    static func tooLong(_ limits: GraphQLLimits) -> GraphQLSyntaxError {
        GraphQLSyntaxError(
            message: "the document has more than \(limits.documentBytes) bytes",
            location: SourceLocation(line: 1, column: 1), span: .none, suggestion: nil)
    }

    // MARK: Consuming

    /// Consumes the next token of any kind and returns it.
    @discardableResult
    mutating func advance() throws(GraphQLSyntaxError) -> Token {
        let consumed = token
        consumedEnd = consumed.end
        token = try lexer.next()
        return consumed
    }

    /// Consumes the next token if it has this kind. Returns whether it did.
    mutating func skip(_ kind: Token.Kind) throws(GraphQLSyntaxError) -> Bool {
        guard token.kind == kind else { return false }
        try advance()
        return true
    }

    /// Consumes the next token, which must have this kind.
    mutating func expect(_ kind: Token.Kind) throws(GraphQLSyntaxError) {
        guard token.kind == kind else { throw expected("\"\(kind.rawValue)\"") }
        try advance()
    }

    /// Consumes the next token if it is this keyword. Returns whether it did.
    mutating func skip(keyword: StaticString) throws(GraphQLSyntaxError) -> Bool {
        guard isNext(keyword: keyword) else { return false }
        try advance()
        return true
    }

    func isNext(keyword: StaticString) -> Bool {
        guard token.kind == .name, token.end - token.start == keyword.utf8CodeUnitCount else { return false }
        return keyword.withUTF8Buffer { lexer.bytes[token.start..<token.end].elementsEqual($0) }
    }

    /// The bytes from `start` to the end of the last consumed token.
    func span(from start: Int) -> SourceSpan { SourceSpan(start: start, end: consumedEnd) }

    // MARK: Repetition and nesting

    /// Parses `open node… close` with at least one node. Returns no nodes if the next token is not `open`.
    mutating func optionalList<Node>(
        _ open: Token.Kind, _ close: Token.Kind, _ expectation: String,
        _ parse: (inout Parser) throws(GraphQLSyntaxError) -> Node
    ) throws(GraphQLSyntaxError) -> [Node] {
        guard try skip(open) else { return [] }
        guard token.kind != close else {
            throw expected(expectation, "leave the empty \"\(open.rawValue)\(close.rawValue)\" out")
        }
        var nodes: [Node] = []
        repeat { nodes.append(try parse(&self)) } while try !skip(close)
        return nodes
    }

    /// Parses `separator? node (separator node)…`.
    mutating func separated<Node>(
        by separator: Token.Kind, _ parse: (inout Parser) throws(GraphQLSyntaxError) -> Node
    ) throws(GraphQLSyntaxError) -> [Node] {
        _ = try skip(separator)
        var nodes: [Node] = []
        repeat { nodes.append(try parse(&self)) } while try skip(separator)
        return nodes
    }

    /// Enters a level of nesting, at the token that opens the level. `leave()` leaves the level.
    mutating func enter() throws(GraphQLSyntaxError) {
        guard depth < depthLimit else {
            throw lexer.error("nested deeper than \(depthLimit) levels", token.start, token.end)
        }
        depth += 1
    }

    mutating func leave() {
        assert(depth > 0, "left more levels than were entered")
        depth -= 1
    }
}

extension Document {
    /// Parses a schema or an executable document. Throws at the first error.
    ///
    /// The grammar is that of October 2021, with some additions. Descriptions before operations, fragments and variables, and
    /// the escape `\u{…}`, come from September 2025. Characters beyond U+FFFF are allowed wherever text is allowed.
    public init(parsing source: String, limits: GraphQLLimits = .standard) throws(GraphQLSyntaxError) {
        guard source.utf8.count <= limits.documentBytes else { throw Parser.tooLong(limits) }
        try self.init(parsing: Array(source.utf8), limits: limits)
    }

    /// Parses UTF-8 bytes, and validates them. Throws at the first error.
    public init(parsing source: [UInt8], limits: GraphQLLimits = .standard) throws(GraphQLSyntaxError) {
        var parser = try Parser(source, limits: limits)
        self = try parser.document()
    }
}

extension Value {
    /// Parses one constant value, such as a default value from an introspection response.
    public init(parsing source: String, limits: GraphQLLimits = .standard) throws(GraphQLSyntaxError) {
        var parser = try Parser(Array(source.utf8), limits: limits)
        self = try parser.value(constant: true)
        try parser.end()
    }
}

extension TypeReference {
    /// Parses one type, such as `[ID!]!`.
    public init(parsing source: String, limits: GraphQLLimits = .standard) throws(GraphQLSyntaxError) {
        var parser = try Parser(Array(source.utf8), limits: limits)
        self = try parser.type()
        try parser.end()
    }
}

// MARK: - Errors

extension Parser {
    /// The error for a next token that is not the expected one.
    func expected(_ expectation: String, _ suggestion: String? = nil) -> GraphQLSyntaxError {
        lexer.error("expected \(expectation), found \(foundText)", token.start, token.end, suggestion: suggestion)
    }

    /// The error for a next token that is none of the given words. It suggests the most similar word.
    func expected(_ expectation: String, among words: [String]) -> GraphQLSyntaxError {
        let nearest = token.kind == .name ? Suggestion.didYouMean(text(of: token), among: words) : nil
        return expected(expectation, nearest)
    }

    /// The text of the next token for messages, with at most 40 bytes of the document.
    private var foundText: String {
        switch token.kind {
        case .endOfDocument: "the end of the document"
        case .string, .blockString: "a string"
        case .name, .int, .float:
            token.end - token.start <= 40
                ? "\"\(text(of: token))\""
                : "\"\(String(decoding: lexer.bytes[token.start..<(token.start + 40)], as: UTF8.self))…\""
        default: "\"\(token.kind.rawValue)\""
        }
    }

    func text(of token: Token) -> String { lexer.text(of: token) }
}

// MARK: - Documents

extension Parser {
    static let definitionKeywords = [
        "query", "mutation", "subscription", "fragment", "schema", "scalar", "type", "interface", "union", "enum",
        "input", "directive", "extend",
    ]

    /// Parses a document (§2.2): definitions up to the end of the text.
    mutating func document() throws(GraphQLSyntaxError) -> Document {
        var definitions: [Document.Definition] = []
        repeat { definitions.append(try definition()) } while token.kind != .endOfDocument
        return Document(definitions: definitions, span: SourceSpan(start: 0, end: lexer.bytes.count))
    }

    /// Checks that the text ends here, for a text that contains only one node.
    mutating func end() throws(GraphQLSyntaxError) {
        guard token.kind == .endOfDocument else { throw expected("the end of the document") }
    }

    /// Parses a description (§3.2.1), if there is one.
    mutating func description() throws(GraphQLSyntaxError) -> StringValue? {
        token.kind == .string || token.kind == .blockString ? try stringValue() : nil
    }

    /// Parses a definition.
    private mutating func definition() throws(GraphQLSyntaxError) -> Document.Definition {
        let start = token.start
        if token.kind == .leftBrace { return .operation(try shorthand()) }
        let description = try description()
        guard token.kind == .name else {
            throw expected(description == nil ? "a definition" : "a definition to describe")
        }
        switch text(of: token) {
        case "query", "mutation", "subscription": return .operation(try operation(description, from: start))
        case "fragment": return .fragment(try fragment(description, from: start))
        case "schema": return .schema(try schema(description, from: start))
        case "directive": return .directive(try directiveDefinition(description, from: start))
        case "extend":
            guard description == nil else {
                throw expected("a definition to describe", "an extension takes no description")
            }
            return try typeSystemExtension()
        default:
            guard let type = try typeDefinition(description, from: start) else {
                throw expected("a definition", among: Parser.definitionKeywords)
            }
            return .type(type)
        }
    }
}
