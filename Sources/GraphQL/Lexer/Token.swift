/// A lexical token (October 2021 §2.1.6): its kind, and its bytes from `start` up to, but not including, `end`.
struct Token {
    let kind: Kind
    let start: Int
    let end: Int

    var span: SourceSpan { SourceSpan(start: start, end: end) }

    /// The kinds of tokens. The raw value of a punctuator is its text.
    enum Kind: String {
        case bang = "!"
        case dollar = "$"
        case ampersand = "&"
        case leftParenthesis = "("
        case rightParenthesis = ")"
        case spread = "..."
        case colon = ":"
        case equals = "="
        case at = "@"
        case leftBracket = "["
        case rightBracket = "]"
        case leftBrace = "{"
        case pipe = "|"
        case rightBrace = "}"
        case name
        case int
        case float
        case string
        case blockString
        case endOfDocument
    }
}
