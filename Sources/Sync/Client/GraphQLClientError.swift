public import TidelogCore

/// The failure of a call of ``GraphQLClient``.
///
/// `description` never contains a record's data. ``message`` may contain it, because a server may repeat a value that it
/// refuses.
public struct GraphQLClientError: TidelogError {
    /// The kinds of failure. Later versions may add kinds, so that a `switch` needs a `default`.
    public struct Code: TidelogErrorCode {
        /// The name of the code.
        public let name: String

        /// The code called `name`.
        public init(_ name: String) { self.name = name }

        /// The client's settings are not supported.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// The transport failed. ``GraphQLClientError/underlying`` is a ``TransportError``.
        public static let transport = Code("transport")
        /// The provider of tokens failed.
        public static let noToken = Code("noToken")
        /// The server does not know the caller, or the caller has no permission.
        public static let unauthorized = Code("unauthorized")
        /// The record has changed since the version that the change names. The first of the errors has the server's record.
        public static let conflict = Code("conflict")
        /// The condition is false, a record to be created exists, or a record to be changed does not exist.
        public static let conditionFailed = Code("conditionFailed")
        /// The server does not offer this operation.
        public static let operationDisabled = Code("operationDisabled")
        /// The server found an error in the request.
        public static let badRequest = Code("badRequest")
        /// The request or its response is larger than the server allows.
        public static let limitExceeded = Code("limitExceeded")
        /// The server is too busy.
        public static let throttled = Code("throttled")
        /// The server failed.
        public static let serverFault = Code("serverFault")
        /// The response breaks the rules of GraphQL: it is no JSON, or has null where a value is required.
        public static let malformedResponse = Code("malformedResponse")
        /// The server's API cannot express the predicate.
        public static let unsupportedPredicate = Code("unsupportedPredicate")
        /// A record, an id or an argument does not fit the schema.
        public static let invalidValue = Code("invalidValue")
        /// A subscriber reads so slowly that messages would be lost.
        public static let fellBehind = Code("fellBehind")
        /// The server sent an error of another type.
        public static let other = Code("other")
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
    public let underlying: (any Error)?

    /// A failure of kind `code`.
    public init(
        _ code: Code, _ message: String, status: Int? = nil, errors: [GraphQLResponseError] = [],
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.status = status
        self.errors = errors
        self.underlying = underlying
    }
}

extension GraphQLClientError {
    /// Advice on what to do, which depends on the code alone.
    public var recovery: String {
        switch code {
        case .invalidConfiguration: "Correct the settings of the client."
        case .transport: "Check the network, the address, and whether the server runs. Then send the request again."
        case .noToken: "Sign in, and send the request again."
        case .unauthorized: "Sign in as a person who has the permission, or check the key."
        case .conflict: "Read the record again, and change its present version."
        case .conditionFailed: "Read the record again, and decide whether the change is still wanted."
        case .operationDisabled: "Use another operation, or let the server's schema offer this one."
        case .badRequest, .invalidValue, .unsupportedPredicate: "Correct the request."
        case .limitExceeded: "Ask for fewer records or fields, or send fewer."
        case .throttled: "Send the request again later."
        case .serverFault, .malformedResponse: "Check the server's log. Then send the request again."
        case .fellBehind: "Read the messages faster, and query the records again."
        default: "Read the errors that the server sent."
        }
    }

    /// The code and the message. For an error of the server, the type of the error replaces the server's message.
    public var description: String {
        guard let first = errors.first else { return "\(code): \(message)" }
        return "\(code): The server sent an error of the type \(first.errorType ?? "that has no name")."
    }
}

extension GraphQLClientError {
    init(_ error: TransportError) {
        self.init(.transport, "The server was not reached: \(error.message)", underlying: error)
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
    init(foreign message: String, status: Int?, underlying: (any Error)? = nil) {
        guard let status else {
            self.init(.malformedResponse, "\(message).", underlying: underlying)
            return
        }
        let code = Self.code(ofStatus: status) ?? .malformedResponse
        let isByAnother = code == .unauthorized
        self.init(
            isByAnother ? .serverFault : code,
            "\(message), and its status is \(status)."
                + (isByAnother ? " Something else may have answered in place of the server, such as a firewall." : ""),
            status: status, underlying: underlying)
    }

    /// Whether the server does not know who the caller is.
    var refusesCaller: Bool { code == .unauthorized && (status == 401 || status == 403) }

    /// The failure if each connection has `limit` subscriptions, and the server opens no further connection.
    static func subscriptionLimit(_ limit: Int, _ cause: GraphQLClientError) -> GraphQLClientError {
        let message =
            "The server allows \(limit) subscriptions on a connection, and opens no further one: \(cause.message)"
        let error = GraphQLResponseError(message: message, errorType: "MaxSubscriptionsReachedError")
        return GraphQLClientError(.throttled, message, errors: [error], underlying: cause)
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
