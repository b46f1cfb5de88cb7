internal import TidelogSchema

/// Handles responses and failures.
extension Outbox {
    /// Handles the server's answers to the mutations of one request. A request without a usable answer is one failure of the
    /// server, however many mutations it had.
    package mutating func responsesReceived(
        _ responses: [MutationResponse], to tickets: [Ticket], at now: Int64, jitter: UInt64
    ) -> [Action] {
        precondition(responses.count == tickets.count, "each mutation of a request has an answer")
        var actions: [Action] = []
        let former = failures
        for (index, (response, ticket)) in zip(responses, tickets).enumerated() {
            // Mutations of one request do not all wait for the same time.
            actions += judge(response, to: ticket, at: now, jitter: jitter &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
            failures = min(failures, former + 1)
        }
        return actions + pump(at: now)
    }

    private mutating func judge(
        _ response: MutationResponse, to ticket: Ticket, at now: Int64, jitter: UInt64
    ) -> [Action] {
        guard let slot = slots[ticket.slot], let mutation = slot.marked?.mutation, mutation.id == ticket.mutation else {
            return []
        }
        if case .written(let record) = response {
            // This is true even if the response belongs to an earlier request.
            switch slot.state {
            case .waiting, .sent, .fetching:
                succeeded(ticket.slot, at: now)
                if mustRead(record, slot) { return [fetch(.written, ticket.slot, at: now)] }
                return [written(record, ticket.slot, mutation)]
            case .remembered, .preparing, .marking, .resolving, .answering, .settling: return []
            }
        }
        guard slot.requests == ticket.request, case .sent(_, _, let isRepeated) = slot.state else { return [] }
        switch response {
        case .written: return []
        case .refused(let errorType, let message, let record):
            let reason = SetAsideChange.Reason(errorType, message)
            let refusal = reason.refusal
            guard refusal != .temporary else {
                return refusedForNow(reason, ticket.slot, at: now, jitter: jitter)
            }
            succeeded(ticket.slot, at: now)
            switch refusal {
            case .incomplete: return [fetch(.written, ticket.slot, at: now)]
            case .conflict where record != nil: return [refused(reason, record, ticket.slot, mutation)]
            case .conflict, .condition: return [fetch(.refused(reason), ticket.slot, at: now)]
            case .final where isAmbiguous(reason, mutation): return [fetch(.setAside(reason), ticket.slot, at: now)]
            case .idTaken: return [renamed(reason, ticket.slot, by: jitter, at: now)]
            // The response to an earlier request was lost. It may have said that the change was written.
            case .final where isRepeated: return [fetch(.setAside(reason), ticket.slot, at: now)]
            case .final, .temporary: return [answer(.setAside(reason, server: record), ticket.slot)]
            }
        case .failed(let retryAfter):
            failed(ticket.slot, retryAfter: retryAfter, at: now, jitter: jitter)
            return []
        case .unauthenticated: return loseSession(ticket.slot, at: now)
        }
    }

    /// Handles the server's answer to the request for a record.
    package mutating func fetched(
        _ response: FetchResponse, for ticket: Ticket, at now: Int64, jitter: UInt64
    ) -> [Action] {
        guard let slot = slots[ticket.slot], slot.requests == ticket.request,
            case .fetching(let marked, let purpose, _) = slot.state, marked.mutation.id == ticket.mutation
        else { return [] }
        switch response {
        case .record(let record):
            // The pauses of other mutations continue, because a server that shows a record may still fail to change records.
            let actions =
                options.hasVersions
                ? fetched(record, purpose, ticket.slot, marked, at: now)
                : compared(record, purpose, ticket.slot, marked, at: now, jitter: jitter)
            return actions + pump(at: now)
        case .refused(let errorType, let message):
            var reason = SetAsideChange.Reason(errorType, message)
            guard reason.refusal != .temporary else {
                return refusedForNow(reason, ticket.slot, at: now, jitter: jitter) + pump(at: now)
            }
            switch purpose {
            case .refused(let first), .setAside(let first): reason = first
            case .comparing, .written: break
            }
            return [answer(.setAside(reason, server: nil), ticket.slot)] + pump(at: now)
        case .failed(let retryAfter):
            failed(ticket.slot, retryAfter: retryAfter, at: now, jitter: jitter)
            return pump(at: now)
        case .unauthenticated: return loseSession(ticket.slot, at: now)
        }
    }

    private mutating func fetched(
        _ record: ServerRecord?, _ purpose: FetchPurpose, _ number: Int, _ marked: Slot.Marked, at now: Int64
    ) -> [Action] {
        switch purpose {
        case .written: return [written(record, number, marked.mutation)]
        case .comparing:
            if SyncConflict.isDone(marked.mutation, by: record) { return [answer(.taken(record), number)] }
            var marked = marked
            marked.mayBeDone = false
            slots[number]?.state = .waiting(marked, .init(until: now))
            return []
        case .refused(let reason): return [refused(reason, record, number, marked.mutation)]
        case .setAside(let reason):
            let isDone = SyncConflict.isDone(marked.mutation, by: record)
            return [answer(isDone ? .taken(record) : .setAside(reason, server: record), number)]
        }
    }

    // MARK: Decisions

    mutating func written(_ record: ServerRecord?, _ number: Int, _ mutation: OutgoingMutation) -> Action {
        let isLost = (record?.isDeleted ?? true) && !deletes(mutation)
        return answer(isLost ? .replaced(.recordDeleted, by: record) : .taken(record), number)
    }

    /// Handles a refusal because of the server's record, which is `record`. `nil` means that the server has none.
    private mutating func refused(
        _ reason: SetAsideChange.Reason, _ record: ServerRecord?, _ number: Int, _ mutation: OutgoingMutation
    ) -> Action {
        guard let record, !record.isDeleted else { return written(record, number, mutation) }
        if mutation.condition != nil, reason.refusal == .condition {
            return answer(.replaced(reason, by: record), number)
        }
        if SyncConflict.isDone(mutation, by: record) { return answer(.taken(record), number) }
        return resolve(reason, record, number, mutation)
    }

    /// Lets the conflict with the server's record be decided, unless it was decided too often.
    mutating func resolve(
        _ reason: SetAsideChange.Reason, _ record: ServerRecord, _ number: Int, _ mutation: OutgoingMutation
    ) -> Action {
        guard let slot = slots[number], let marked = slot.marked else {
            preconditionFailure("a refused mutation was marked")
        }
        let round = Int(marked.mark.attempt)
        assert(record.reference == mutation.reference, "the server answered with the record of the mutation")
        guard round <= options.roundLimit else { return answer(.setAside(reason, server: record), number) }
        slots[number]?.state = .resolving(marked, record)
        return .resolve(
            SyncConflict(local: mutation, remote: record, base: slot.previous, round: round), slot: number)
    }

    /// Gives the mutation a new id, because the server knows its id with another content.
    ///
    /// The first content of a mutation has an id of its own, so another copy of this store used the id. The content after a
    /// conflict has the id of the first content. The server may then have written an earlier try of this device, so the record
    /// is requested, and the conflict is decided again.
    private mutating func renamed(
        _ reason: SetAsideChange.Reason, _ number: Int, by random: UInt64, at now: Int64
    ) -> Action {
        guard var slot = slots[number], case .sent(var marked, let deadline, let isRepeated) = slot.state else {
            preconditionFailure("the server answered a mutation that was sent")
        }
        (marked.mark.distinction, marked.mutation.distinction) = (random, random)
        guard marked.mark.attempt == 1 else {
            slot.state = .sent(marked, deadline: deadline, isRepeated: isRepeated)
            slots[number] = slot
            return fetch(.refused(reason), number, at: now)
        }
        marked.mayBeDone = false
        slots[number]?.state = .marking(marked, isAhead: false)
        return .mark([number: marked.mark])
    }

    /// Continues after a conflict was resolved.
    package mutating func resolved(_ decision: SyncConflict.Decision, slot number: Int, at now: Int64) -> [Action] {
        guard case .resolving(var marked, let remote)? = slots[number]?.state else { return [] }
        switch decision {
        case .applyRemote: return [answer(.yielded(to: remote), number)] + pump(at: now)
        case .retryLocal:
            if marked.mutation.kind == .create {
                marked.mutation.kind = .update
                // A creation leaves out null. The update must have the same fields when it is sent again after a crash.
                marked.mark.fields = marked.mutation.fields
            }
        case .retry(let fields):
            marked.mutation.kind = .update
            marked.mutation.fields = fields
            marked.mark.fields = fields
        }
        assert(remote.row != nil, "a deleted record leaves nothing to decide")
        marked.mutation.baseVersion = remote.version
        if !options.hasVersions { renew(&marked, from: remote) }
        marked.mark.attempt += 1
        (marked.mark.kind, marked.mark.baseVersion) = (marked.mutation.kind, marked.mutation.baseVersion)
        // The server refused the earlier mutation, so it was not performed.
        marked.mayBeDone = false
        slots[number]?.state = .marking(marked, isAhead: false)
        return [.mark([number: marked.mark])]
    }

    /// Whether the mutation deletes the record, or sets the mark of a deletion as an app may do itself.
    private func deletes(_ mutation: OutgoingMutation) -> Bool {
        guard mutation.kind != .delete else { return true }
        let isMarking = !options.hasVersions && models[mutation.reference.model]?.marksDeletions ?? false
        return isMarking && mutation.fields[RecordStamp.deletionField] ?? nil != nil
    }

    mutating func answer(_ outcome: Answer.Outcome, _ number: Int) -> Action {
        guard let slot = slots[number], let marked = slot.marked else {
            preconditionFailure("an answered mutation was marked")
        }
        if case .answering = slot.state { assertionFailure("a mutation is answered once") }
        if !options.hasVersions { stamps[slot.reference] = outcome.record.flatMap { stamp(of: $0) } }
        slots[number]?.state = .answering(marked)
        return .answer(
            Answer(
                slot: number, reference: slot.reference, mutation: marked.mutation, mark: marked.mark,
                tries: slot.tries, outcome: outcome))
    }

    mutating func fetch(_ purpose: FetchPurpose, _ number: Int, at now: Int64) -> Action {
        guard var slot = slots[number], let marked = slot.marked else {
            preconditionFailure("the record of a marked mutation is requested")
        }
        slot.requests += 1
        slot.state = .fetching(marked, purpose, deadline: now + options.timeLimit)
        slots[number] = slot
        return .fetch(slot.reference, Ticket(slot: number, mutation: marked.mutation.id, request: slot.requests))
    }

    // MARK: Ends

    /// Tells the outbox that answers are in the log, and that their events were read.
    package mutating func answered(slots numbers: [Int], at now: Int64) -> [Action] {
        for number in numbers {
            guard let slot = slots[number], case .answering = slot.state else { continue }
            if pending.changes(of: slot.reference).isEmpty { stamps[slot.reference] = nil }
            assert(
                pending.changes(of: slot.reference).first.map { $0.sequence > slot.last } ?? true, "the log was read")
            free(number)
        }
        return pump(at: now)
    }

    /// Tells the outbox that changes which cancel each other out were settled.
    package mutating func settled(slot number: Int, at now: Int64) -> [Action] {
        guard let slot = slots[number], case .settling = slot.state else { return [] }
        assert(slot.tries == nil, "changes that cancel each other out are never sent")
        pending.answer(slot.reference, through: slot.last)
        free(number)
        return pump(at: now)
    }

    // MARK: Failures

    private mutating func loseSession(_ number: Int, at now: Int64) -> [Action] {
        slots[number]?.pause(until: now)
        let isNew = hasSession
        hasSession = false
        return isNew ? [.refreshSession] : []
    }
}

extension SetAsideChange.Reason {
    /// The meaning of the error.
    package var refusal: Refusal { Refusal(errorType: errorType, message: message) }

    /// The record is deleted on the server.
    package static let recordDeleted = SetAsideChange.Reason("RecordDeleted", "The record is deleted on the server.")
}
