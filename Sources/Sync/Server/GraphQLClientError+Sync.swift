extension RequestFailure {
    init(_ error: GraphQLClientError) {
        let kind: Kind =
            switch error.code {
            case _ where error.underlying is TokenSession.AnotherPerson: .anotherPerson
            case .transport: .unreachable
            case .noToken: .noToken
            case .unauthorized: .unauthorized
            default: .unusable
            }
        self.init(kind, error.message, cause: error)
    }
}

extension GraphQLClientError {
    /// Whether the server will not accept the request in the future either.
    var isRefusal: Bool {
        // A connection may be refused because a token has expired.
        guard code != .unauthorized || status == nil else { return false }
        if let error = errors.first {
            return Refusal(errorType: error.errorType ?? "", message: error.message) == .final
        }
        return [.unauthorized, .operationDisabled, .badRequest, .invalidValue, .unsupportedPredicate].contains(code)
    }

    /// The reason why a model has no subscriptions.
    var subscriptionFailure: Inbox.SubscriptionFailure {
        if isRefusal { return .refused(errorType: errors.first?.errorType ?? code.name, message: message) }
        // The server accepted the connection and the caller, and does not begin the subscription now.
        guard isConnectionFailure else { return .failed(message) }
        let failure = underlying as? TransportError
        return .noConnection(message, isUnreachable: failure.map { $0.status == nil } ?? (code == .noToken))
    }

    /// Whether the failure concerns the connection for subscriptions, and not one subscription on it.
    private var isConnectionFailure: Bool {
        code == .transport || code == .noToken || code == .unauthorized || reachesSubscriptionLimit
    }

    /// Whether another mode of authorization may be tried after this failure.
    var allowsNextMode: Bool {
        code == .unauthorized || (code == .noToken && underlying is GraphQLAuthorization.SignedOut)
    }
}

extension SyncError {
    static func invalid(_ failure: GraphQLClientError) -> SyncError {
        SyncError(
            .invalidConfiguration, failure.message, recovery: "Give the engine modes that it supports.",
            underlying: failure)
    }
}
