internal import TidelogAgreement
internal import TidelogGraphQLExecution

/// Requests and their responses.
extension Service {
    /// Answers a request of `caller`.
    ///
    /// - Parameter isReported: Whether the response contains a report for the log.
    package func respond(
        to request: ServiceRequest, from caller: Caller, isReported: Bool = false
    ) async throws(CancellationError) -> ServiceResponse {
        let start = ContinuousClock.now
        var response: ServiceResponse
        do {
            response = try await execute(try prepare(request), for: request, from: caller, isReported: isReported)
        } catch let error as RequestErrors {
            response = ServiceResponse(error)
            if isReported {
                response.report = RequestReport(errorTypes: error.errors.map { $0.errorType ?? RequestReport.untyped })
            }
        } catch {
            throw CancellationError()
        }
        response.report?.duration = ContinuousClock.now - start
        return response
    }

    private func execute(
        _ operation: ExecutableOperation, for request: ServiceRequest, from caller: Caller, isReported: Bool
    ) async throws -> ServiceResponse {
        guard operation.kind != .subscription else {
            throw RequestErrors(
                GraphQLError(
                    message: "Subscriptions are served over a WebSocket.", errorType: "OperationNotSupported"))
        }
        guard operation.kind != .mutation || request.takesMutations else {
            throw RequestErrors(
                GraphQLError(message: "Mutations are sent by POST.", errorType: ServiceFailure.notByThisMethod))
        }
        let changes = try changes(operation, request, caller)
        let recorder = isReported ? RequestReport.Recorder() : nil
        let context = RequestContext(self, caller, changes: changes, recorder: recorder)
        let result =
            operation.kind == .mutation
            ? try await operation.execute(over: RootObject.Mutation(), in: context)
            : try await operation.execute(over: RootObject.Query(), in: context)
        var response = ServiceResponse(
            result, context, isMutation: operation.kind == .mutation, maximumByteCount: options.maximumResponseBytes)
        response.report = recorder?.report(operation, result, api)
        response.report?.readCount = context.readCount
        response.report?.recordCount = context.recordCount
        return response
    }

    /// The changes that an operation asks for.
    ///
    /// - Throws: An error if the request does not have an id for each of its mutations, and has ids.
    private func changes(
        _ operation: ExecutableOperation, _ request: ServiceRequest, _ caller: Caller
    ) throws(RequestErrors) -> DocumentChanges {
        guard operation.kind == .mutation else { return DocumentChanges() }
        let fields = operation.root.fields.filter { api.mutation(named: $0.name) != nil }
        // A field with invalid arguments has an id too, but is not executed.
        let executable = fields.filter(\.hasValidArguments)
        guard api.kind.namesChanges, !request.mutations.isEmpty else { return DocumentChanges(fields: executable) }
        guard fields.count == request.mutations.count else {
            throw RequestErrors(
                GraphQLError(
                    message: "The request has \(fields.count) mutations and ids for \(request.mutations.count).",
                    errorType: "BadRequest"))
        }
        // The name contains a digest of the caller's identity. So two callers can use the same id for different changes, and
        // the store does not reveal who the caller is.
        let owner = Base64URL.encode(Secrets.digest(Array(caller.identity.utf8)))
        let names = zip(fields, request.mutations).map { ($0.responseName, "\(owner) \($1)") }
        return DocumentChanges(fields: executable, names: Dictionary(uniqueKeysWithValues: names))
    }
}
