/// A syntax error in a GraphQL document, with its position.
package struct GraphQLSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error, without the position: `expected a name, found "}"`.
    package let message: String
    /// The line and column of the first byte of ``span``.
    package let location: SourceLocation
    /// The wrong bytes; empty at the end of the document.
    package let span: SourceSpan
    /// The probable correction, if there is a good guess: `did you mean "type"?`.
    package let suggestion: String?

    /// Makes an error with a known position.
    package init(message: String, location: SourceLocation, span: SourceSpan, suggestion: String? = nil) {
        self.message = message
        self.location = location
        self.span = span
        self.suggestion = suggestion
    }

    /// `line:column: message`, followed by a semicolon and the suggestion, if there is one.
    package var description: String {
        let tail = suggestion.map { "; \($0)" } ?? ""
        return "\(location): \(message)\(tail)"
    }
}
