/// An error in the response of a GraphQL server.
public struct GraphQLResponseError: Sendable, Hashable {
    /// The message of the server.
    public let message: String
    /// AppSync's name for the kind of error, for example `ConflictUnhandled`.
    public let errorType: String?
    /// The names of the fields and the indexes of the elements that lead to the value that failed.
    public let path: [String]
    /// The server's record as JSON, if a conflict, a false condition or an existing record is the reason of the error.
    public let data: [UInt8]?

    /// An error.
    public init(message: String, errorType: String? = nil, path: [String] = [], data: [UInt8]? = nil) {
        self.message = message
        self.errorType = errorType
        self.path = path
        self.data = data
    }

    /// Whether the error says that the API does not have a field.
    ///
    /// - Parameter name: The name of the field; empty for any field.
    func saysUndefined(_ name: String = "") -> Bool {
        message.contains("FieldUndefined") && (name.isEmpty || message.contains(name))
    }

    /// The kind of failure for AppSync's name. The name may have a colon, with the name of a data source before it.
    var code: GraphQLClientError.Code {
        let name = errorType.map { $0[($0.lastIndex(of: ":").map($0.index(after:)) ?? $0.startIndex)...] } ?? ""
        return switch name {
        case "Unauthorized", "UnauthorizedException", "TokenExpired", "AccessDeniedException": .unauthorized
        case "ConflictUnhandled", "ConflictError", "MaxConflicts": .conflict
        case "ConditionalCheckFailedException", "ConditionalCheckFailed": .conditionFailed
        case "OperationDisabled", "OperationNotSupported", "UnsupportedOperation": .operationDisabled
        case "BadRequest", "BadRequestException", "MalformedHttpRequestException", "ValidationError",
            "GraphQLValidationError", "Unrecognized Filter":
            .badRequest
        case "LimitExceededException", "RequestEntityTooLargeException": .limitExceeded
        case "ThrottlingException", "TooManyRequestsException", "LimitExceeded", "MaxSubscriptionsReachedError":
            .throttled
        // The last name is the error of AppSync's own firewall, which does not check the caller's credentials.
        case "InternalFailure", "InternalFailureException", "InternalServerError", "ServiceUnavailableException",
            "ResponseIncomplete", "ExecutionTimeout", "WAFForbiddenException":
            .serverFault
        case _ where Refusal.isValidationMessage(message): .badRequest
        default: .other
        }
    }
}
