@_spi(Adapters) internal import TidelogCore
internal import TidelogWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The server as the sync engine asks it.
struct SyncServer: Sendable {
    /// An answer, and what else the response said.
    struct Answer<Content: Sendable>: Sendable {
        let content: Content
        /// Whether the server knows the ids of mutations; `nil` if there was no response.
        var knowsMutationIDs: Bool?
        /// Why there is no usable answer.
        var failure: GraphQLClientError?
    }

    let authorization: GraphQLAuthorization
    let realTime: RealTimeConnections
    private let endpoint: URL
    private let transport: any Transport
    private let operations: [String: SyncOperations]
    /// The sync expressions as JSON, by model.
    var filters: [String: [UInt8]] = [:]

    init(
        _ endpoint: URL, _ authorization: GraphQLAuthorization, _ transport: any Transport,
        operations: [String: SyncOperations]
    ) {
        (self.endpoint, self.authorization, self.transport) = (endpoint, authorization, transport)
        self.operations = operations
        realTime = RealTimeConnections(endpoint, transport)
    }

    // MARK: Requests

    func send(_ mutation: OutgoingMutation) async -> Answer<MutationResponse> {
        let request: SyncOperations.Request
        do throws(GraphQLClientError) {
            request = try operations(of: mutation.reference.model).mutation(mutation)
        } catch {
            return Answer(content: .refused(errorType: "NotSent", message: error.message, record: nil))
        }
        let id = "\(mutation.id.incarnation)-\(mutation.id.sequence)"
        switch await exchange(request, headers: [MutationHeader.name: id]) {
        case .response(let response, let knowsIDs):
            let content: MutationResponse
            if let value = response.value {
                if let record = record(value, mutation.reference.model) {
                    content = .written(record)
                } else {
                    content = .refused(
                        errorType: "ResponseIncomplete", message: "The record in the response is not usable.",
                        record: nil)
                }
            } else if let error = response.errors.first {
                content = .refused(
                    errorType: error.errorType ?? "", message: error.message,
                    record: error.data.flatMap { record($0, mutation.reference.model) })
            } else {
                content = .failed(retryAfter: nil)
            }
            return Answer(content: content, knowsMutationIDs: knowsIDs)
        case .unauthenticated(let error): return Answer(content: .unauthenticated, failure: error)
        case .failed(let error, let wait): return Answer(content: .failed(retryAfter: wait), failure: error)
        }
    }

    func fetch(_ reference: RecordReference) async -> Answer<FetchResponse> {
        let request: SyncOperations.Request
        do throws(GraphQLClientError) {
            request = try operations(of: reference.model).fetch(reference.id)
        } catch {
            return Answer(content: .refused(errorType: "NotSent", message: error.message))
        }
        switch await exchange(request) {
        case .response(let response, let knowsIDs):
            let content: FetchResponse
            if let value = response.value {
                // A record without usable metadata could be of any age, so it counts as no answer.
                content = record(value, reference.model).map { .record($0) } ?? .failed(retryAfter: nil)
            } else if let error = response.errors.first {
                content = .refused(errorType: error.errorType ?? "", message: error.message)
            } else {
                content = .record(nil)
            }
            return Answer(content: content, knowsMutationIDs: knowsIDs)
        case .unauthenticated(let error): return Answer(content: .unauthenticated, failure: error)
        case .failed(let error, let wait): return Answer(content: .failed(retryAfter: wait), failure: error)
        }
    }

    func page(_ query: SyncQuery) async -> Answer<QueryResponse> {
        let operations: SyncOperations
        do throws(GraphQLClientError) {
            operations = try self.operations(of: query.model)
        } catch {
            return Answer(content: .refused(errorType: "NotSent", message: error.message))
        }
        // The records of a delta query are filtered here: a record that leaves the expression must arrive.
        let filter = query.lastSync == nil ? filters[query.model] : nil
        switch await exchange(operations.page(query, filter: filter)) {
        case .response(let response, let knowsIDs):
            guard let value = response.value else {
                return Answer(content: Self.refusal(of: query, response), knowsMutationIDs: knowsIDs)
            }
            do throws(GraphQLClientError) {
                let page = try SyncPage(value, of: operations.model.layout)
                return Answer(content: .page(page), knowsMutationIDs: knowsIDs)
            } catch {
                return Answer(content: .failed(retryAfter: nil), knowsMutationIDs: knowsIDs, failure: error)
            }
        case .unauthenticated(let error): return Answer(content: .unauthenticated, failure: error)
        case .failed(let error, let wait): return Answer(content: .failed(retryAfter: wait), failure: error)
        }
    }

