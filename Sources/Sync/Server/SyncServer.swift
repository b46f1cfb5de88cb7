internal import TidelogAgreement
@_spi(Adapters) internal import TidelogCore
internal import TidelogFoundation

/// An answer of the server for one of the machines.
protocol ServerAnswer: Sendable {
    static func failed(retryAfter: Int64?) -> Self
    static var unauthenticated: Self { get }
}

extension Outbox.MutationResponse: ServerAnswer {}
extension Outbox.FetchResponse: ServerAnswer {}
extension Inbox.QueryResponse: ServerAnswer {
    static func failed(retryAfter: Int64?) -> Inbox.QueryResponse {
        .failed(Inbox.QueryFailure(reason: "The server gave no answer.", reach: .answer, retryAfter: retryAfter))
    }

    /// The answer with the reason of a failure, if this is a failure.
    func failed(because error: RequestFailure?) -> Inbox.QueryResponse {
        guard case .failed(var failure) = self, let error else { return self }
        failure.reason = error.message
        failure.reach = error.kind == .unreachable ? .nothing : .response
        return .failed(failure)
    }
}

/// The server with the requests that the sync engine makes.
struct SyncServer: Sendable {
    /// A response to a request with one mode of authorization.
    struct Attempt<Content: Sendable> {
        var response: SyncResponse<Content>
        /// Whether another mode of authorization may have the permission that this one lacked.
        var refusesCaller = false
    }

    let realTime: RealTimeConnections
    let endpoint: GraphQLEndpoint
    private let strategy: AuthModeStrategy
    /// The operations of the models, for a server with versions.
    private let versionedOperations: [String: SyncOperations]
    /// The operations in use.
    private(set) var operations: [String: SyncOperations]
    /// The protocol in use; `automatic` until the server has decided.
    private(set) var syncProtocol = SyncProtocol.versioned
    /// Whether an answer of the server may change the protocol.
    private(set) var mayChoose = false
    /// The sync expressions as JSON, by model.
    var filters: [String: [UInt8]] = [:]
    /// The models with a sync expression.
    var limitedModels: Set<String> = []
    let models: SyncModels

    init(
        _ endpoint: GraphQLEndpoint, _ strategy: AuthModeStrategy, _ models: SyncModels,
        operations: [String: SyncOperations]
    ) {
        self.endpoint = endpoint
        self.strategy = strategy
        self.models = models
        versionedOperations = operations
        self.operations = operations
        realTime = RealTimeConnections(endpoint)
    }

    /// Uses a protocol from now on. Without a choice, the first query tells which one the server has.
    ///
    /// - Parameter mayChoose: Whether an answer of the server may change the protocol.
    mutating func use(_ chosen: SyncProtocol, mayChoose: Bool) {
        (syncProtocol, self.mayChoose) = (chosen, mayChoose)
        operations = versionedOperations
        guard !chosen.hasVersions else { return }
        for (name, former) in operations {
            guard let model = models[name] else { continue }
            operations[name] = former.withoutVersions(model)
        }
    }

    /// The fields and the records of each model that the queries ask for, as a text: a hash of the fields, and the sync
    /// expression. The note of the last sync contains the text of its time. If the app declares other fields now, a base query
    /// follows, because a delta query would not bring the new fields of unchanged records.
    ///
    /// - Parameter expressions: The sync expressions as texts.
    func questions(_ expressions: [String: String]) -> [String: String] {
        var questions: [String: String] = [:]
        for (name, operations) in operations {
            let hash = String(operations.model.selection.utf8.stableHash, radix: 16)
            questions[name] = expressions[name].map { "\(hash) \($0)" } ?? hash
        }
        return questions
    }

    // MARK: The person

    /// The server, and the person in the token of the default mode.
    ///
    /// - Throws: ``GraphQLClientError`` with the code `noToken`.
    func identity() async throws(GraphQLClientError) -> SyncIdentity {
        let person = try await endpoint.credentials.person()
        return SyncIdentity(
            endpoint: endpoint.url.absoluteString, issuer: person.issuer, subject: person.subject)
    }

    func identified() async -> SyncMachine.Answer {
        do throws(GraphQLClientError) {
            return .identified(try await identity())
        } catch {
            return .unidentified(RequestFailure(error))
        }
    }

    /// Makes the default mode refuse tokens of any person that `identity` does not name. With `nil` it refuses none.
    func expect(_ identity: SyncIdentity?) async {
        await endpoint.credentials.expect(identity.map { Person(issuer: $0.issuer, subject: $0.subject) })
    }

