internal import TidelogSchema

/// Handles the results of actions.
extension SyncMachine {
    mutating func handle(_ result: Result) {
        let now = now
        switch result {
        case .leaseTaken(let isTaken): leaseAnswered(isTaken: isTaken)
        case .opened(let contents): opened(contents)
        case .closed: closed()
        case .pendingCounted(let count, let oldest): notePending(count, oldest: oldest)
        case .setAsideCounted(let count): noteSetAside(count)
        case .logRead(let events): logRead(events)
        case .prepared(let rows): tellOutbox { $0.prepared(rows, at: now) }
        case .appended(let append, let reception): appended(append, reception)
        case .pushesReceived(let reception):
            for (model, reason) in reception.unstorable { tellInbox { $0.messageUnstorable(model, reason) } }
            received(reception)
            note(reception)
        case .pageReceived(let page, let reception):
            received(reception)
            note(reception, of: page.model)
            add(.tell(.notice(.received(model: page.model, count: page.records.count))))
            reachability.lastProgress = now
            let outcome = Inbox.PageOutcome(
                newCount: reception.recordCount, unstorable: reception.unstorable.map(\.reason),
                differing: reception.differing)
            tellInbox { $0.appended(page, outcome, at: now) }
        case .recordsReceived(let records, let reception):
            note(reception)
            reachability.lastProgress = now
            // An answer may be in doubt, so that its record must be asked for again.
            for record in records { tellInbox { $0.settled(record, at: now) } }
            received(reception)
        case .swept(let sweep, let sweeping):
            changeCounts[sweep.model, default: ChangeCounts()].deleted += sweeping.count
            reachability.lastProgress = now
            tellInbox { $0.swept(sweep, inDoubt: sweeping.inDoubt, of: sweeping.knownCount, at: now) }
        case .settled(let slot): tellOutbox { $0.settled(slot: slot, at: now) }
        // The queries of an API without versions are other ones.
        case .chosen(let chosen): if !chosen.hasVersions { add(lifecycle.restart(at: now)) }
        case .decided(let decision, let slot): tellOutbox { $0.resolved(decision, slot: slot, at: now) }
        }
    }

    private mutating func logRead(_ events: NewEvents) {
        guard !events.entries.isEmpty else { return }
        let now = now
        if events.concernsSetAside { setAsideCount = .stale }
        tellOutbox { $0.logged(events.entries, at: now) }
        noteEnqueued(events.changeCount, events.changes)
    }

    private mutating func appended(_ append: Append, _ reception: Reception) {
        assert(!append.isEmpty, "a write has something to write")
        let now = now
        received(reception)
        for answer in append.answers {
            guard let record = answer.outcome.record, let held = heldPushes[answer.reference] else { continue }
            // Without versions, only a push of the same state is known to be the echo of the change.
            let isEcho = syncProtocol.hasVersions ? held.version <= record.version : held.version == record.version
            if isEcho { heldPushes[answer.reference] = nil }
        }
        let slots = append.answers.map(\.slot)
        if !slots.isEmpty { tellOutbox { $0.answered(slots: slots, at: now) } }
        for model in Set(append.answers.compactMap(\.takenModel)).sorted() {
            tellInbox { $0.changeTaken(model, at: now) }
        }
        if !append.answers.isEmpty {
            note(append.answers)
            reachability.lastProgress = now
            add(.tell(.notice(.sent(count: append.answers.count))))
        }
        if !append.marks.isEmpty { tellOutbox { $0.marked(Array(append.marks.keys), at: now) } }
    }

    /// Notes what a write has found out about the server's records.
    private mutating func received(_ reception: Reception) {
        let now = now
        report.received += reception.recordCount
        for model in reception.modelsBehind.sorted() { tellInbox { $0.serverWentBack(model, at: now) } }
        if !reception.hints.isEmpty { tellInbox { $0.recordsHinted(reception.hints, at: now) } }
    }
}

extension Outbox.Answer {
    /// The model of the change, if the server took it.
    fileprivate var takenModel: String? { if case .taken = outcome { reference.model } else { nil } }
}
