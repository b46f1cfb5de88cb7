internal import TidelogCore

/// Writes responses to mutations, and the notes about mutations.
extension SyncStore {
    @discardableResult
    package func append(
        _ append: SyncMachine.Append, _ pending: PendingChanges
    ) async throws -> SyncMachine.Reception {
        let answers = append.answers
        let pending = pending.excerpt(of: answers.map(\.reference))
        var bases: [RecordReference: Record] = [:]
        for case let (reference, .setAside) in answers.map({ ($0.reference, $0.outcome) }) {
            bases[reference] = try await row(at: pending.changes(of: reference).first?.previous ?? .zero)
        }
        let mutatedRows = try await mutatedRows(answers, pending)
        return try await write { [bases, self] transaction in
            // All reads happen before the first append, because a read after an append would first project the events.
            let standings = try answers.map { answer in
                try transaction.require(answer.reference, notAfter: pending.head)
                if hasVersions, expression == nil, case .taken(let record?) = answer.outcome,
                    let standing = try transaction.standing(
                        repeating: record, pending, answering: answer.mark.last)
                {
                    return standing
                }
                var standing = try transaction.standing(
                    of: answer.reference, pending, answering: answer.answeredSequence)
                standing.mutatedRow = mutatedRows[answer.reference]
                standing.mutatedVersion = answer.mutation.baseVersion
                standing.model = models[answer.reference.model]
                return standing
            }
            for (slot, tries) in append.tries.sorted(by: { $0.key < $1.key }) {
                try transaction.append(noted: NoteName.tries(slot), value: tries.encoded)
            }
            var appending = Appending(transaction: transaction, pending: pending)
            for (answer, standing) in zip(answers, standings) {
                // The server's record may have replaced the change while the response was on its way.
                if !pending.changes(of: answer.reference).isEmpty {
                    switch answer.outcome {
                    case .taken(let record): try take(record, answer, standing, &appending)
                    case .yielded(to: let record): try take(record, answer, standing, &appending)
                    case .setAside(let reason, let server):
                        try setAside(answer, reason, server, standing, base: bases[answer.reference], &appending)
                    case .replaced(let reason, let record):
                        try replace(answer, reason, by: record, standing, &appending)
                    }
                }
                // A mark without fields may stay until the next mutation of its slot, since its changes are no longer pending.
                if answer.mark.fields != nil { try transaction.append(noted: NoteName.sent(answer.slot), value: nil) }
                if answer.tries != nil { try transaction.append(noted: NoteName.tries(answer.slot), value: nil) }
            }
            for (slot, mark) in append.marks.sorted(by: { $0.key < $1.key }) {
                try transaction.append(noted: NoteName.sent(slot), value: mark.encoded)
            }
            return appending.result
        }
    }

    /// The rows that the server has if it made the mutations and no other change. They are only needed for responses that may
    /// lack values.
    private func mutatedRows(
        _ answers: [Outbox.Answer], _ pending: PendingChanges
    ) async throws -> [RecordReference: Record] {
        var rows: [RecordReference: Record] = [:]
        for answer in answers {
            guard case .taken(let record?) = answer.outcome, record.mayLackValues, record.row != nil else { continue }
            var row = try await row(at: answer.mark.last)
            // A record that was pushed in the meantime has the changes of other devices.
            if let shadow = pending.shadow(of: answer.reference)?.row { row = shadow }
            for (name, value) in answer.mutation.fields { row?[name] = value }
            rows[answer.reference] = row
        }
        return rows
    }

    /// The state of a write of several responses.
    private struct Appending {
        let transaction: StoreTransaction
        /// The pending changes that have no response yet. Responses of this write are taken into account.
        var pending: PendingChanges
        var result = SyncMachine.Reception()

        /// The answer to the changes of a record up to `last`.
        mutating func answering(_ answer: Outbox.Answer, through last: SequenceNumber) -> StoreTransaction.Answering {
            pending.answer(answer.reference, through: last)
            return (answer.mutation.id, pending.position())
        }
    }

    private func take(
        _ record: ServerRecord?, _ answer: Outbox.Answer, _ standing: Reconciler.Standing, _ appending: inout Appending
    ) throws {
        let reference = answer.reference
        let record = record ?? Self.missing(reference, standing.known)
        let result = reconciler.reconcile(
            record, from: .response, standing, isInScope: isInScope)
        if result.serverWentBack { appending.result.modelsBehind.insert(reference.model) }
        if result.isInDoubt {
            appending.result.hints.append(RecordHint(reference, version: record.version))
        }
        let answering = appending.answering(answer, through: answer.mark.last)
        try appending.transaction.append(result.events, of: reference, answering: answering)
    }