    /// The message of a subscription.
    func push(_ payload: [UInt8], of model: String, field: String, connection: Int) -> SyncMachine.Push {
        let isDeletion = operations[model]?.model.operations.onDelete.contains(field) ?? false
        let response = try? ServerResponse(payload, field: field)
        var record = response?.value.flatMap { self.record($0, model, isDeletion: isDeletion) }
        record?.mayLackValues = !(response?.errors.isEmpty ?? true)
        var push = SyncMachine.Push(model: model, record: record, isDeletion: isDeletion, connection: connection)
        if record == nil, let reader = operations[model]?.reader {
            push.reference = response?.value.flatMap { $0.withUnsafeBytes { reader.reference($0) } }
        }
        return push
    }

    // MARK: Subscriptions

    /// Subscribes to the changes of a model. The method returns when the server has begun or refused each subscription.
    ///
    /// - Parameters:
    ///   - deliver: Receives the payload of a message and the root field that it answers. Returns false if it has no room.
    ///   - end: Called once, when one of the subscriptions ends after all had begun. All of them end then.
    /// - Throws: ``GraphQLClientError`` of the first subscription that the server refused, or with the code `operationDisabled`
    ///   if the schema says that the model has no subscription to some changes. If the task is cancelled, no subscription is
    ///   left.
    func subscribe(
        _ model: String, deliver: @escaping @Sendable ([UInt8], String) -> Bool,
        end: @escaping @Sendable (GraphQLClientError?) -> Void
    ) async throws(GraphQLClientError) {
        do throws(GraphQLClientError) {
            return try await subscribeAtOnce(model, deliver: deliver, end: end)
        } catch {
            guard error.reachesSubscriptionLimit else { throw error }
        }
        // Several models may share the last room, so that none of them gets all its subscriptions. One after the other, some
        // models get them.
        await realTime.enter()
        let result: Result<Void, GraphQLClientError>
        do throws(GraphQLClientError) {
            result = .success(try await subscribeAtOnce(model, deliver: deliver, end: end))
        } catch {
            result = .failure(error)
        }
        await realTime.leave()
        try result.get()
    }

    private func subscribeAtOnce(
        _ model: String, deliver: @escaping @Sendable ([UInt8], String) -> Bool,
        end: @escaping @Sendable (GraphQLClientError?) -> Void
    ) async throws(GraphQLClientError) {
        let subscriptions = ModelSubscriptions(end: end)
        let operations = try operations(of: model)
        var refusal = operations.missingSubscription
        for field in operations.subscriptionFields {
            do throws(GraphQLClientError) {
                let (connection, id) = try await subscribe(
                    field, operations, deliver: { deliver($0, field) },
                    end: { failure in Task { await subscriptions.finish(failure) } })
                await subscriptions.add(connection, id)
            } catch {
                guard error.isRefusal else {
                    await subscriptions.finish(error)
                    throw error
                }
                refusal = refusal ?? error
            }
        }
        guard !Task.isCancelled else {
            await subscriptions.finish(nil)
            throw GraphQLClientError(TransportError.cancelled)
        }
        try await subscriptions.complete()
        if let refusal { throw refusal }
    }

    /// Begins one subscription with the first mode that the server accepts.
    private func subscribe(
        _ field: String, _ operations: SyncOperations, deliver: @escaping @Sendable ([UInt8]) -> Bool,
        end: @escaping @Sendable (GraphQLClientError?) -> Void
    ) async throws(GraphQLClientError) -> (RealTimeConnection, id: String) {
        var refusal: GraphQLClientError?
        for mode in modes(for: .listen, operations) {
            do throws(GraphQLClientError) {
                return try await realTime.subscribe(
                    { operations.subscription(field, by: mode, token: $0) }, by: mode, deliver: deliver, end: end)
            } catch {
                guard error.allowsNextMode else { throw error }
                refusal = refusal ?? error
            }
        }
        throw refusal ?? GraphQLClientError(.noToken, "There are no credentials.")
    }

    // MARK: Responses

    /// The modes with which an operation is tried, in order.
    func modes(
        for operation: AccessRule.Operation, _ operations: SyncOperations
    ) -> [GraphQLAuthorization.Mode] {
        let credentials = endpoint.credentials
        return strategy.modes(
            operations.rules, for: operation, given: credentials.modes, orElse: credentials.defaultMode)
    }

    /// Sends a request with the first mode that the server accepts. If it accepts none, the first refusal is returned.
    func answer<Content: ServerAnswer>(
        to request: SyncOperations.Request, by modes: [GraphQLAuthorization.Mode], headers: [String: String] = [:],
        _ read: (ServerResponse) throws(GraphQLClientError) -> Content
    ) async -> SyncResponse<Content> {
        await answers(to: request, by: modes, headers: headers, read)[0]
    }

