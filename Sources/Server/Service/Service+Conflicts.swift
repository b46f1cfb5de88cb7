internal import TidelogCore
internal import TidelogGraphQL

/// Conflicts that someone else decides.
extension Service {
    /// How often a handler is asked about one change, if the record was changed whenever it answered.
    private static let roundLimit = 5

    /// Makes a change; gives the record as it is then. A handler is asked between transactions; what it said counts only for
    /// the record that it was asked about.
    func change(_ request: MutationRequest, name: ChangeName?, asker: ConflictAsker) async throws -> ChangeOutcome {
        let strategy = options.strategy(of: request.model.name)
        var answer: ConflictAnswer?
        var round = 0
        while true {
            do {
                return try await change(request, name: name, strategy: strategy, answer: answer, asker)
            } catch let conflict as UndecidedConflict {
                guard case .custom(let handler) = strategy else { throw Refusal.conflict(conflict.stored) }
                guard round < Self.roundLimit else { throw Refusal.tooManyConflicts(conflict.stored) }
                round += 1
                answer = try await ask(handler, about: conflict.stored, request, asker)
            }
        }
    }

    private func ask(
        _ handler: @escaping ConflictHandler, about stored: Record, _ request: MutationRequest, _ asker: ConflictAsker
    ) async throws -> ConflictAnswer {
        let (model, schema) = try model(request.model.name)
        var newItem = request.mutation == .delete ? stored : request.applied(to: stored)
        if request.mutation == .delete { newItem[Metadata.deleted] = .bool(true) }
        newItem[Metadata.version] = .int(stored.version + 1)
        newItem[Metadata.lastChangedAt] = .int(max(time, stored.lastChangedAt))
        let conflict = ConflictCase(
            mutation: request.mutation, field: asker.field, newItem: newItem, existingItem: stored,
            arguments: asker.arguments, identity: asker.identity, fieldNames: schema.fields.map(\.name))
        do {
            let verdict = try await withTimeLimit(options.conflictTimeLimit) { try await handler(conflict) }
            switch (verdict, request.mutation) {
            case (.reject, _): return ConflictAnswer(stored: stored, decision: nil)
            case (.remove, .delete): return ConflictAnswer(stored: stored, decision: .delete(stored))
            case (.resolve(let item), .update):
                let reader = ItemReader(typeSystem: typeSystem, schema: api.schema, model: schema)
                let kept = Self.kept(of: stored, model, item, request)
                let values = try reader.values(of: item, keeping: kept)
                return ConflictAnswer(
                    stored: stored, decision: .save(Record(model: model.name, values: values)))
            case (.remove, _): throw ConflictFailure("REMOVE is for deletions")
            case (.resolve, _): throw ConflictFailure("RESOLVE is for updates")
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw Refusal.undecided(stored, (error as? ConflictFailure) ?? ConflictFailure("the handler failed"))
        }
    }

    /// What an item does not change: key and metadata, and times that the server keeps if the item lacks them.
    private static func kept(
        of stored: Record, _ model: ModelAPI, _ item: InputObject, _ request: MutationRequest
    ) -> [String: FieldValue?] {
        var kept: [String: FieldValue?] = [:]
        for name in model.key + Metadata.names { kept.updateValue(stored[name], forKey: name) }
        if let name = model.createdAt, item[name] == nil { kept.updateValue(stored[name], forKey: name) }
        if let name = model.updatedAt, item[name] == nil {
            kept.updateValue(request.applied(to: stored)[name], forKey: name)
        }
        return kept
    }
}

/// Who asks for a change, as a handler of conflicts is told.
struct ConflictAsker: Sendable {
    /// The name of the mutation's field.
    let field: String
    /// Its arguments.
    let arguments: InputObject
    /// What the caller's token says; `nil` for an API key.
    let identity: TokenClaims?
    /// The fields that are selected of the record; none unless selections are strict, which alone asks for them.
    let selected: Set<String>
}

/// What was said about a conflict.
struct ConflictAnswer: Sendable {
    /// The record that it was said about.
    let stored: Record
    /// What becomes of it; `nil` if the change is refused.
    let decision: ChangeDecision?
}

/// A conflict that a handler is to be asked about.
struct UndecidedConflict: Error {
    /// The record as it is stored.
    let stored: Record
}