    /// The meaning of a response without a page.
    private static func refusal(of query: SyncQuery, _ response: ServerResponse) -> QueryResponse {
        guard let error = response.errors.first else { return .failed(retryAfter: nil) }
        if query.nextToken != nil, error.message.contains("token") { return .tokenRefused }
        if Refusal(errorType: error.errorType ?? "") == .temporary { return .failed(retryAfter: nil) }
        return .refused(errorType: error.errorType ?? "", message: error.message)
    }

    /// The record in the payload of a subscription's message; `nil` if it has no usable one.
    func pushed(_ payload: [UInt8], of model: String, field: String) -> ServerRecord? {
        guard let response = try? ServerResponse(payload, field: field) else { return nil }
        return response.value.flatMap { record($0, model) }
    }

    // MARK: Subscriptions

    /// Subscribes to the changes of a model, and returns when the server has begun or refused each subscription.
    ///
    /// - Parameters:
    ///   - deliver: Takes the payload of a message and the field that it answers. False if there is no room for it.
    ///   - end: Called when a subscription that had begun has ended.
    /// - Throws: ``GraphQLClientError`` of the first subscription that the server refused.
    func subscribe(
        _ model: String, deliver: @escaping @Sendable ([UInt8], String) -> Bool,
        end: @escaping @Sendable (GraphQLClientError?) -> Void
    ) async throws(GraphQLClientError) {
        var refusal: GraphQLClientError?
        var begun: [(RealTimeConnection, id: String)] = []
        for request in try operations(of: model).subscriptions {
            do throws(GraphQLClientError) {
                let (connection, credentials) = try await realTime.connection(authorization)
                let id = try await connection.subscribe(
                    request.body, credentials, deliver: { deliver($0, request.field) }, end: end)
                begun.append((connection, id))
            } catch {
                guard error.isRefusal else {
                    for (connection, id) in begun { await connection.unsubscribe(id) }
                    throw error
                }
                refusal = refusal ?? error
            }
        }
        if let refusal { throw refusal }
    }

    // MARK: Responses

    private enum Exchange {
        case response(ServerResponse, knowsIDs: Bool)
        case unauthenticated(GraphQLClientError)
        /// - `retryAfter`: The milliseconds that the server asks to wait.
        case failed(GraphQLClientError, retryAfter: Int64?)
    }

    private func exchange(_ request: SyncOperations.Request, headers: [String: String] = [:]) async -> Exchange {
        var headers = headers
        do throws(GraphQLClientError) {
            headers.merge(try await authorization.header()) { _, new in new }
        } catch {
            return .unauthenticated(error)
        }
        headers["Content-Type"] = "application/json"
        headers["Accept"] = "application/json"
        let response: TransportResponse
        do throws(TransportError) {
            response = try await transport.send(
                TransportRequest("POST", endpoint, headers: headers, body: request.body, timeout: .seconds(30)))
        } catch {
            return .failed(GraphQLClientError(error), retryAfter: nil)
        }
        let status = response.status == 200 ? nil : response.status
        let wait = response.headers["retry-after"].flatMap { Int64($0) }.map { min($0, 86_400) * 1_000 }
        do throws(GraphQLClientError) {
            let answer = try ServerResponse(response.body, field: request.field, status: status)
            switch response.status {
            case 401, 403: return .unauthenticated(answer.failure)
            case 429, 500...: return .failed(answer.failure, retryAfter: wait)
            default: return .response(answer, knowsIDs: response.headers[MutationHeader.name] == MutationHeader.support)
            }
        } catch {
            switch response.status {
            case 401, 403: return .unauthenticated(error)
            default: return .failed(error, retryAfter: wait)
            }
        }
    }

    private func operations(of model: String) throws(GraphQLClientError) -> SyncOperations {
        guard let operations = operations[model] else {
            throw GraphQLClientError(.invalidValue, "The model \(model) is not synced.")
        }
        return operations
    }

    /// The record that the JSON object `json` is; `nil` if it is none, or has no usable metadata.
    private func record(_ json: [UInt8], _ model: String) -> ServerRecord? {
        guard let layout = operations[model]?.model.layout else { return nil }
        return json.withUnsafeBytes { try? ServerRecord($0, of: layout) }
    }
}

extension GraphQLClientError {
    /// Whether the server will not take the request in the future either.
    var isRefusal: Bool {
        switch code {
        case .unauthorized: status == nil
        case .operationDisabled, .badRequest, .invalidValue, .unsupportedPredicate, .other: true
        default: false
        }
    }
}
