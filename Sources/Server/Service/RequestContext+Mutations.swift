@_spi(Adapters) internal import TidelogCore
internal import TidelogGraphQLExecution
internal import TidelogWire

/// The mutations of a request.
extension RequestContext {
    /// Changes the record that the input names, and returns it with the change.
    func mutate(
        _ mutation: Mutation, _ name: String, _ field: SelectedField
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (model, schema) = try service.model(name)
        guard case .object(let input)? = field[argument: "input"] else { return .null }
        let filter = try FilterReader(model: schema, schema: service.api.schema).filter(field[argument: "condition"])
        let access = try access(name)
        let request = try MutationRequest(
            mutation, input, model: model, schema: schema, condition: filter, service: service, access: access,
            comparisons: comparisons)
        do {
            try request.access.check()
            let asker = Service.ConflictAsker(
                field: field.name, arguments: field.arguments, identity: caller.claims,
                selected: service.options.isSelectionStrict ? Set(field.selection()?.fields.map(\.name) ?? []) : [])
            let name = mutations[field.responseName].map {
                StoredChange.Name($0, subject: request.subject, content: MutationSubject.content(field.arguments))
            }
            let outcome = try await service.change(request, name: name, asker: asker)
            recorder?.note(field) { $0.change = request.report(outcome) }
            if outcome.kind == .written || outcome.kind == .repeated { noteWritten(field) }
            return try object(outcome, of: request)
        } catch let refusal as ChangeRefusal {
            recorder?.note(field) { $0.conflictFailure = refusal.failure }
            // The stored record is a part of the response. Without room for it, the client has to ask for the record.
            let stored = refusal.stored(for: access).flatMap { hasRoom(for: $0, of: field) ? $0 : nil }
            throw refusal.error(data: stored.flatMap { RecordObject(changed: $0, access).data(of: field) })
        } catch let refusal as Permission.Refusal {
            throw refusal.error(for: field)
        } catch is StoredChange.NameTaken {
            throw ResolverError(
                "The id of this mutation was used for another one.", errorType: MutationHeader.takenErrorType)
        } catch {
            throw ServiceFailure.error(of: error)
        }
    }

    /// The part of a changed record that the caller may see.
    private func object(
        _ outcome: StoredChange.Outcome, of request: MutationRequest
    ) throws(Permission.Refusal) -> ResolvedValue<RequestContext> {
        if outcome.kind == .repeated { try request.access.check(repeatedOn: outcome.record) }
        guard let record = outcome.record else { return .null }
        let isNew = request.mutation == .create && outcome.kind == .written
        return .object(RecordObject(changed: record, request.access.access, isNew: isNew))
    }

    /// Whether the response has room for `record` as a part of `field`. It is counted if there is room.
    private func hasRoom(for record: Record, of field: SelectedField) -> Bool {
        do {
            try spend(record, of: field)
            return true
        } catch {
            return false
        }
    }
}
