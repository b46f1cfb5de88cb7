internal import TidelogSchema

/// Waits after failures. A pause belongs to what failed: the server, a model or one mutation.
extension Outbox {
    /// The state of a model whose mutations fail one after the other.
    struct Trouble: Sendable {
        /// How many mutations of one model fail in a row before the model is in trouble. Fewer may fail for a reason of their
        /// own.
        static let recordCount = 4
        /// How many mutations of a model in trouble are marked before no further record is tried.
        static let slotCount = 32

        /// The records that failed since the last success of the model.
        var records: Set<RecordReference> = []
        /// The number of failures while the model is in trouble.
        var failures = 0
        /// The time of the next try. One mutation of the model is sent at a time.
        var nextProbe: Int64 = 0
        /// The records of the model that wait for their first try.
        var waiting: [RecordReference] = []
        /// The record that is tried next, before the mutations that failed already.
        var chosen: RecordReference?

        /// Whether the server fails for the whole model, as far as the outbox knows.
        var isWhole: Bool { records.count >= Self.recordCount }
    }

    /// Whether mutations of the model may not be sent now, because the model is in trouble.
    func mustPause(_ model: String, at now: Int64) -> Bool {
        guard let trouble = troubles[model], trouble.isWhole else { return false }
        return now < trouble.nextProbe || isProbing(model)
    }

    /// Whether a mutation of the model is on its way.
    func isProbing(_ model: String) -> Bool {
        slots.values.contains { $0.isBusy && $0.reference.model == model }
    }

    /// Chooses a record for the next try of each model in trouble, if the time has come.
    mutating func releaseProbes(at now: Int64) {
        for model in troubles.keys.sorted() {
            guard var trouble = troubles[model], trouble.chosen == nil, !trouble.waiting.isEmpty,
                !mustPause(model, at: now), hasRoomForProbes(model)
            else { continue }
            assert(trouble.isWhole, "records wait only for a model in trouble")
            let reference = trouble.waiting.removeFirst()
            trouble.chosen = reference
            troubles[model] = trouble
            isReady.remove(reference)
            makeReady(reference)
        }
    }

    /// Whether a record of the model may be tried that has not failed yet.
    func hasRoomForProbes(_ model: String) -> Bool {
        slots.values.count { $0.reference.model == model } < Trouble.slotCount
    }

    /// Makes a record wait until its model, which is in trouble, may be tried.
    mutating func hold(_ reference: RecordReference) {
        assert(troubles[reference.model] != nil, "a record waits for a model that fails")
        troubles[reference.model]?.waiting.append(reference)
        isReady.insert(reference)
    }

    // MARK: Successes

    /// The server decided about the mutation of a slot. The pauses of the server and of the model end.
    mutating func succeeded(_ number: Int, at now: Int64) {
        failures = 0
        guard let slot = slots[number] else { return }
        slots[number]?.failures = 0
        guard let trouble = troubles.removeValue(forKey: slot.reference.model) else { return }
        for reference in trouble.waiting {
            isReady.remove(reference)
            makeReady(reference)
        }
        guard trouble.isWhole else { return }
        // The other mutations of the model failed for the same reason, so they are tried at once. A mutation that fails again
        // fails alone, and keeps its own pause from then on.
        for (other, failed) in slots.numbered where failed.reference.model == slot.reference.model {
            guard !failed.failsAlone, failed.dueTime != nil, failed.tries != nil else { continue }
            slots[other]?.endPause(at: now)
            slots[other]?.failsAlone = true
        }
    }

    // MARK: Failures

    /// Handles a request without a usable answer. The request is repeated after a wait.
    mutating func failed(_ number: Int, retryAfter: Int64?, at now: Int64, jitter: UInt64) {
        guard var slot = slots[number] else { return }
        slot.failures += 1
        failures += 1
        let wait = max(
            options.backoff.wait(after: slot.failures, jitter: jitter), min(retryAfter ?? 0, options.backoff.maximum))
        slot.pause(until: now + wait)
        slots[number] = slot
        nextProbe = now + min(wait, options.backoff.wait(after: failures, jitter: jitter >> 8))
    }

    /// Handles an error of the server for one record that may pass. The mutation is repeated after a wait of its own. After a
    /// day and ten tries it is set aside.
    mutating func refusedForNow(
        _ reason: SetAsideChange.Reason, _ number: Int, at now: Int64, jitter: UInt64
    ) -> [Action] {
        guard var slot = slots[number] else { return [] }
        // The server answers, so its other requests need not wait.
        failures = 0
        let time = now + clockOffset
        var tries = slot.tries ?? FailedTries(first: slot.first, since: time, reason: reason)
        assert(tries.first == slot.first, "the tries are those of the mutation")
        tries.count += 1
        tries.reason = reason
        // The device's clock may have been set back.
        tries.since = min(tries.since, time)
        slot.tries = tries
        slot.pause(
            until: now + options.recordBackoff.wait(after: Int(tries.count), jitter: jitter), isAlone: true)
        slots[number] = slot
        note(slot.reference, at: now, jitter: jitter >> 8)
        let actions = [Action.noteTries(slot: number, slot.reference, tries)]
        guard tries.count >= options.triesLimit, time - tries.since >= options.triesTime else { return actions }
        switch slot.openPurpose {
        // The server may have made the mutation, although it never said so.
        case nil, .comparing?: return actions + [fetch(.setAside(reason), number, at: now)]
        // Even the question about the record failed for so long.
        case .refused(let first)?, .setAside(let first)?:
            return actions + [answer(.setAside(first, server: nil), number)]
        case .written?: return actions + [answer(.setAside(reason, server: nil), number)]
        }
    }

    /// Counts a failure of a record for its model.
    private mutating func note(_ reference: RecordReference, at now: Int64, jitter: UInt64) {
        var trouble = troubles[reference.model] ?? Trouble()
        trouble.records.insert(reference)
        if trouble.isWhole {
            trouble.failures += 1
            trouble.nextProbe = now + options.backoff.wait(after: trouble.failures, jitter: jitter)
        }
        troubles[reference.model] = trouble
    }

    // MARK: State

    /// Whether everything that is left to send waits because the server could not do it at several tries. A single run of a
    /// sync does not wait any longer for that.
    package var isStalled: Bool {
        guard isStarted, readyStart == ready.count, !slots.isEmpty else { return false }
        return slots.values.allSatisfy { slot in
            guard case .waiting(_, let pause) = slot.state, pause.isAlone, let tries = slot.tries else { return false }
            let isWhole = troubles[slot.reference.model].map { $0.isWhole && $0.failures >= Self.stalledTries } ?? false
            return isWhole || tries.count >= Self.stalledTries
        }
    }

    private static let stalledTries = 3

    /// The number of changes that the server could not make so far.
    package var failingCount: Int { slots.count - slots.freshCount }

    /// The latest error of each change that the server could not make so far, in the order of the changes.
    package var failingChanges: [(reference: RecordReference, tries: FailedTries)] {
        slots.values.compactMap { slot in slot.tries.map { (slot.reference, $0) } }.sorted {
            $0.tries.first < $1.tries.first
        }
    }
}
