internal import TidelogCore

/// Chooses the mutations to send next.
extension Outbox {
    mutating func makeReady(_ reference: RecordReference) {
        guard slotOfRecord[reference] == nil, pending.held(reference) == nil,
            !pending.changes(of: reference).isEmpty, isReady.insert(reference).inserted
        else { return }
        ready.append(reference)
    }

    /// Makes the records ready that waited until `parent` is created.
    mutating func unblock(_ parent: RecordReference) {
        guard !pending.awaitsCreation(parent), let children = blocked.removeValue(forKey: parent) else { return }
        for child in children { makeReady(child) }
    }

    /// Starts as many mutations as may be sent now.
    mutating func pump(at now: Int64) -> [Action] {
        guard isStarted else { return [] }
        var actions: [Action] = []
        if isOnline, hasSession {
            releaseProbes(at: now)
            // After a failure, only one request at a time tests whether the server answers again.
            let limit = failures == 0 ? options.maximumInFlight : now >= nextProbe ? 1 : 0
            var busy = slots.values.count { $0.isBusy }
            var due = dueSlots(at: now)
            while busy < limit, let action = startNext(&due, at: now) {
                actions.append(action)
                busy += 1
            }
            if failures == 0, busy >= limit { actions += markAhead(at: now) }
        }
        if pending.count == 0, slots.isEmpty, pending.head.sequence.value - advanced.value >= options.advanceDistance {
            advanced = pending.head.sequence
            actions.append(.advance(to: pending.head))
        }
        return actions
    }

    /// Prepares mutations that are marked in the log before there is room for them in flight.
    private mutating func markAhead(at now: Int64) -> [Action] {
        var aheadCount = slots.values.count { $0.waitsForRoom }
        // New marks are only written when few are left, so that one write contains many marks.
        guard aheadCount <= options.maximumAhead / 4 else { return [] }
        var actions: [Action] = []
        while aheadCount < options.maximumAhead, freshCount < options.maximumMarked, let reference = nextReady(at: now),
            let action = begin(reference, isAhead: true, at: now)
        {
            actions.append(action)
            aheadCount += 1
        }
        return actions
    }

    /// How many mutations are marked that did not fail so far. Failing ones must not take the place of others.
    private var freshCount: Int { slots.values.count { $0.tries == nil } }

    /// The slots whose waits are over, in the order in which they are tried.
    private func dueSlots(at now: Int64) -> [Int] {
        slots.filter { $0.value.isDue(at: now) }
            .sorted { ($0.value.lastTry, $0.key) < ($1.value.lastTry, $1.key) }.map(\.key)
    }

    /// Starts the next mutation. If it is one of the slots in `due`, it is removed there.
    private mutating func startNext(_ due: inout [Int], at now: Int64) -> Action? {
        let index = due.firstIndex { number in slots[number].map { !mustWait($0, at: now) } ?? false }
        // While the server does not answer, the mutation whose last try is the oldest goes first.
        if let index, let slot = slots[due[index]],
            failures == 0 || readyStart >= ready.count || slot.lastTry < lastProbe
        {
            return resume(due.remove(at: index), at: now)
        }
        if freshCount < options.maximumMarked, let reference = nextReady(at: now) { return begin(reference, at: now) }
        return index.flatMap { resume(due.remove(at: $0), at: now) }
    }

    /// The time of the last try among all mutations.
    private var lastProbe: Int64 { slots.values.map(\.lastTry).max() ?? 0 }

    /// Whether a mutation that failed must wait for its model, although its own pause is over.
    private func mustWait(_ slot: Slot, at now: Int64) -> Bool {
        let model = slot.reference.model
        return troubles[model]?.chosen != nil || mustPause(model, at: now)
    }

    /// The next record with a change that may be sent.
    private mutating func nextReady(at now: Int64) -> RecordReference? {
        while readyStart < ready.count {
            let reference = ready[readyStart]
            readyStart += 1
            if readyStart > 1_024, readyStart > ready.count / 2 {
                ready.removeFirst(readyStart)
                readyStart = 0
            }
            isReady.remove(reference)
            if troubles[reference.model]?.chosen == reference { troubles[reference.model]?.chosen = nil }
            guard slotOfRecord[reference] == nil, pending.held(reference) == nil,
                let last = pending.changes(of: reference).last
            else { continue }
            if let parent = last.parents.first(where: { mustWait(reference, for: $0) }) {
                blocked[parent, default: []].append(reference)
                continue
            }
            if mustPause(reference.model, at: now) {
                hold(reference)
                continue
            }
            return reference
        }
        return nil
    }

    /// Whether `child` must wait until `parent` is created. Records that form a cycle do not wait for each other.
    private func mustWait(_ child: RecordReference, for parent: RecordReference) -> Bool {
        guard parent != child, pending.awaitsCreation(parent) else { return false }
        var seen: Set<RecordReference> = [parent]
        var unvisited = [parent]
        while let next = unvisited.popLast() {
            for ancestor in pending.changes(of: next).last?.parents ?? [] where pending.awaitsCreation(ancestor) {
                if ancestor == child { return false }
                if seen.insert(ancestor).inserted { unvisited.append(ancestor) }
            }
        }
        return true
    }

