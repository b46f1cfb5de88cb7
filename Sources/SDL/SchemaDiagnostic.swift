public import TidelogCore
public import TidelogGraphQL

/// Why a text in the GraphQL schema language is no schema of a store, and where.
public struct SchemaDiagnostic: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, without the place.
    public let message: String
    /// Line and column of what is wrong.
    public let location: SourceLocation
    /// What would probably be right, if there is a good guess: `did you mean "@model"?`.
    public let suggestion: String?

    /// A diagnostic at `location`.
    public init(_ message: String, at location: SourceLocation, suggestion: String? = nil) {
        self.message = message
        self.location = location
        self.suggestion = suggestion
    }

    /// `line:column: message`, and the suggestion after a semicolon.
    public var description: String { "\(location): \(message)" + (suggestion.map { "; \($0)" } ?? "") }

    /// The same as a store reports it, with code `invalidSchema`.
    public var dataStoreError: DataStoreError {
        DataStoreError(.invalidSchema, "\(description).", recovery: "Correct the schema.")
    }
}
