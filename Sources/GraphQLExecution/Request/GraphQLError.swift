/// An error of a response (§7.1.2). In addition to `message`, `locations` and `path`, it has AppSync's members.
package struct GraphQLError: Error, Sendable, Hashable {
    /// An element of the path from the root of the response to the error.
    package enum PathElement: Sendable, Hashable {
        /// The member with this name.
        case field(String)
        /// The list element with this index, from 0.
        case index(Int)
    }

    /// The problem, as one sentence.
    package var message: String
    /// The positions in the document.
    package var locations: [SourceLocation]
    /// The path in the response; empty for errors of the request.
    package var path: [PathElement]
    /// The type of the error, such as `ConflictUnhandled`.
    package var errorType: String?
    /// Data about the error, such as the stored record.
    package var data: ResponseValue?
    /// Further information about the error.
    package var errorInfo: ResponseValue?
    /// The violated rule, if the error is about the document or its variables.
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
