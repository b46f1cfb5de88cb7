internal import TidelogAgreement
internal import TidelogCore

/// Sends mutations. Several of them are aliases of one document, and each is answered alone.
extension SyncServer {
    /// The largest size of a request with several mutations, in bytes.
    private static let maximumByteCount = 256 << 10

    /// A mutation with the field that makes it.
    private struct Part {
        let mutation: OutgoingMutation
        /// The place of the mutation in the call.
        let place: Int
        let field: SyncOperations.RootField
        let modes: [GraphQLAuthorization.Mode]

        var byteCount: Int { field.arguments.reduce(field.selection.utf8.count + 100) { $0 + $1.json.count } }
    }

    /// The answers to mutations.
    private struct Answers {
        var responses: [SyncResponse<Outbox.MutationResponse>?]
        /// Whether the server refuses requests with several mutations.
        var refusesBatches = false
    }

    /// Sends mutations in their order, and answers each.
    func send(_ mutations: [OutgoingMutation], _ tickets: [Outbox.Ticket]) async -> SyncMachine.Answer {
        var answers = Answers(responses: mutations.map { _ in nil })
        var parts: [Part] = []
        for (place, mutation) in mutations.enumerated() {
            do throws(GraphQLClientError) {
                let operations = try operations(of: mutation.reference.model)
                parts.append(
                    Part(
                        mutation: mutation, place: place, field: try operations.mutation(mutation),
                        modes: modes(for: mutation.operation.access, operations)))
            } catch {
                answers.responses[place] = SyncResponse(
                    .refused(errorType: "NotSent", message: error.message, record: nil))
            }
        }
        for batch in Self.batches(of: parts) {
            if batch.count == 1 || answers.refusesBatches {
                for part in batch { answers.responses[part.place] = await send(part) }
            } else {
                await send(batch, &answers)
            }
        }
        let responses = answers.responses.map { $0 ?? SyncResponse(.failed(retryAfter: nil)) }
        return .mutations(responses, tickets, refusesBatches: answers.refusesBatches)
    }

    /// Runs of successive mutations that have the same first mode and fit into one request.
    private static func batches(of parts: [Part]) -> [[Part]] {
        var (batches, size) = ([[Part]](), 0)
        for part in parts {
            size += part.byteCount
            if let last = batches.last?.last, last.modes.first == part.modes.first, size <= maximumByteCount {
                batches[batches.count - 1].append(part)
            } else {
                batches.append([part])
                size = part.byteCount
            }
        }
        return batches
    }

    /// Sends one mutation with the first mode that the server accepts.
    private func send(_ part: Part) async -> SyncResponse<Outbox.MutationResponse> {
        var hasErrors = false
        let headers = [MutationHeader.name: part.mutation.sentID]
        let response: SyncResponse<Outbox.MutationResponse> = await answer(
            to: SyncOperations.request([part.field]), by: part.modes, headers: headers
        ) { response in
            hasErrors = !response.errors.isEmpty
            return written(response, part.mutation)
        }
        return whole(response, hasErrors)
    }

    /// Sends several mutations in one request.
    private func send(_ batch: [Part], _ answers: inout Answers) async {
        let headers = [MutationHeader.name: batch.map(\.mutation.sentID).joined(separator: ",")]
        var refusalCount = 0
        var haveErrors = batch.map { _ in false }
        let attempts: [Attempt<Outbox.MutationResponse>] = await attempts(
            SyncOperations.request(batch.map(\.field)), by: batch[0].modes.first, headers: headers
        ) { index, response in
            if response.refusesDocument { refusalCount += 1 }
            haveErrors[index] = !response.errors.isEmpty
            return written(response, batch[index].mutation)
        }
        guard refusalCount < batch.count else { return await sendEach(batch, &answers) }
        for (index, (part, attempt)) in zip(batch, attempts).enumerated() {
            if attempt.refusesCaller, part.modes.count > 1 {
                // Another mode may have the permission. The server made no change.
                answers.responses[part.place] = await send(part)
            } else {
                answers.responses[part.place] = whole(attempt.response, haveErrors[index])
            }
        }
    }

    /// Sends the mutations of a refused request one at a time. If the server refuses none of them in the same way, it refuses
    /// requests with several mutations.
    private func sendEach(_ batch: [Part], _ answers: inout Answers) async {
        var hasCulprit = false
        for part in batch {
            let response = await send(part)
            if case .refused(let type, let message, _) = response.content {
                hasCulprit = hasCulprit || Refusal(errorType: type, message: message) == .final
            }
            // Without an answer it is not known why the request was refused.
            hasCulprit = hasCulprit || response.failure != nil
            answers.responses[part.place] = response
        }
        answers.refusesBatches = !hasCulprit
    }

    /// The meaning of the response to one mutation.
    private func written(_ response: ServerResponse, _ mutation: OutgoingMutation) -> Outbox.MutationResponse {
        let (reference, isDeletion) = (mutation.reference, mutation.operation == .delete)
        if let value = response.value {
            return record(value, reference, isDeletion: isDeletion).map { .written($0) }
                ?? .refused(
                    errorType: "ResponseIncomplete", message: "The record in the response is not usable.", record: nil)
        }
        guard let error = response.errors.first else {
            // Without versions, the deletion of a record that does not exist is no error.
            guard !syncProtocol.hasVersions, isDeletion, response.hasField else { return .failed(retryAfter: nil) }
            return .written(ServerRecord(reference, row: nil, version: mutation.baseVersion ?? 0, lastChangedAt: 0))
        }
        return .refused(
            errorType: error.errorType ?? "", message: error.message,
            record: error.data.flatMap { record($0, reference) })
    }

    /// The response, with a note if its record may lack values.
    private func whole(
        _ response: SyncResponse<Outbox.MutationResponse>, _ hasErrors: Bool
    ) -> SyncResponse<Outbox.MutationResponse> {
        var response = response
        let isExact = response.isExact ?? false && syncProtocol.hasVersions
        let isWhole = isExact && !(hasErrors && response.content.isWritten)
        if !isWhole { response.content = response.content.lackingValues(of: models) }
        return response
    }
}

extension ServerResponse {
    /// Whether the server refused the whole document for a reason that repetition does not change. The caller is known.
    fileprivate var refusesDocument: Bool {
        guard value == nil, !refusesCaller, let error = errors.first, error.path.isEmpty else { return false }
        return error.code == .badRequest || error.code == .limitExceeded || status == 400
            || Refusal(errorType: error.errorType ?? "", message: error.message) == .final
    }
}

extension Outbox.MutationResponse {
    fileprivate var isWritten: Bool { if case .written = self { true } else { false } }
}

extension PendingChange.Kind {
    fileprivate var access: AccessRule.Operation {
        switch self {
        case .create: .create
        case .update: .update
        case .delete: .delete
        }
    }
}
