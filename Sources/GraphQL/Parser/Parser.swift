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
            location: SourceLocation(line: 1, column: 1), span: .none)
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
    mutating func skip(_ kind: TokenKind) throws(GraphQLSyntaxError) -> Bool {
        guard token.kind == kind else { return false }
        try advance()
        return true
    }

    /// Consumes the next token, which must have this kind.
    mutating func expect(_ kind: TokenKind) throws(GraphQLSyntaxError) {
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
        _ open: TokenKind, _ close: TokenKind, _ expectation: String,
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
        by separator: TokenKind, _ parse: (inout Parser) throws(GraphQLSyntaxError) -> Node
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
