internal import TidelogAgreement
@_spi(Adapters) internal import TidelogCore

/// Asks for records and for pages.
extension SyncServer {
    func fetch(_ reference: RecordReference) async -> SyncResponse<Outbox.FetchResponse> {
        let (operations, request): (SyncOperations, SyncOperations.Request)
        do throws(GraphQLClientError) {
            operations = try self.operations(of: reference.model)
            request = try operations.fetch(reference.id)
        } catch {
            return SyncResponse(.refused(errorType: "NotSent", message: error.message))
        }
        return await answer(to: request, by: modes(for: .get, operations)) { found($0, reference) }
    }

    /// The records with these references, with one request for all that have the same first mode of authorization.
    func fetch(_ references: [RecordReference]) async -> [SyncResponse<Outbox.FetchResponse>] {
        guard references.count > 1 else { return [await fetch(references[0])] }
        var responses: [SyncResponse<Outbox.FetchResponse>?] = references.map { _ in nil }
        var groups: [GraphQLAuthorization.Mode?: [Int]] = [:]
        for (place, reference) in references.enumerated() {
            let mode = operations[reference.model].flatMap { modes(for: .get, $0).first }
            groups[mode, default: []].append(place)
        }
        for (mode, places) in groups {
            let records = places.compactMap { place in
                operations[references[place].model].map { ($0, references[place].id) }
            }
            guard records.count == places.count, let request = try? SyncOperations.fetch(records) else { continue }
            let attempts: [Attempt<Outbox.FetchResponse>] = await attempts(request, by: mode, headers: [:]) {
                (index, response) in found(response, references[places[index]])
            }
            for (attempt, place) in zip(attempts, places) where !attempt.refusesCaller {
                responses[place] = attempt.response
            }
        }
        // Another mode may have the permission that the first one lacked.
        for (place, reference) in references.enumerated() where responses[place] == nil {
            responses[place] = await fetch(reference)
        }
        return responses.compactMap { $0 }
    }

    /// The meaning of the response to the request for a record.
    private func found(_ response: ServerResponse, _ reference: RecordReference) -> Outbox.FetchResponse {
        if let value = response.value {
            // A record without usable metadata may be of any age, so it counts as no answer.
            return record(value, reference).map { .record($0) } ?? .failed(retryAfter: nil)
        }
        guard let error = response.errors.first else {
            return response.hasField ? .record(nil) : .failed(retryAfter: nil)
        }
        return .refused(errorType: error.errorType ?? "", message: error.message)
    }

    func page(_ query: Inbox.Query) async -> SyncResponse<Inbox.QueryResponse> {
        // The records of a delta query are filtered on this device, because a record that leaves the expression must arrive.
        let filter = query.lastSync == nil ? filters[query.model] : nil
        let (operations, request): (SyncOperations, SyncOperations.Request)
        do throws(GraphQLClientError) {
            operations = try self.operations(of: query.model)
            request = try operations.page(query, filter: filter)
        } catch {
            return SyncResponse(.refused(errorType: "NotSent", message: error.message))
        }
        let modes = modes(for: syncProtocol.hasVersions ? .sync : .list, operations)
        var lacksField = false
        var answer: SyncResponse<Inbox.QueryResponse> = await answer(to: request, by: modes) {
            (response) throws(GraphQLClientError) in
            lacksField = response.errors.contains { $0.saysUndefined() }
            guard let value = response.value else { return Self.refusal(of: query, response) }
            return .page(try operations.reader.page(value, content: query.content))
        }
        if lacksField, mayChoose, syncProtocol.hasVersions, await lacksVersions(operations) {
            answer.content = .lacksVersions
        }
        answer.content = answer.content.failed(because: answer.failure)
        return answer
    }

    /// Whether the API has the model without versions. A server may also lack the sync query because it does not have the model
    /// yet, so its own word about the field decides.
    private func lacksVersions(_ operations: SyncOperations) async -> Bool {
        guard let request = operations.versionProbe else { return false }
        let answer: SyncResponse<Inbox.QueryResponse> = await answer(to: request, by: modes(for: .list, operations)) {
            response in
            response.errors.contains { $0.saysUndefined("startedAt") } ? .lacksVersions : .tokenRefused
        }
        if case .lacksVersions = answer.content { return true }
        return false
    }

    /// The meaning of a response that contains no page.
    static func refusal(of query: Inbox.Query, _ response: ServerResponse) -> Inbox.QueryResponse {
        guard let error = response.errors.first else { return .failed(retryAfter: nil) }
        if query.nextToken != nil, error.message.contains("token") { return .tokenRefused }
        let refusal = Refusal(errorType: error.errorType ?? "", message: error.message)
        guard refusal == .final else {
            let reason = SetAsideChange.Reason(error.errorType ?? "", error.message).text
            return .failed(Inbox.QueryFailure(reason: reason, reach: .answer))
        }
        return .refused(errorType: error.errorType ?? "", message: error.message)
    }
}
