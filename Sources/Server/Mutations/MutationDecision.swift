internal import TidelogCore

/// The decision about a mutation. It depends only on the stored record, the request with its caller, and the conflict strategy.
enum MutationDecision: Sendable {
    /// The record is replaced by this one.
    case save(Record)
    /// The record is deleted.
    case delete(Record)
    /// The record stays as it is, and the client gets it.
    case keep
    /// The change is not made.
    case refuse(ChangeRefusal)
    /// The conflict handler must be asked about the change of this stored record.
    case ask(Record)

    /// A handler's answer about a conflict.
    ///
    /// The handler is asked between two transactions, so the record may change before the answer arrives. The answer then does
    /// not count, and the handler is asked again. A decision therefore compares the record that the handler saw with the stored
    /// one.
    struct Answer: Sendable {
        /// The record about which the handler was asked.
        let stored: Record
        /// The decision of the handler: it saves, deletes or refuses.
        let decision: MutationDecision
    }

    /// Decides the change of the record `stored` that `request` asks for.
    ///
    /// The checks have an order, so that a refusal reveals nothing about a record that the caller may not change: the access to
    /// the stored record, the rules of the fields, the existence of the record, the access to the result, the version, and the
    /// condition.
    ///
    /// - Parameters:
    ///   - answer: The answer of the conflict handler, if it was asked. An answer about another version does not count.
    ///   - keepsTombstones: Whether a tombstone prevents the creation of a record with its key.
    /// - Throws: An error if the condition cannot be evaluated. A refusal is not thrown.
    init(
        _ request: MutationRequest, on stored: Record?, by strategy: ConflictStrategy, answer: Answer? = nil,
        keepsTombstones: Bool = false
    ) throws {
        assert(stored.map { $0.model == request.model.name } ?? true, "a request is decided on a record of its model")
        assert(stored.map { $0.version > 0 } ?? true, "a stored record has a version")
        if case .withoutVersions = strategy {
            self = try Self.withoutVersions(request, stored)
            return
        }
        do throws(Permission.Refusal) {
            try request.access.check(stored: stored)
        } catch {
            self = .refuse(.notPermitted(error))
            return
        }
        if let message = request.ruleBroken {
            self = .refuse(.ruleBroken(message))
            return
        }
        switch (request.mutation, stored) {
        case (.create, _): self = try Self.creation(request, stored, keepsTombstones)
        case (_, let stored?) where request.sees(stored):
            // A change does not restore a deleted record.
            self = stored.isTombstone ? .keep : try Self.change(request, stored, strategy, answer)
        default: self = .refuse(.conditionFailed(nil))
        }
    }

    private static func creation(
        _ request: MutationRequest, _ stored: Record?, _ keepsTombstones: Bool
    ) throws -> MutationDecision {
        let record = request.created
        if let refusal = refusal(of: request, from: stored, to: record) { return refusal }
        if let stored, keepsTombstones || !stored.isTombstone { return .refuse(.conditionFailed(stored)) }
        return try request.admits(nil) ? .save(record) : .refuse(.conditionFailed(nil))
    }

    /// The decision about an update or a deletion of a record that is stored and not deleted.
    private static func change(
        _ request: MutationRequest, _ stored: Record, _ strategy: ConflictStrategy, _ answer: Answer?
    ) throws -> MutationDecision {
        assert(request.mutation != .create && !stored.isTombstone, "only a record that is not deleted is changed")
        let isStale = request.isStale(stored)
        var decision = MutationDecision.delete(stored)
        if request.mutation == .update {
            let isMerged = if isStale, case .autoMerge = strategy { true } else { false }
            let result = isMerged ? request.merged(into: stored) : request.applied(to: stored)
            // This check comes first, so that a conflict handler is only asked about changes that the caller may make.
            if let refusal = refusal(of: request, from: stored, to: result) { return refusal }
            decision = .save(result)
        }
        if isStale { decision = conflict(request.mutation, stored, strategy, answer, merged: decision) }
        switch decision {
        case .save, .delete: return try request.admits(stored) ? decision : .refuse(.conditionFailed(stored))
        case .keep, .refuse, .ask: return decision
        }
    }

    /// The decision about a change that was made to another version than the stored one.
    ///
    /// - Parameter merged: The decision if the change is merged into the stored record.
    private static func conflict(
        _ mutation: Mutation, _ stored: Record, _ strategy: ConflictStrategy, _ answer: Answer?,
        merged: MutationDecision
    ) -> MutationDecision {
        switch strategy {
        case .autoMerge where mutation == .update: return merged
        case .autoMerge, .optimistic, .unconditional, .withoutVersions: return .refuse(.conflict(stored))
        case .custom:
            guard let answer, answer.stored == stored else { return .ask(stored) }
            return answer.decision
        }
    }

    /// The refusal of a change whose result the caller may not write; `nil` if the caller may.
    static func refusal(
        of request: MutationRequest, from stored: Record?, to result: Record
    ) -> MutationDecision? {
        do throws(Permission.Refusal) {
            try request.access.check(result: result, of: stored)
            return nil
        } catch {
            return .refuse(.notPermitted(error))
        }
    }
}
