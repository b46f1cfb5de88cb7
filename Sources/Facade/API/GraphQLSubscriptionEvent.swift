/// An element of a subscription.
public enum GraphQLSubscriptionEvent<M: Model>: Sendable {
    /// The state of the connection changed.
    case connection(SubscriptionConnectionState)
    /// A record was changed, or the server sent errors instead of a record.
    case data(GraphQLResponse<M>)
}

/// The states of a subscription's connection.
public enum SubscriptionConnectionState: Sendable, Hashable {
    /// The server sends changes from now on.
    case connected
    /// The server sends no changes any more.
    case disconnected
}
