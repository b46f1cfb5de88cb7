internal import TidelogCore

extension MutationDecision {
    /// The decision about a mutation in an API without versions. It is the decision that Amplify's resolvers make together with
    /// the conditional writes of DynamoDB.
    ///
    /// The sent values always replace the stored ones, and a change without values is made too. A record that does not exist
    /// cannot be updated, and its deletion changes nothing. A refusal does not show the stored record.
    static func withoutVersions(_ request: MutationRequest, _ stored: Record?) throws -> MutationDecision {
        do throws(Permission.Refusal) {
            // A creation never reads a record, so that it makes no difference whose record is in its place.
            if request.mutation != .create { try request.access.check(stored: stored) }
            if request.mutation == .update { try request.access.check(removalsFrom: stored) }
        } catch {
            return .refuse(.notPermitted(error))
        }
        if let message = request.ruleBroken { return .refuse(.ruleBroken(message)) }
        switch (request.mutation, stored) {
        case (.create, _):
            let record = request.created
            if let refusal = refusal(of: request, from: nil, to: record) { return refusal }
            return try stored == nil && request.admits(nil) ? .save(record) : .refuse(.checkFailed)
        case (.update, let stored?):
            let result = request.applied(to: stored)
            if let refusal = refusal(of: request, from: stored, to: result) { return refusal }
            return try request.admits(stored) ? .save(result) : .refuse(.checkFailed)
        case (.update, nil): return .refuse(.checkFailed)
        case (.delete, let stored?): return try request.admits(stored) ? .delete(stored) : .refuse(.checkFailed)
        // The record is already gone, as the deletion demands. Its condition does not count.
        case (.delete, nil): return .keep
        }
    }
}
