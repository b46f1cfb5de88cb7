internal import TidelogCore

/// Responses to mutations.
extension SyncStore {
    /// Appends a response, in one write; returns whether the server went back.
    package func append(_ answer: OutboxAnswer, _ pending: PendingChanges) async throws -> Bool {
        guard !pending.changes(of: answer.reference).isEmpty else {
            // The server's record took the place of the change while the response was on its way.
            try await removeMark(slot: answer.slot)
            return false
        }
        switch answer.outcome {
        case .taken(let record): return try await take(record, answer, pending)
        case .setAside(let reason, let server): try await setAside(answer, reason, server, pending)
        case .replaced(let reason, let record): try await replace(answer, reason, by: record, pending)
        }
        return false
    }

    private func take(_ record: ServerRecord?, _ answer: OutboxAnswer, _ pending: PendingChanges) async throws -> Bool {
        let (reference, last) = (answer.reference, answer.mark.last)
        return try await write { [reconciler, isInScope] transaction in
            try transaction.require(reference, notAfter: pending.head)
            let standing = try transaction.standing(of: reference, pending, answering: last)
            let record = record ?? Self.missing(reference, standing.known)
            let result = reconciler.reconcile(
                record, from: .response, standing, isInScope: record.row.map(isInScope) ?? true)
            try transaction.append(
                result.events, of: reference, answering: Self.answering(answer, through: last, pending))
            try transaction.append(noted: NoteName.sent(answer.slot), value: nil)
            return result.serverWentBack
        }
    }

    /// The change is set aside, and the row keeps it.
    private func setAside(
        _ answer: OutboxAnswer, _ reason: SetAsideReason, _ server: ServerRecord?, _ pending: PendingChanges
    ) async throws {
        let reference = answer.reference
        let changes = pending.changes(of: reference)
        let base = try await row(at: changes.first?.previous ?? .zero)
        try await write { [models] transaction in
            try transaction.require(reference, notAfter: pending.head)
            let standing = try transaction.standing(of: reference, pending)
            var change = Self.change(changes, answer, reason, standing, models)
            change.server = Self.latest(server, standing.shadow)
            if change.server == nil, let known = standing.known {
                change.server = ServerRecord(
                    reference, row: known.isDeleted && known.baseVersion == nil ? nil : base,
                    version: known.baseVersion ?? known.version ?? 0, lastChangedAt: known.lastChangedAt)
            }
            change.holdsRow = true
            try transaction.append(
                rejected: reference.model, id: reference.id, reason: reason.message,
                answering: Self.answering(answer, through: change.last, pending))
            try transaction.append(noted: change.noteName, value: change.encoded)
            try transaction.append(noted: NoteName.sent(answer.slot), value: nil)
        }
    }

    /// The change is set aside, and the row becomes the server's.
    private func replace(
        _ answer: OutboxAnswer, _ reason: SetAsideReason, by record: ServerRecord?, _ pending: PendingChanges
    ) async throws {
        let reference = answer.reference
        let changes = pending.changes(of: reference)
        try await write { [models, isInScope] transaction in
            try transaction.require(reference, notAfter: pending.head)
            let standing = try transaction.standing(of: reference, pending)
            let change = Self.change(changes, answer, reason, standing, models)
            try transaction.append(
                rejected: reference.model, id: reference.id, reason: reason.message,
                answering: Self.answering(answer, through: change.last, pending))
            let latest = Self.latest(record, standing.shadow) ?? Self.missing(reference, standing.known)
            try transaction.show(latest, isInScope: latest.row.map(isInScope) ?? true)
            try transaction.append(noted: change.noteName, value: change.encoded)
            try transaction.append(noted: NoteName.sent(answer.slot), value: nil)
        }
    }

    /// The set-aside change that the pending changes of a record amount to.
    private static func change(
        _ changes: [PendingChange], _ answer: OutboxAnswer, _ reason: SetAsideReason, _ standing: Reconciler.Standing,
        _ models: SyncModels
    ) -> SetAsideChange {
        let fold = Fold(changes[...], state: standing.known)
        let kind = fold.kind ?? .delete
        var fields = answer.mutation.fields
        if let model = models[answer.reference.model] {
            // A record that the server has deleted can only be written again as a whole.
            let isGone = reason == .recordDeleted
            fields = OutgoingMutation.fields(isGone ? .all : fold.fields, of: standing.row, kind, model)
        }
        return SetAsideChange(
            answer.reference, kind, fields: fields, condition: fold.condition, baseVersion: answer.mark.baseVersion,
            reason: reason.message, errorType: reason.errorType, attempts: answer.mark.attempt, first: fold.first,
            last: fold.last, holdsRow: false)
    }

    private static func answering(
        _ answer: OutboxAnswer, through last: SequenceNumber, _ pending: PendingChanges
    ) -> StoreTransaction.Answering {
        var pending = pending
        return (answer.mutation.id, pending.position(answering: (answer.reference, last)))
    }

    /// The later one of two states of a record.
    static func latest(_ record: ServerRecord?, _ other: ServerRecord?) -> ServerRecord? {
        guard let record, let other else { return record ?? other }
        return other.version > record.version ? other : record
    }

    /// The state of a record that the server does not have.
    static func missing(_ reference: RecordReference, _ known: ServerState?) -> ServerRecord {
        ServerRecord(reference, row: nil, version: known?.version ?? 0, lastChangedAt: known?.lastChangedAt ?? 0)
    }
}
