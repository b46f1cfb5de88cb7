/// A syntax error in a GraphQL document, with its position.
public struct GraphQLSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error, without the position: `expected a name, found "}"`.
    public let message: String
    /// The line and column of the first byte of ``span``.
    public let location: SourceLocation
    /// The wrong bytes; empty at the end of the document.
    public let span: SourceSpan
    /// The probable correction, if there is a good guess: `did you mean "type"?`.
    public let suggestion: String?

    /// `line:column: message`, followed by a semicolon and the suggestion, if there is one.
    public var description: String {
        let tail = suggestion.map { "; \($0)" } ?? ""
        return "\(location): \(message)\(tail)"
    }
}
