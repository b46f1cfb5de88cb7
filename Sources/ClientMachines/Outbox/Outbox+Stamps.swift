internal import TidelogSchema

/// Sends mutations to a server without versions. Each update and each deletion is made on the condition that the record still
/// has the stamp of the state from which the change started.
extension Outbox {
    /// The waits in milliseconds before the server is asked again for a record that it has changed, according to its refusal,
    /// and that it still shows in its former state. Reads of AppSync may be a few seconds old.
    private static let staleWaits: [Int64] = [200, 500, 1_000, 2_000, 4_000]

    /// Prepares a mutation for a server without versions: it gets the stamp of its base, and loses the fields that only the
    /// server sets. A deletion gets its mark, if the model has such a field.
    ///
    /// - Parameter madeAt: The time of the change, in microseconds since 1970-01-01T00:00:00Z.
    func stamp(_ mutation: inout OutgoingMutation, _ row: Record?, _ model: SyncModels.Model, madeAt: Int64) {
        for name in model.unsent { mutation.fields.removeValue(forKey: name) }
        if mutation.kind == .delete, model.marksDeletions {
            mutation.fields[RecordStamp.deletionField] = .dateTime(Temporal.DateTime(milliseconds: madeAt / 1_000))
        }
        guard mutation.kind != .create, let base = mutation.baseVersion else { return }
        // A row that was changed here still has the time and the tag of the state from which the change started.
        let candidates = [
            RecordStamp(version: base), stamps[mutation.reference], row.flatMap { RecordStamp(of: $0, model) },
        ]
        mutation.stamp = candidates.lazy.compactMap { $0 }.first { $0.version == base }
    }

    /// Makes a mutation start from the server's record, after a conflict was decided.
    func renew(_ marked: inout Slot.Marked, from remote: ServerRecord) {
        for name in models[remote.reference.model]?.unsent ?? [] {
            marked.mutation.fields.removeValue(forKey: name)
            marked.mark.fields?.removeValue(forKey: name)
        }
        marked.mutation.stamp = stamp(of: remote)
    }

    func stamp(of record: ServerRecord) -> RecordStamp? {
        guard let row = record.row ?? record.deletedRow, let model = models[record.reference.model] else { return nil }
        return RecordStamp(of: row, model)
    }

    /// Whether a refusal may only mean that the record does not exist. With rules about owners, AppSync does not tell a missing
    /// record from a record of another person.
    func isAmbiguous(_ reason: SetAsideChange.Reason, _ mutation: OutgoingMutation) -> Bool {
        !options.hasVersions && mutation.kind != .create && reason.errorType.hasPrefix("Unauthorized")
    }

    /// Whether the response to a mutation does not tell the record. After a conflict the change started from a row that the
    /// store does not have, so that it cannot fill in the values that the response lacks.
    func mustRead(_ record: ServerRecord, _ slot: Slot) -> Bool {
        guard !options.hasVersions, record.mayLackValues, let row = record.row, let mark = slot.marked?.mark else {
            return false
        }
        let names = models[record.reference.model]?.contents ?? []
        return mark.attempt > 1 && names.contains { row[$0] == nil }
    }

    /// Continues with the server's record, after the server refused a mutation or before a mutation is sent.
    mutating func compared(
        _ record: ServerRecord?, _ purpose: FetchPurpose, _ number: Int, _ marked: Slot.Marked, at now: Int64,
        jitter: UInt64
    ) -> [Action] {
        let mutation = marked.mutation
        if let record, record.deletedRow != nil {
            return foundDeleted(record, purpose, number, marked, at: now)
        }
        guard let record, record.row != nil else {
            return missing(purpose, number, marked, at: now, jitter: jitter)
        }
        assert(record.reference == mutation.reference, "the server answered with the record of the mutation")
        // An earlier state than the base may have the same values as the change.
        let isEarlier = RecordStamp.isEarlier(record.version, than: mutation.baseVersion ?? 0)
        if isEarlier, askAgain(purpose, number, marked, at: now, once: true) {
            return []
        }
        if isDone(mutation, by: record) { return [answer(.taken(record), number)] }
        let isBase = mutation.kind != .create && record.version == mutation.baseVersion
        switch purpose {
        case .setAside(let reason): return [answer(.setAside(reason, server: record), number)]
        case .written:
            return isBase && askAgain(purpose, number, marked, at: now) ? [] : [written(record, number, mutation)]
        case .comparing:
            guard isBase else { return [resolve(.changed, record, number, mutation)] }
            return sendAgain(record, number, marked, at: now)
        case .refused(let reason):
            guard isBase else { return [resolve(reason, record, number, mutation)] }
            let stamp = stamp(of: record)
            if mutation.stamp != stamp { return sendAgain(record, number, marked, at: now) }
            if askAgain(purpose, number, marked, at: now) { return [] }
            // The server refuses although the stamp is right: the condition of the change itself is false.
            guard mutation.condition == nil else { return [answer(.replaced(reason, by: record), number)] }
            return sendLater(reason, number, at: now, jitter: jitter)
        }
    }

