internal import TidelogCore
internal import TidelogGraphQLExecution

/// Errors for failures of the store and of the service.
enum ServiceFailure {
    /// The error type of the server's own failures.
    static let internalFailure = "InternalFailure"
    /// The error type of a refused query. The server had too many response bytes to send when the query arrived.
    static let overloaded = "ServiceUnavailableException"
    /// The error type of a change that was written, but whose response lacks a required value.
    static let responseIncomplete = "ResponseIncomplete"
    /// The error type of a response that is too long.
    static let limitExceeded = "LimitExceededException"
    /// The error type of a mutation by GET.
    static let notByThisMethod = "MethodNotAllowed"

    static func error(of error: any Error) -> ResolverError {
        if let error = error as? ResolverError { return error }
        guard let error = error as? DataStoreError else {
            return ResolverError("The server failed.", errorType: internalFailure)
        }
        switch error.code {
        case .invalidValue: return ResolverError(error.message, errorType: "BadRequest")
        case .transactionTooLarge: return ResolverError(error.message, errorType: "BadRequest")
        default: return ResolverError("The server cannot do this now.", errorType: internalFailure)
        }
    }
}
