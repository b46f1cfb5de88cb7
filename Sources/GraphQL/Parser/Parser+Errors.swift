internal import TidelogSuggestion

extension Parser {
    /// The error for a next token that is not the expected one.
    func expected(_ expectation: String, _ suggestion: String? = nil) -> GraphQLSyntaxError {
        lexer.error("expected \(expectation), found \(foundText)", token.start, token.end, suggestion)
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
