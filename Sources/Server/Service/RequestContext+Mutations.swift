internal import TidelogAgreement
@_spi(Adapters) internal import TidelogCore
internal import TidelogGraphQLExecution

/// The mutations of a request.
extension RequestContext {
    /// Changes the record that the input of a root field names, and returns it with the change.
    ///
    /// The changes of the root fields after it may be made at the same time, because they share one sync.
    func mutate(_ field: SelectedField) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let made: DocumentChanges.Made
        if let earlier = changes.take(field) {
            made = earlier
        } else {
            await makeChanges(from: field)
            guard let first = changes.take(field) else { return .null }
            made = first
        }
        do {
            let change = try made.change.get()
            do {
                let outcome = try made.outcome.get()
                recorder?.note(field) { $0.change = Self.report(outcome, of: change.request) }
                if outcome.kind == .written || outcome.kind == .repeated { noteWritten(field) }
                return try object(outcome, of: change.request)
            } catch let refusal as ChangeRefusal {
                recorder?.note(field) { $0.conflictFailure = refusal.failure }
                // The stored record is a part of the response. Without room for it, the client has to ask for the record.
                let access = change.request.access.access
                let stored = refusal.stored(for: access).flatMap { hasRoom(for: $0, of: field) ? $0 : nil }
                let data = stored.flatMap { RecordObject(changed: $0, access).data(of: field) }
                throw refusal.error(for: field, data: data) { service.storeRequestID }
            }
        } catch let refusal as Permission.Refusal {
            throw refusal.error(for: field)
        } catch is StoredChange.NameTaken {
            throw ResolverError(
                "The id of this mutation was used for another one.", errorType: MutationHeader.takenErrorType)
        } catch {
            throw ServiceFailure.error(of: error)
        }
    }

    /// Makes the change of `first` and the changes of the root fields after it, up to a field whose selection reads the store.
    /// The reads of that field must not see later changes.
    private func makeChanges(from first: SelectedField) async {
        var fields: [SelectedField] = []
        var prepared: [Result<ChangeMaker.PreparedChange, any Error>] = []
        for field in changes.fields(from: first) {
            fields.append(field)
            prepared.append(Result { try prepare(field) })
            if readsStore(field) { break }
        }
        var outcomes = await service.maker.make(prepared.compactMap { try? $0.get() })[...]
        for (field, change) in zip(fields, prepared) {
            switch change {
            case .success(let change):
                guard let outcome = outcomes.popFirst() else { preconditionFailure("each change has an outcome") }
                changes.note(field, DocumentChanges.Made(change: .success(change), outcome: outcome))
            case .failure(let error):
                changes.note(field, DocumentChanges.Made(change: .failure(error), outcome: .failure(error)))
            }
        }
        assert(outcomes.isEmpty, "each outcome belongs to a field")
    }

    /// The change that `field` asks for.
    ///
    /// - Throws: ``ResolverError``; ``Permission.Refusal`` if the caller may not make the change to any record.
    private func prepare(_ field: SelectedField) throws -> ChangeMaker.PreparedChange {
        guard let (mutation, name) = service.api.mutation(named: field.name),
            case .object(let input)? = field[argument: "input"]
        else { throw ResolverError("The mutation \(field.name) has no input.", errorType: "BadRequest") }
        let (model, schema) = try service.model(name)
        let filter = try FilterReader(model: schema, schema: service.api.schema).filter(field[argument: "condition"])
        let request = try MutationRequest(
            mutation, input, of: model, schema, in: service.api.schema, layout: try service.layout(of: name),
            condition: filter, access: try access(name),
            knowsNoVersions: service.options.hasClientsWithoutVersions(of: name), comparisons: comparisons,
            at: service.dateTime
        ) { service.identifier }
        try request.access.check()
        let asker = ChangeMaker.ConflictAsker(
            field: field.name, arguments: field.arguments, identity: caller.claims)
        let selected = service.options.isSelectionStrict ? Set(field.selection()?.fields.map(\.name) ?? []) : nil
        let id = changes.names[field.responseName].map {
            StoredChange.Name($0, subject: request.subject, content: MutationSubject.content(field.arguments))
        }
        return ChangeMaker.PreparedChange(request: request, name: id, asker: asker, selected: selected)
    }

    /// Whether the response to a mutation reads from the store, because it has related records.
    private func readsStore(_ field: SelectedField) -> Bool {
        guard let (_, name) = service.api.mutation(named: field.name),
            let relations = service.api.models[name]?.relations, !relations.isEmpty
        else {
            return false
        }
        return field.selection()?.fields.contains { relations[$0.name] != nil } ?? false
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

    /// The outcome of a change, for the log.
    private static func report(
        _ outcome: StoredChange.Outcome, of request: MutationRequest
    ) -> RequestReport.FieldReport.Change {
        RequestReport.FieldReport.Change(kind: outcome.kind, isOfConflict: request.isOfConflict(outcome))
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