    /// Sends a request, and returns the answer to each of its fields. The first mode counts that the server accepts for all
    /// fields. If it accepts none, the answers to the first mode are returned.
    func answers<Content: ServerAnswer>(
        to request: SyncOperations.Request, by modes: [GraphQLAuthorization.Mode], headers: [String: String] = [:],
        _ read: (ServerResponse) throws(GraphQLClientError) -> Content
    ) async -> [SyncResponse<Content>] {
        var first: [Attempt<Content>]?
        for mode in modes {
            let attempts = await attempts(request, by: mode, headers: headers) {
                (_, response) throws(GraphQLClientError) in try read(response)
            }
            guard attempts.contains(where: \.refusesCaller) else { return attempts.map(\.response) }
            first = first ?? attempts
        }
        guard let first else { preconditionFailure("there is a mode for each operation") }
        return first.map(\.response)
    }

    /// Sends a request, and reads the response to each of its fields with `read`, unless the status shows that there is no
    /// answer. A response that `read` cannot use counts as no answer.
    func attempts<Content: ServerAnswer>(
        _ request: SyncOperations.Request, by mode: GraphQLAuthorization.Mode?, headers: [String: String],
        _ read: (Int, ServerResponse) throws(GraphQLClientError) -> Content
    ) async -> [Attempt<Content>] {
        func all(_ content: Content, _ error: GraphQLClientError, refusesCaller: Bool = false) -> [Attempt<Content>] {
            let response = SyncResponse(content, failure: RequestFailure(error))
            return request.fields.map { _ in Attempt(response: response, refusesCaller: refusesCaller) }
        }
        let transported: TransportResponse
        do throws(GraphQLClientError) {
            transported = try await endpoint.post(
                request.body, isRepeatable: request.isRepeatable, by: mode, headers: headers, timeout: .seconds(30))
        } catch {
            let content: Content = error.code == .noToken ? .unauthenticated : .failed(retryAfter: nil)
            return all(content, error, refusesCaller: error.allowsNextMode)
        }
        do throws(GraphQLClientError) {
            let answers = try ServerResponse.each(of: request.fields, in: transported)
            return answers.enumerated().map { index, answer in
                attempt(transported, answer) { (answer) throws(GraphQLClientError) in try read(index, answer) }
            }
        } catch {
            return all(.failed(retryAfter: transported.wait), error)
        }
    }

    /// Judges the response to one field of a request.
    private func attempt<Content: ServerAnswer>(
        _ transported: TransportResponse, _ answer: ServerResponse,
        _ read: (ServerResponse) throws(GraphQLClientError) -> Content
    ) -> Attempt<Content> {
        var response = SyncResponse(Content.failed(retryAfter: transported.wait))
        switch transported.status {
        case _ where answer.refusesCaller:
            response.content = .unauthenticated
            response.failure = RequestFailure(answer.failure)
            return Attempt(response: response, refusesCaller: true)
        // Without errors, another status than 200 tells nothing about the request. A firewall may send errors.
        case 401, 403, 429, 500...,
            _ where transported.status != 200 && answer.errors.isEmpty:
            response.failure = RequestFailure(answer.failure)
            return Attempt(response: response)
        default:
            response.knowsMutationIDs = transported.headers[MutationHeader.name] == MutationHeader.support
            response.isExact = transported.headers[RecordsHeader.name] == RecordsHeader.exact
        }
        do throws(GraphQLClientError) {
            response.content = try read(answer)
        } catch {
            response.failure = RequestFailure(error)
        }
        let refusesCaller = answer.value == nil && answer.errors.first?.code == .unauthorized
        return Attempt(response: response, refusesCaller: refusesCaller && response.failure == nil)
    }

    func operations(of model: String) throws(GraphQLClientError) -> SyncOperations {
        guard let operations = operations[model] else {
            throw GraphQLClientError(.invalidValue, "The model \(model) is not synced.")
        }
        return operations
    }

    /// The record in the JSON object `json`; `nil` if it is another record, is no record, or has no usable metadata.
    func record(_ json: [UInt8], _ reference: RecordReference, isDeletion: Bool = false) -> ServerRecord? {
        record(json, reference.model, isDeletion: isDeletion).flatMap { $0.reference == reference ? $0 : nil }
    }

    /// The record in the JSON object `json`; `nil` if it is not a record or has no usable metadata.
    func record(_ json: [UInt8], _ model: String, isDeletion: Bool = false) -> ServerRecord? {
        guard let reader = operations[model]?.reader else { return nil }
        return json.withUnsafeBytes { try? reader.record($0, isDeletion: isDeletion) }
    }
}

extension TransportResponse {
    /// The time in milliseconds that the server asks the caller to wait.
    fileprivate var wait: Int64? { headers["retry-after"].flatMap { Int64($0) }.map { min($0, 86_400) * 1_000 } }
}
