package import TidelogGraphQL
public import TidelogSchema

/// An error in a text in the GraphQL schema language, with its position.
public struct SchemaDiagnostic: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error, without the position.
    public let message: String
    /// The line and column of the error.
    package let location: SourceLocation
    /// The probable correction, if there is a good guess: `did you mean "@model"?`.
    public let suggestion: String?

    /// Makes a diagnostic at `location`.
    package init(_ message: String, at location: SourceLocation, suggestion: String? = nil) {
        self.message = message
        self.location = location
        self.suggestion = suggestion
    }

    /// The line of the error, from 1.
    public var line: Int { location.line }

    /// The column of the error in Unicode scalars, from 1.
    public var column: Int { location.column }

    /// `line:column: message`, followed by a semicolon and the suggestion, if there is one.
    public var description: String { "\(location): \(message)" + (suggestion.map { "; \($0)" } ?? "") }

    /// The same failure as a store's error with code `invalidSchema`.
    public var dataStoreError: DataStoreError {
        DataStoreError(.invalidSchema, "\(description).", recovery: "Correct the schema.")
    }
}