    /// Sets the change aside. The row keeps the change.
    private func setAside(
        _ answer: Outbox.Answer, _ reason: SetAsideChange.Reason, _ server: ServerRecord?,
        _ standing: Reconciler.Standing,
        base: Record?, _ appending: inout Appending
    ) throws {
        let reference = answer.reference
        var change = Self.change(appending.pending.changes(of: reference), answer, reason, standing, models)
        change.server = Self.latest(server, standing.shadow)
        if change.server == nil, let known = standing.known {
            // The row before a creation is not the server's: there is none, or it shows an earlier set-aside change.
            let hasNoRow = known.baseVersion.map { $0 == 0 } ?? known.isDeleted
            change.server = ServerRecord(
                reference, row: hasNoRow ? nil : base,
                version: known.baseVersion ?? known.version ?? 0, lastChangedAt: known.lastChangedAt)
        }
        change.holdsRow = true
        try appending.transaction.append(
            rejected: reference.model, id: reference.id, reason: reason.message,
            answering: appending.answering(answer, through: change.last))
        try appending.transaction.append(noted: change.noteName, value: change.encoded)
    }

    /// Sets the change aside. The row becomes the server's.
    private func replace(
        _ answer: Outbox.Answer, _ reason: SetAsideChange.Reason, by record: ServerRecord?,
        _ standing: Reconciler.Standing,
        _ appending: inout Appending
    ) throws {
        let reference = answer.reference
        let change = Self.change(appending.pending.changes(of: reference), answer, reason, standing, models)
        try appending.transaction.append(
            rejected: reference.model, id: reference.id, reason: reason.message,
            answering: appending.answering(answer, through: change.last))
        var latest = record ?? Self.missing(reference, standing.known)
        if let shadow = standing.shadow {
            if hasVersions {
                latest = Self.latest(record, shadow) ?? latest
            } else if !shadow.hasState(of: latest) {
                // No version tells whether the server made the answer before or after the record that arrived in between.
                appending.result.hints.append(RecordHint(reference, version: 0, isBlind: true))
            }
        }
        try appending.transaction.show(latest, isInScope: isInScope)
        try appending.transaction.append(noted: change.noteName, value: change.encoded)
    }

    /// The set-aside change that combines the pending changes of a record.
    private static func change(
        _ changes: [PendingChange], _ answer: Outbox.Answer, _ reason: SetAsideChange.Reason,
        _ standing: Reconciler.Standing,
        _ models: SyncModels
    ) -> SetAsideChange {
        let fold = Fold(changes[...], state: standing.known)
        let kind = fold.kind ?? .delete
        var fields = answer.mutation.fields
        if let model = models[answer.reference.model] {
            // A record that the server has deleted can only be written again with all its fields.
            let isGone = reason == .recordDeleted
            fields = OutgoingMutation.fields(isGone ? .all : fold.fields, of: standing.row, kind, model)
        }
        return SetAsideChange(
            answer.reference, kind, fields: fields, condition: fold.condition, baseVersion: answer.mark.baseVersion,
            reason: reason.message, errorType: reason.errorType, attempts: answer.attempts, first: fold.first,
            last: fold.last, holdsRow: false)
    }

    /// The later one of two states of a record; the first if they are the same.
    static func latest(_ record: ServerRecord?, _ other: ServerRecord?) -> ServerRecord? {
        guard let record, let other else { return record ?? other }
        if other.isEnd(of: record) { return other }
        return (other.version, other.lastChangedAt) > (record.version, record.lastChangedAt) ? other : record
    }

    /// The state for a record that the server does not have.
    static func missing(_ reference: RecordReference, _ known: ServerState?) -> ServerRecord {
        ServerRecord(reference, row: nil, version: known?.version ?? 0, lastChangedAt: known?.lastChangedAt ?? 0)
    }
}

extension Outbox.Answer {
    /// The last event that the answer covers, if later changes of the record stay pending; `nil` if all changes end with the
    /// answer.
    fileprivate var answeredSequence: SequenceNumber? {
        switch outcome {
        case .taken, .yielded: mark.last
        case .setAside, .replaced: nil
        }
    }
}
