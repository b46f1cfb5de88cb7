/// The subscriptions to the changes of one model. They end together, so that the model is subscribed only once afterwards.
actor ModelSubscriptions {
    private var begun: [(connection: RealTimeConnection, id: String)] = []
    /// Whether the server has begun each subscription.
    private var isComplete = false
    private var ending: Ending?
    private let end: @Sendable (GraphQLClientError?) -> Void

    private struct Ending {
        let failure: GraphQLClientError?
    }

    /// - Parameter end: Called once, when a subscription has ended after all had begun.
    init(end: @escaping @Sendable (GraphQLClientError?) -> Void) { self.end = end }

    /// Adds a subscription that the server has begun.
    func add(_ connection: RealTimeConnection, _ id: String) async {
        guard ending == nil else { return await connection.unsubscribe(id) }
        begun.append((connection, id))
    }

    /// Marks the subscriptions as complete: each was begun or refused by the server.
    ///
    /// - Throws: The failure of a subscription that has ended since it began.
    func complete() throws(GraphQLClientError) {
        if let ending {
            throw ending.failure ?? GraphQLClientError(.transport, "The server ended a subscription that it had begun.")
        }
        isComplete = true
    }

    /// Ends all subscriptions because one of them has ended.
    func finish(_ failure: GraphQLClientError?) async {
        guard ending == nil else { return }
        ending = Ending(failure: failure)
        if isComplete { end(failure) }
        let others = begun
        begun = []
        for (connection, id) in others { await connection.unsubscribe(id) }
    }
}
