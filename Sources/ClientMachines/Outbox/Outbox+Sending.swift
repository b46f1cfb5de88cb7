internal import TidelogSchema

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
        assert(!children.isEmpty, "a parent is noted for the children that wait for it")
        for child in children { makeReady(child) }
    }

    /// Starts as many mutations as may be sent now.
    mutating func pump(at now: Int64) -> [Action] {
        guard isStarted else { return [] }
        var actions: [Action] = []
        if isOnline, hasSession {
            releaseProbes(at: now)
            let limit = self.limit(at: now)
            if slots.busyCount < limit {
                var due = slots.due(at: now)
                while slots.busyCount < limit, let action = startNext(&due, at: now) { actions.append(action) }
            }
            if failures == 0, slots.busyCount >= options.maximumInFlight { actions += markAhead(at: now) }
            isBeginHeld = now < nextBegin && readyStart < ready.count
            // After the first mutations, more are begun without a pause.
            let areFirst = limit == options.firstInFlight && slots.busyCount >= limit
            if !isBeginHeld, !areFirst, actions.contains(where: \.isBegin) { nextBegin = now + options.beginInterval }
        }
        if pending.count == 0, slots.isEmpty, pending.head.sequence.value - advanced.value >= options.advanceDistance {
            advanced = pending.head.sequence
            actions.append(.advance(to: pending.head))
        }
        return actions
    }

    /// How many mutations may be in flight now.
    private func limit(at now: Int64) -> Int {
        // After a failure, only one request at a time tests whether the server answers again.
        guard failures == 0 else { return now >= nextProbe ? 1 : 0 }
        // The server works on the first mutations while later ones are prepared.
        return slots.inFlightCount == 0 ? options.firstInFlight : options.maximumInFlight
    }

    /// Prepares mutations that are marked in the log before there is room for them in flight.
    private mutating func markAhead(at now: Int64) -> [Action] {
        // New marks are only written when few are left, so that one write contains many marks.
        guard now >= nextBegin, slots.aheadCount <= options.maximumAhead / 4 else { return [] }
        var actions: [Action] = []
        while slots.aheadCount < options.maximumAhead, slots.freshCount < options.maximumMarked,
            let reference = nextReady(at: now), let action = begin(reference, isAhead: true, at: now)
        {
            actions.append(action)
        }
        return actions
    }

    /// Starts the next mutation. If it is one of the slots in `due`, it is removed there.
    private mutating func startNext(_ due: inout [Int], at now: Int64) -> Action? {
        let index = due.firstIndex { number in slots[number].map { !mustWait($0, at: now) } ?? false }
        // While the server does not answer, the mutation whose last try is the oldest goes first.
        if let index, let slot = slots[due[index]],
            failures == 0 || readyStart >= ready.count || slot.lastTry < slots.lastTry
        {
            return resume(due.remove(at: index), at: now)
        }
        // Failing mutations must not take the place of others, so they do not count.
        if now >= nextBegin, slots.freshCount < options.maximumMarked, let reference = nextReady(at: now) {
            return begin(reference, at: now)
        }
        return index.flatMap { resume(due.remove(at: $0), at: now) }
    }

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
            assert(readyStart <= ready.count, "the records that were taken are in front")
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
        assert(slotOfRecord[reference] == nil, "a record has one mutation at a time")
        assert(pending.held(reference) == nil, "a set-aside change waits for a decision")
        let fold = Fold(next: changes[...], state: nil)
        let number = slots.add(
            Slot(
                reference: reference, first: first.sequence, last: fold.last, previous: first.previous,
                state: .preparing(nil, isAhead: isAhead), lastTry: now))
        slotOfRecord[reference] = number
        return .prepare(Preparation(slot: number, reference: reference, last: fold.last))
    }

    private mutating func resume(_ number: Int, at now: Int64) -> Action? {
        guard var slot = slots[number] else { return nil }
        slot.lastTry = now
        if case .remembered(let mark) = slot.state {
            slot.state = .preparing(mark, isAhead: false)
            slots[number] = slot
            return .prepare(Preparation(slot: number, reference: slot.reference, last: slot.last))
        }
        slots[number] = slot
        return send(number, at: now)
    }

    /// Continues with the data that the shell read. The mutations are made and marked, or sent again.
    package mutating func prepared(_ rows: [PreparedRow], at now: Int64) -> [Action] {
        var marks: [Int: SentMark] = [:]
        var actions: [Action] = []
        for prepared in rows {
            guard var slot = slots[prepared.slot], case .preparing(let mark, let isAhead) = slot.state else { continue }
            let changes = pending.changes(of: slot.reference).prefix { $0.sequence <= slot.last }
            guard !changes.isEmpty, let model = models[slot.reference.model] else {
                // The server's record replaced the row in between.
                free(prepared.slot)
                continue
            }
            guard var mutation = mutation(of: changes, mark, prepared, model) else {
                slots[prepared.slot]?.state = .settling
                actions.append(.settle(slot.reference, through: slot.last, slot: prepared.slot))
                continue
            }
            assert(mutation.reference == slot.reference, "a mutation is about the record of its slot")
            assert(mutation.id.sequence == slot.last, "a mutation is named after its last event")
            if let fields = mark?.fields { mutation.fields = fields }
            if !options.hasVersions {
                stamp(&mutation, prepared.row, model, madeAt: changes.last?.madeAt ?? 0)
                slot.deletedVersion = prepared.state.flatMap { $0.isDeleted ? $0.version : nil }
            }
            if let mark {
                mutation.distinction = mark.distinction
                slot.state = .waiting(.init(mutation: mutation, mark: mark, mayBeDone: true), .init(until: now))
                slots[prepared.slot] = slot
                actions.append(send(prepared.slot, at: now))
            } else {
                let mark = SentMark(
                    first: slot.first, last: slot.last, kind: mutation.kind, baseVersion: mutation.baseVersion,
                    distinction: mutation.distinction)
                slot.state = .marking(.init(mutation: mutation, mark: mark), isAhead: isAhead)
                marks[prepared.slot] = mark
                slots[prepared.slot] = slot
            }
        }
        if !marks.isEmpty { actions.append(.mark(marks)) }
        return actions + pump(at: now)
    }

    /// Makes the mutation of `changes`, as its mark says if it has one; `nil` if the changes cancel each other out.
    private func mutation(
        of changes: ArraySlice<PendingChange>, _ mark: SentMark?, _ prepared: PreparedRow, _ model: SyncModels.Model
    ) -> OutgoingMutation? {
        var fold = Fold(changes, state: prepared.state)
        if let mark { fold.kind = mark.kind }
        if fold.kind == .create { fold.fields = .all }
        let base = mark.map { $0.baseVersion } ?? Self.base(of: prepared.state)
        return OutgoingMutation(fold, row: prepared.row, model: model, baseVersion: base)
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
            guard case .marking(let marked, let isAhead)? = slots[number]?.state else { continue }
            slots[number]?.state = .waiting(marked, .init(until: now))
            if !isAhead { actions.append(send(number, at: now)) }
        }
        return actions + pump(at: now)
    }

    /// Sends a waiting mutation, or the request for its record that must come first.
    private mutating func send(_ number: Int, at now: Int64) -> Action {
        guard var slot = slots[number], case .waiting(var marked, let pause) = slot.state else {
            preconditionFailure("a mutation waits until it is sent")
        }
        slot.requests += 1
        let ticket = Ticket(slot: number, mutation: marked.mutation.id, request: slot.requests)
        let lacksStamp = !options.hasVersions && marked.mutation.kind != .create && marked.mutation.stamp == nil
        let mustCompare = marked.mayBeDone && !options.serverKnowsIDs || lacksStamp
        if let purpose = pause.next ?? (mustCompare ? .comparing : nil) {
            slot.state = .fetching(marked, purpose, deadline: now + options.timeLimit)
            slots[number] = slot
            return .fetch(slot.reference, ticket)
        }
        let isRepeated = marked.mayBeDone
        marked.mayBeDone = true
        slot.state = .sent(marked, deadline: now + options.timeLimit, isRepeated: isRepeated)
        slots[number] = slot
        return .send(marked.mutation, ticket)
    }

    /// Frees a slot. Its record may have more changes to send.
    mutating func free(_ number: Int) {
        guard let slot = slots.remove(number) else { return }
        assert(slotOfRecord[slot.reference] == number, "a slot belongs to one record")
        slotOfRecord[slot.reference] = nil
        makeReady(slot.reference)
        unblock(slot.reference)
    }
}
