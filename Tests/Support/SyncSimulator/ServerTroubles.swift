import TidelogSync

/// Faults of a server that a simulation sets. Each kind of server has them.
struct ServerTroubles {
    /// The records whose mutations are refused.
    var refused: Set<RecordReference> = []
    /// The records whose mutations fail with an error that may pass.
    var failing: Set<RecordReference> = []
    /// Whether all mutations fail with an error that may pass.
    var failsMutations = false
    /// The models whose queries fail.
    var failingModels: [String] = []
    /// A record of another server, which no store of a device can hold. Each first page of its model has it.
    var unstorable: ServerRecord?

    /// The answer to a mutation of the record; `nil` if the server makes the mutation.
    func refusal(of reference: RecordReference) -> Outbox.MutationResponse? {
        if refused.contains(reference) { return .unauthorized }
        guard failsMutations || failing.contains(reference) else { return nil }
        return .refused(errorType: "DynamoDB:InternalServerError", message: "busy", record: nil)
    }

    /// The answer to a query of a failing model; `nil` if the server answers the query.
    func failure(of query: Inbox.Query) -> Inbox.QueryResponse? {
        guard failingModels.contains(query.model) else { return nil }
        return .failed(Inbox.QueryFailure(reason: "InternalFailure: a resolver failed", reach: .answer))
    }

    /// The record that no store can hold, if the page has it.
    func unstorable(in query: Inbox.Query) -> ServerRecord? {
        guard query.nextToken == nil, unstorable?.reference.model == query.model else { return nil }
        return unstorable
    }
}

extension Outbox.MutationResponse {
    static let unauthorized = Self.refused(errorType: "Unauthorized", message: "Not Authorized", record: nil)
}
