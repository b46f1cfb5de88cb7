/// The meaning of an error that a server answered.
///
/// A change is set aside and a model counts as refused only if the error is known to be final. Every other error, including one
/// that this list does not know, may pass: the request is repeated later.
package enum Refusal: Sendable, Hashable {
    /// The record has another version than the change started from.
    case conflict
    /// The condition is false, a record to be created exists, or a record to be changed does not.
    case condition
    /// The change was written, and its response lacks a value.
    case incomplete
    /// The server knows the id of the mutation with another content.
    case idTaken
    /// The server cannot perform the request now.
    case temporary
    /// The server will not perform the request.
    case final

    package init(errorType: String, message: String) {
        // The name may have a namespace before it, such as `com.amazonaws.deepdish.graphql.auth#UnauthorizedException`.
        let name = errorType.split(separator: "#").last.map { String($0) } ?? errorType
        switch name {
        case "ConflictUnhandled": self = .conflict
        case let type where type.hasSuffix("ConditionalCheckFailedException"): self = .condition
        case "ResponseIncomplete": self = .incomplete
        case "MutationIDTaken": self = .idTaken
        case _ where Self.finalTypes.contains(name) || Self.isValidationMessage(message): self = .final
        default: self = .temporary
        }
    }

    /// The types of the errors that are final: the caller has no permission, the API has no such operation, or the request is
    /// not valid. The type `NotSent` is the engine's own, for a request that the API cannot express.
    private static let finalTypes: Set<String> = [
        "Unauthorized", "UnauthorizedException", "AccessDeniedException", "OperationDisabled", "OperationNotSupported",
        "UnsupportedOperation", "BadRequest", "BadRequestException", "MalformedHttpRequestException",
        "RequestEntityTooLargeException", "ValidationError", "GraphQLValidationError", "Unrecognized Filter", "NotSent",
    ]

    /// Whether this is the message of an error in the request itself. AppSync's errors for such requests have no type.
    package static func isValidationMessage(_ message: String) -> Bool {
        ["Validation error", "Variable \"$", "Variable '", "The variables input contains"].contains {
            message.hasPrefix($0)
        }
    }
}