    /// Continues after the server showed a record that is marked as deleted.
    private mutating func foundDeleted(
        _ record: ServerRecord, _ purpose: FetchPurpose, _ number: Int, _ marked: Slot.Marked, at now: Int64
    ) -> [Action] {
        let mutation = marked.mutation
        let isEarlier = RecordStamp.isEarlier(record.version, than: mutation.baseVersion ?? 0)
        if isEarlier, askAgain(purpose, number, marked, at: now, once: true) { return [] }
        guard mutation.kind == .create else { return [written(record, number, mutation)] }
        switch purpose {
        case .setAside(let reason): return [answer(.setAside(reason, server: record), number)]
        // The record was created, and another device has deleted it since.
        case .comparing where record.version != slots[number]?.deletedVersion, .written:
            return [written(record, number, mutation)]
        case .comparing, .refused: return sendAgain(record, number, marked, at: now)
        }
    }

    /// Continues after the server answered that it does not have the record.
    private mutating func missing(
        _ purpose: FetchPurpose, _ number: Int, _ marked: Slot.Marked, at now: Int64, jitter: UInt64
    ) -> [Action] {
        switch (marked.mutation.kind, purpose) {
        case (.delete, _): return [answer(.taken(nil), number)]
        case (.create, .comparing): return sendAgain(nil, number, marked, at: now)
        // The server has just said that the record exists.
        case (.create, .refused) where marked.mutation.stamp != nil: return sendAgain(nil, number, marked, at: now)
        case (.create, .refused(let reason)):
            if askAgain(purpose, number, marked, at: now) { return [] }
            return sendLater(reason, number, at: now, jitter: jitter)
        case (.create, .setAside(let reason)): return [answer(.setAside(reason, server: nil), number)]
        case (.update, _), (.create, .written):
            if askAgain(purpose, number, marked, at: now, once: true) { return [] }
            return [written(nil, number, marked.mutation)]
        }
    }

    /// Whether the server has made the mutation already.
    private func isDone(_ mutation: OutgoingMutation, by record: ServerRecord) -> Bool {
        let tag = models[mutation.reference.model].flatMap { $0.hasTag ? record.row?[RecordStamp.tagField] : nil }
        return tag == .string(mutation.tag) || SyncConflict.isDone(mutation, by: record)
    }

    /// Sends the mutation on the condition that the record has the stamp that the server showed.
    private mutating func sendAgain(
        _ record: ServerRecord?, _ number: Int, _ marked: Slot.Marked, at now: Int64
    ) -> [Action] {
        var marked = marked
        marked.mayBeDone = false
        marked.mutation.stamp = record.flatMap { stamp(of: $0) }
        if record?.deletedRow != nil { marked.mutation.fields.updateValue(nil, forKey: RecordStamp.deletionField) }
        slots[number]?.state = .waiting(marked, .init(until: now))
        return []
    }

    /// Sends the mutation again after a wait, as after an error that may pass.
    private mutating func sendLater(
        _ reason: SetAsideChange.Reason, _ number: Int, at now: Int64, jitter: UInt64
    ) -> [Action] {
        let actions = refusedForNow(reason, number, at: now, jitter: jitter)
        if case .waiting(var marked, var pause)? = slots[number]?.state {
            (marked.mayBeDone, pause.next) = (false, nil)
            slots[number]?.state = .waiting(marked, pause)
        }
        return actions
    }

    /// Makes the request for the record wait and be repeated, because its answer may be out of date. Returns whether it is
    /// repeated.
    private mutating func askAgain(
        _ purpose: FetchPurpose, _ number: Int, _ marked: Slot.Marked, at now: Int64, once: Bool = false
    ) -> Bool {
        guard var slot = slots[number] else { return false }
        let isSingle = once || marked.mutation.condition != nil
        let waits = isSingle ? [Inbox.staleWait] : Self.staleWaits
        guard slot.staleCount < waits.count else {
            slots[number]?.staleCount = 0
            return false
        }
        slot.state = .waiting(marked, .init(until: now + waits[slot.staleCount], next: purpose))
        slot.staleCount += 1
        slots[number] = slot
        return true
    }
}

extension SetAsideChange.Reason {
    /// The record is in another state than the one from which the change started.
    fileprivate static let changed = SetAsideChange.Reason(
        "ConditionalCheckFailedException", "The record has changed on the server.")
}
