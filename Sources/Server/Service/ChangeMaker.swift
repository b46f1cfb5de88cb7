internal import TidelogCore
internal import TidelogGraphQLExecution
internal import TidelogSynchronization

/// Makes the changes that mutations ask for. It carries out the decisions about them, and asks conflict handlers.
struct ChangeMaker: Sendable {
    let store: any VersionedStore
    let options: ServiceOptions
    let typeSystem: TypeSystem
    /// The schema of the API.
    let schema: Schema
    /// The models as they are stored, by name.
    let models: [String: ModelSchema]
    /// The current time in milliseconds since 1970-01-01T00:00:00Z.
    let clock: @Sendable () -> Int64

    /// The largest number of times that a handler is asked about one change. A handler is asked again if the record has changed
    /// before the answer arrives.
    private static let roundLimit = 5

    /// Makes changes in their order, and returns the outcome or the error of each.
    ///
    /// Changes share one sync, unless a handler must be asked. It is asked between two transactions, and before any later
    /// change is made. Its answer only counts for the version of the record about which it was asked.
    func make(_ changes: [PreparedChange]) async -> [Result<StoredChange.Outcome, any Error>] {
        var results: [Result<StoredChange.Outcome, any Error>] = []
        var answer: MutationDecision.Answer?
        var round = 0
        while results.count < changes.count {
            let rest = changes[results.count...]
            let made: [Result<StoredChange.Outcome, any Error>]
            do { made = try await makeOnce(rest, answer: answer) } catch {
                return results + rest.map { _ in .failure(error) }
            }
            let (done, conflict) = Self.upToConflict(made)
            results += done
            guard let conflict else { break }
            if !done.isEmpty { (answer, round) = (nil, 0) }
            do {
                let change = changes[results.count]
                guard case .custom(let handler) = options.strategy(of: change.request.model.name) else {
                    throw ChangeRefusal.conflict(conflict.stored)
                }
                guard round < Self.roundLimit else { throw ChangeRefusal.tooManyConflicts(conflict.stored) }
                round += 1
                answer = try await ask(handler, about: conflict.stored, change.request, change.asker)
            } catch {
                results.append(.failure(error))
                (answer, round) = (nil, 0)
            }
        }
        assert(results.count == changes.count, "each change has a result")
        return results
    }

    /// Makes changes in their order, up to the first change about which a conflict handler must be asked.
    ///
    /// - Parameter answer: The answer of the conflict handler about the first change, if it was asked.
    /// - Returns: For each change, its outcome or its error. After an ``UndecidedConflict``, no change was made, and the
    ///   results do not count.
    private func makeOnce(
        _ changes: ArraySlice<PreparedChange>, answer: MutationDecision.Answer?
    ) async throws -> [Result<StoredChange.Outcome, any Error>] {
        let keepsTombstones = options.keepsTombstones
        // The position of the change about which a handler must be asked. A store may let the changes decide more than once.
        let end = Atomic<Int>(.max)
        return try await store.change(
            changes.enumerated().map { index, change in
                let request = change.request
                let strategy = options.strategy(of: request.model.name)
                return RequestedChange(
                    request.model.name, request.id, name: change.name, selected: change.selected
                ) { stored in
                    guard index <= end.load(ordering: .relaxed) else { throw Postponed() }
                    end.store(.max, ordering: .relaxed)
                    let decided = try MutationDecision(
                        request, on: stored, by: strategy, answer: index == 0 ? answer : nil,
                        keepsTombstones: keepsTombstones)
                    switch decided {
                    case .save(let record): return .save(record)
                    case .delete(let record): return .delete(record)
                    case .keep: return .keep
                    case .refuse(let refusal): throw refusal
                    case .ask(let stored):
                        end.store(index, ordering: .relaxed)
                        throw UndecidedConflict(stored: stored)
                    }
                }
            })
    }

    /// The error of a change that must wait until a conflict handler has decided about an earlier change.
    private struct Postponed: Error {}

    /// The results before the first conflict that a handler must decide, and that conflict.
    private static func upToConflict(
        _ results: [Result<StoredChange.Outcome, any Error>]
    ) -> (done: ArraySlice<Result<StoredChange.Outcome, any Error>>, conflict: UndecidedConflict?) {
        for (index, result) in results.enumerated() {
            if case .failure(let conflict as UndecidedConflict) = result { return (results[..<index], conflict) }
        }
        return (results[...], nil)
    }

    private func ask(
        _ handler: @escaping ConflictHandler, about stored: Record, _ request: MutationRequest, _ asker: ConflictAsker
    ) async throws -> MutationDecision.Answer {
        let model = request.model
        guard let schema = models[model.name] else { preconditionFailure("a request is for a model of the service") }
        var newItem = request.mutation == .delete ? stored : request.applied(to: stored)
        if request.mutation == .delete { newItem[Metadata.deleted] = .bool(true) }
        newItem[Metadata.version] = .int(stored.version + 1)
        newItem[Metadata.lastChangedAt] = .int(max(clock(), stored.lastChangedAt))
        let conflict = ConflictCase(
            mutation: request.mutation, field: asker.field, newItem: newItem, existingItem: stored,
            arguments: asker.arguments, identity: asker.identity, fieldNames: schema.fields.map(\.name))
        do {
            let verdict = try await withTimeLimit(options.conflictTimeLimit) { try await handler(conflict) }
            switch (verdict, request.mutation) {
            case (.reject, _): return MutationDecision.Answer(stored: stored, decision: .refuse(.conflict(stored)))
            case (.remove, .delete): return MutationDecision.Answer(stored: stored, decision: .delete(stored))
            case (.resolve(let item), .update):
                let reader = ItemReader(typeSystem: typeSystem, schema: self.schema, model: schema)
                let kept = Self.kept(of: stored, model, item, request)
                let values = try reader.values(of: item, keeping: kept)
                return MutationDecision.Answer(
                    stored: stored, decision: .save(Record(model: model.name, values: values)))
            case (.remove, _): throw ConflictCase.Failure("REMOVE is for deletions")
            case (.resolve, _): throw ConflictCase.Failure("RESOLVE is for updates")
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ChangeRefusal.undecided(
                stored, (error as? ConflictCase.Failure) ?? ConflictCase.Failure("the handler failed"))
        }
    }

    /// The values that an item of a handler cannot change: the key and the metadata, and the server's times if the item leaves
    /// them out.
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

    /// A change that is ready to be made.
    struct PreparedChange: Sendable {
        let request: MutationRequest
        let name: StoredChange.Name?
        let asker: ConflictAsker
        /// The selected fields of the record; `nil` unless selections are strict.
        let selected: Set<String>?
    }

    /// The caller's request for a change, as a conflict handler gets it.
    struct ConflictAsker: Sendable {
        /// The name of the mutation field.
        let field: String
        /// The arguments of the mutation field.
        let arguments: InputObject
        /// The claims of the caller's token; `nil` for an API key.
        let identity: TokenClaims?
    }

    /// A conflict about which a handler must be asked.
    private struct UndecidedConflict: Error {
        /// The stored record.
        let stored: Record
    }
}
