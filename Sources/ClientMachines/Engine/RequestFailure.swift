/// The reason why the server gave no usable answer to a request.
package struct RequestFailure: Error, Sendable {
    package enum Kind: Sendable, Hashable {
        /// There was no response.
        case unreachable
        /// There is no token.
        case noToken
        /// The token names another person than the one whose records are synced.
        case anotherPerson
        /// The server does not accept the token.
        case unauthorized
        /// The response is no answer.
        case unusable
    }

    package var kind: Kind
    /// A description of the failure, as a sentence.
    package var message: String
    /// The underlying error.
    package var cause: (any Error)?

    package init(_ kind: Kind, _ message: String, cause: (any Error)? = nil) {
        (self.kind, self.message, self.cause) = (kind, message, cause)
    }
}
