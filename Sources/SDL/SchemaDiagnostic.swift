public import TidelogCore
public import TidelogGraphQL

/// An error in a text in the GraphQL schema language, with its position.
public struct SchemaDiagnostic: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error, without the position.
    public let message: String
    /// The line and column of the error.
    public let location: SourceLocation
    /// The probable correction, if there is a good guess: `did you mean "@model"?`.
    public let suggestion: String?

    /// Makes a diagnostic at `location`.
    public init(_ message: String, at location: SourceLocation, suggestion: String? = nil) {
        self.message = message
        self.location = location
        self.suggestion = suggestion
    }

    /// `line:column: message`, followed by a semicolon and the suggestion, if there is one.
    public var description: String { "\(location): \(message)" + (suggestion.map { "; \($0)" } ?? "") }

    /// The same failure as a store's error with code `invalidSchema`.
    public var dataStoreError: DataStoreError {
        DataStoreError(.invalidSchema, "\(description).", recovery: "Correct the schema.")
    }
}
