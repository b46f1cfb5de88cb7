/// The reason why a request is not executed.
package struct RequestErrors: Error, Sendable, Hashable {
    /// The errors, in order.
    package let errors: [GraphQLError]
    /// The subject of the errors.
    package let subject: Subject

    /// A subject of errors.
    package enum Subject: Sendable, Hashable {
        /// The text is not a document, or is too large.
        case syntax
        /// The document has several operations, and the request does not select one.
        case operationName
        /// The document or its variables are not valid in the type system.
        case validity
    }

    init(_ errors: [GraphQLError], _ subject: Subject) {
        self.errors = errors
        self.subject = subject
    }

    /// Makes a value with several errors, in order.
    package init(errors: [GraphQLError]) { self.init(errors, .validity) }

    /// Makes a value with one error.
    package init(_ error: GraphQLError) { self.init(errors: [error]) }

    /// Makes a value from a syntax error of the document.
    package init(_ error: GraphQLSyntaxError) {
        errors = [GraphQLError(message: error.message, locations: [error.location])]
        subject = .syntax
    }
}
