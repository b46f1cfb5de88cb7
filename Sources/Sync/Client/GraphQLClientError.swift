/// The failure of a call of ``GraphQLClient``.
///
/// `description` never contains a record's data. ``message`` may contain it, because a server may repeat a value that it
/// refuses.
public struct GraphQLClientError: Error, Sendable {
    /// The kinds of failure. New kinds may be added, so branch with a `default`.
    public enum Code: String, Sendable, Hashable {
        /// The client's settings are not supported.
        case invalidConfiguration
        /// The transport failed. The cause is a ``TransportError``.
        case transport
        /// The provider of tokens failed.
        case noToken
        /// The server does not know the caller, or the caller has no permission.
        case unauthorized
        /// The record has changed since the version that the change names. The first of the errors has the server's record.
        case conflict
        /// The condition is false, a record to be created exists, or a record to be changed does not exist.
        case conditionFailed
        /// The server does not offer this operation.
        case operationDisabled
        /// The server found an error in the request.
        case badRequest
        /// The request or its response is larger than the server allows.
        case limitExceeded
        /// The server is too busy.
        case throttled
        /// The server failed.
        case serverFault
        /// The response breaks the rules of GraphQL: it is no JSON, or has null where a value is required.
        case malformedResponse
        /// The server's API cannot express the predicate.
        case unsupportedPredicate
        /// A record, an id or an argument does not fit the schema.
        case invalidValue
        /// A subscriber reads so slowly that messages would be lost.
        case fellBehind
        /// The server sent an error of another type.
        case other
    }

    /// The kind of the failure.
    public let code: Code
    /// A description of the failure, as a sentence.
    public let message: String
    /// The HTTP status, if there was a response with a status other than 200.
    public let status: Int?
    /// The errors that the server sent, in its order.
    public let errors: [GraphQLResponseError]
    /// The underlying error.
    public let cause: (any Error)?

    /// A failure of kind `code`.
    public init(
        _ code: Code, _ message: String, status: Int? = nil, errors: [GraphQLResponseError] = [],
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.status = status
        self.errors = errors
        self.cause = cause
    }
}

extension GraphQLClientError: CustomStringConvertible {
    /// The code and the message. For an error of the server, the type of the error replaces the server's message.
    public var description: String {
        guard let first = errors.first else { return "\(code.rawValue): \(message)" }
        return "\(code.rawValue): The server sent an error of the type \(first.errorType ?? "that has no name")."
    }
}

extension GraphQLClientError {
    init(_ error: TransportError) {
        self.init(.transport, "The server was not reached: \(error.message)", cause: error)
    }

    /// The failure for the errors of a response. The first error decides.
    init(_ errors: [GraphQLResponseError], status: Int?) {
        let first = errors.first
        let code = first?.code ?? .malformedResponse
        self.init(
            code == .other ? Self.code(ofStatus: status) ?? .other : code,
            first?.message ?? "The response has neither data nor errors.", status: status, errors: errors)
    }

    /// The failure for a response without an error of GraphQL. It does not tell what the server thinks about the request: a
    /// firewall, a proxy or the sign-in page of a network may have answered in its place.
    ///
    /// - Parameter message: A sentence without its full stop.
    init(foreign message: String, status: Int?, cause: (any Error)? = nil) {
        guard let status else {
            self.init(.malformedResponse, "\(message).", cause: cause)
            return
        }
        let code = Self.code(ofStatus: status) ?? .malformedResponse
        let isByAnother = code == .unauthorized
        self.init(
            isByAnother ? .serverFault : code,
            "\(message), and its status is \(status)."
                + (isByAnother ? " Something else may have answered in place of the server, such as a firewall." : ""),
            status: status, cause: cause)
    }

    /// Whether the server does not know who the caller is.
    var refusesCaller: Bool { code == .unauthorized && (status == 401 || status == 403) }

    /// The failure if each connection has `limit` subscriptions, and the server opens no further connection.
    static func subscriptionLimit(_ limit: Int, _ cause: GraphQLClientError) -> GraphQLClientError {
        let message =
            "The server allows \(limit) subscriptions on a connection, and opens no further one: \(cause.message)"
        let error = GraphQLResponseError(message: message, errorType: "MaxSubscriptionsReachedError")
        return GraphQLClientError(.throttled, message, errors: [error], cause: cause)
    }

    /// Whether the connection has as many subscriptions as the server allows.
    var reachesSubscriptionLimit: Bool { errors.first?.errorType?.hasPrefix("MaxSubscriptionsReached") ?? false }

    /// The failure for an HTTP status of a response with errors; `nil` if the status is not a failure.
    private static func code(ofStatus status: Int?) -> Code? {
        switch status {
        case 401?, 403?: .unauthorized
        case 413?: .limitExceeded
        case 429?: .throttled
        case .some(500...): .serverFault
        case .some(400...): .badRequest
        default: nil
        }
    }
}