    private mutating func begin(
        _ reference: RecordReference, isAhead: Bool = false, at now: Int64
    ) -> Action? {
        let changes = pending.changes(of: reference)
        guard let first = changes.first else { return nil }
        let fold = Fold(next: changes[...], state: nil)
        let number = (0...).first { slots[$0] == nil } ?? slots.count
        slots[number] = Slot(
            reference: reference, first: first.sequence, last: fold.last, previous: first.previous, mayBeDone: false,
            lastTry: now, isAhead: isAhead)
        slotOfRecord[reference] = number
        return .prepare(Preparation(slot: number, reference: reference, last: fold.last))
    }

    private mutating func resume(_ number: Int, at now: Int64) -> Action? {
        guard var slot = slots[number] else { return nil }
        slot.lastTry = now
        guard let mutation = slot.mutation else {
            slot.phase = .preparing
            slots[number] = slot
            return .prepare(Preparation(slot: number, reference: slot.reference, last: slot.last))
        }
        slots[number] = slot
        return send(mutation, number, at: now)
    }

    /// Continues with the data that the shell read. The mutations are made and marked, or sent again.
    package mutating func prepared(_ rows: [PreparedRow], at now: Int64) -> [Action] {
        var marks: [Int: SentMark] = [:]
        var actions: [Action] = []
        for prepared in rows {
            guard var slot = slots[prepared.slot], case .preparing = slot.phase else { continue }
            let changes = pending.changes(of: slot.reference).prefix { $0.sequence <= slot.last }
            guard !changes.isEmpty, let model = models[slot.reference.model] else {
                // The server's record replaced the row in between.
                free(prepared.slot)
                continue
            }
            let state = prepared.state
            var fold = Fold(changes, state: state)
            if let mark = slot.mark { fold.kind = mark.kind }
            let base = slot.mark.map { $0.baseVersion } ?? Self.base(of: state)
            if fold.kind == .create { fold.fields = .all }
            guard var mutation = OutgoingMutation(fold, row: prepared.row, model: model, baseVersion: base) else {
                slot.phase = .settling
                slots[prepared.slot] = slot
                actions.append(.settle(slot.reference, through: slot.last, slot: prepared.slot))
                continue
            }
            if let mark = slot.mark {
                mutation.distinction = mark.distinction
                if let fields = mark.fields { mutation.fields = fields }
            }
            slot.mutation = mutation
            if slot.mark == nil {
                let mark = SentMark(
                    first: slot.first, last: slot.last, kind: mutation.kind, baseVersion: mutation.baseVersion,
                    distinction: mutation.distinction)
                (slot.mark, slot.phase) = (mark, .marking)
                marks[prepared.slot] = mark
                slots[prepared.slot] = slot
            } else {
                slots[prepared.slot] = slot
                actions.append(send(mutation, prepared.slot, at: now))
            }
        }
        if !marks.isEmpty { actions.append(.mark(marks)) }
        return actions + pump(at: now)
    }

    /// The version that the oldest pending change started from.
    private static func base(of state: ServerState?) -> UInt64? {
        let version = state.flatMap { $0.baseVersion ?? $0.version }
        return version == 0 ? nil : version
    }

    /// Tells the outbox that the marks of these slots are in the log.
    package mutating func marked(_ numbers: [Int], at now: Int64) -> [Action] {
        var actions: [Action] = []
        for number in numbers.sorted() {
            guard let slot = slots[number], case .marking = slot.phase, let mutation = slot.mutation else { continue }
            if slot.isAhead {
                slots[number]?.isAhead = false
                slots[number]?.phase = .waiting(until: now)
            } else {
                actions.append(send(mutation, number, at: now))
            }
        }
        return actions + pump(at: now)
    }

    private mutating func send(_ mutation: OutgoingMutation, _ number: Int, at now: Int64) -> Action {
        guard var slot = slots[number] else { preconditionFailure("a slot with a mutation is sent") }
        assert(slot.mark != nil, "a mutation is marked before it goes out")
        slot.requests += 1
        let ticket = Ticket(slot: number, mutation: mutation.id, request: slot.requests)
        let mustCompare = slot.mayBeDone && !options.serverKnowsIDs
        if let purpose = slot.fetchNext ?? (mustCompare ? .comparing : nil) {
            slot.phase = .fetching(purpose, deadline: now + options.timeLimit)
            slots[number] = slot
            return .fetch(slot.reference, ticket)
        }
        slot.phase = .sent(deadline: now + options.timeLimit)
        (slot.isRepeated, slot.mayBeDone) = (slot.mayBeDone, true)
        slots[number] = slot
        return .send(mutation, ticket)
    }

    /// Frees a slot. Its record may have more changes to send.
    mutating func free(_ number: Int) {
        guard let slot = slots.removeValue(forKey: number) else { return }
        slotOfRecord[slot.reference] = nil
        makeReady(slot.reference)
        unblock(slot.reference)
    }
}

extension Outbox.Slot {
    /// Whether the slot counts as in flight.
    var isBusy: Bool {
        switch phase {
        // A mutation with a response gives its place to the next mutation while the response is appended.
        case .waiting, .answering: false
        case .preparing, .marking: !isAhead
        case .resolving, .settling, .sent, .fetching: true
        }
    }

    /// Whether the slot waits for a place in flight, or will do so when it is marked.
    var waitsForRoom: Bool {
        switch phase {
        case .waiting: tries == nil
        case .preparing, .marking: isAhead
        case .resolving, .settling, .sent, .fetching, .answering: false
        }
    }

    fileprivate func isDue(at now: Int64) -> Bool {
        if case .waiting(let until) = phase { until <= now } else { false }
    }
}
