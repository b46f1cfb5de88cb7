/// Why a text is not a GraphQL document, and where.
public struct GraphQLSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, without the place: `expected a name, found "}"`.
    public let message: String
    /// Line and column of the first byte of ``span``.
    public let location: SourceLocation
    /// The bytes at fault; empty at the end of the document.
    public let span: SourceSpan
    /// What would probably be right, if there is a good guess: `did you mean "type"?`.
    public let suggestion: String?

    /// Makes an error that is already located.
    public init(message: String, location: SourceLocation, span: SourceSpan, suggestion: String? = nil) {
        self.message = message
        self.location = location
        self.span = span
        self.suggestion = suggestion
    }

    /// `line:column: message`, and the suggestion after a semicolon.
    public var description: String {
        let tail = suggestion.map { "; \($0)" } ?? ""
        return "\(location): \(message)\(tail)"
    }
}
