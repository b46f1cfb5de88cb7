/// An error that a resolver throws. It is the reason why a field has no value.
package struct ResolverError: Error, Sendable, Hashable {
    /// The problem, as one sentence.
    package var message: String
    /// The type of the error.
    package var errorType: String?
    /// Data about the error.
    package var data: ResponseValue?
    /// Further information about the error.
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
