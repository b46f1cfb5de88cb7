/// An error of a response (§7.1.2), with the members that AppSync has beside `message`, `locations` and `path`.
package struct GraphQLError: Error, Sendable, Hashable {
    /// A step from the root of the response to the place of an error.
    package enum PathElement: Sendable, Hashable {
        /// Into the member of that name.
        case field(String)
        /// Into the element of that number, from 0.
        case index(Int)
    }

    /// What is wrong, as a sentence.
    package var message: String
    /// Where in the document.
    package var locations: [SourceLocation]
    /// Where in the response; empty for errors of the request.
    package var path: [PathElement]
    /// What kind of error it is, such as `ConflictUnhandled`.
    package var errorType: String?
    /// What the error is about, such as a record as it is stored.
    package var data: ResponseValue?
    /// More about it.
    package var errorInfo: ResponseValue?
    /// The rule that the request breaks, if it is one of a document or of variables.
    package var violation: RuleViolation?

    /// Makes an error.
    package init(
        message: String, locations: [SourceLocation] = [], path: [PathElement] = [], errorType: String? = nil,
        data: ResponseValue? = nil, errorInfo: ResponseValue? = nil
    ) {
        self.message = message
        self.locations = locations
        self.path = path
        self.errorType = errorType
        self.data = data
        self.errorInfo = errorInfo
    }
}

/// Why a field has no value: what a resolver throws.
package struct ResolverError: Error, Sendable, Hashable {
    /// What is wrong, as a sentence.
    package var message: String
    /// What kind of error it is.
    package var errorType: String?
    /// What the error is about.
    package var data: ResponseValue?
    /// More about it.
    package var errorInfo: ResponseValue?

    /// Makes an error.
    package init(
        _ message: String, errorType: String? = nil, data: ResponseValue? = nil, errorInfo: ResponseValue? = nil
    ) {
        self.message = message
        self.errorType = errorType
        self.data = data
        self.errorInfo = errorInfo
    }
}
