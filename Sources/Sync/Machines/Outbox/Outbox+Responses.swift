internal import TidelogCore

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
        guard let slot = slots[ticket.slot], let mutation = slot.mutation, mutation.id == ticket.mutation else {
            return []
        }
        switch slot.phase {
        // If the response says that the change was written, this is true even if the response belongs to an earlier request.
        case .waiting, .sent, .fetching:
            if case .written = response { break }
            guard case .sent = slot.phase, slot.requests == ticket.request else { return [] }
        case .preparing, .marking, .resolving, .answering, .settling: return []
        }
        switch response {
        case .written(let record):
            succeeded(ticket.slot, at: now)
            return written(record, ticket.slot, mutation)
        case .refused(let errorType, let message, let record):
            let reason = SetAsideChange.Reason(errorType, message)
            let refusal = Refusal(errorType: errorType, message: message)
            switch refusal {
            case .temporary: return refusedForNow(reason, ticket.slot, at: now, jitter: jitter)
            case .incomplete:
                succeeded(ticket.slot, at: now)
                return [fetch(.written, ticket.slot, at: now)].compactMap { $0 }
            case .conflict, .condition:
                succeeded(ticket.slot, at: now)
                if let record, refusal == .conflict {
                    return refused(reason, record, ticket.slot, mutation)
                }
                return [fetch(.refused(reason), ticket.slot, at: now)].compactMap { $0 }
            case .idTaken:
                succeeded(ticket.slot, at: now)
                return renamed(reason, ticket.slot, mutation, by: jitter, at: now)
            case .final:
                succeeded(ticket.slot, at: now)
                if slot.isRepeated {
                    // The response to an earlier request was lost. It may have said that the change was written.
                    return [fetch(.setAside(reason), ticket.slot, at: now)].compactMap { $0 }
                }
                return [answer(.setAside(reason, server: record), ticket.slot, mutation)]
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
        guard let slot = slots[ticket.slot], let mutation = slot.mutation, mutation.id == ticket.mutation,
            slot.requests == ticket.request, case .fetching(let purpose, _) = slot.phase
        else { return [] }
        switch response {
        case .record(let record):
            // The pause of the mutation continues, because a server that shows the record may still fail to change it.
            return fetched(record, purpose, ticket.slot, mutation, at: now) + pump(at: now)
        case .refused(let errorType, let message):
            var reason = SetAsideChange.Reason(errorType, message)
            guard reason.refusal != .temporary else {
                return refusedForNow(reason, ticket.slot, at: now, jitter: jitter) + pump(at: now)
            }
            switch purpose {
            case .refused(let first), .setAside(let first): reason = first
            case .comparing, .written: break
            }
            return [answer(.setAside(reason, server: nil), ticket.slot, mutation)] + pump(at: now)
        case .failed(let retryAfter):
            slots[ticket.slot]?.fetchNext = purpose == .comparing ? nil : purpose
            failed(ticket.slot, retryAfter: retryAfter, at: now, jitter: jitter)
            return pump(at: now)
        case .unauthenticated:
            slots[ticket.slot]?.fetchNext = purpose == .comparing ? nil : purpose
            return loseSession(ticket.slot, at: now)
        }
    }

    private mutating func fetched(
        _ record: ServerRecord?, _ purpose: FetchPurpose, _ number: Int, _ mutation: OutgoingMutation, at now: Int64
    ) -> [Action] {
        slots[number]?.fetchNext = nil
        switch purpose {
        case .written: return written(record, number, mutation)
        case .comparing:
            if SyncConflict.isDone(mutation, by: record) { return [answer(.taken(record), number, mutation)] }
            slots[number]?.mayBeDone = false
            slots[number]?.phase = .waiting(until: now)
            return []
        case .refused(let reason): return refused(reason, record, number, mutation)
        case .setAside(let reason):
            let isDone = SyncConflict.isDone(mutation, by: record)
            return [answer(isDone ? .taken(record) : .setAside(reason, server: record), number, mutation)]
        }
    }

    // MARK: Decisions

    private mutating func written(
        _ record: ServerRecord?, _ number: Int, _ mutation: OutgoingMutation
    ) -> [Action] {
        guard record?.isDeleted ?? true, mutation.kind != .delete else {
            return [answer(.taken(record), number, mutation)]
        }
        return [answer(.replaced(.recordDeleted, by: record), number, mutation)]
    }

    /// Handles a refusal because of the server's record, which is `record`. `nil` means that the server has none.
    private mutating func refused(
        _ reason: SetAsideChange.Reason, _ record: ServerRecord?, _ number: Int, _ mutation: OutgoingMutation
    ) -> [Action] {
        guard let record, !record.isDeleted else { return written(record, number, mutation) }
        if mutation.condition != nil, reason.refusal == .condition {
            return [answer(.replaced(reason, by: record), number, mutation)]
        }
        if SyncConflict.isDone(mutation, by: record) { return [answer(.taken(record), number, mutation)] }
        guard var slot = slots[number], let mark = slot.mark else {
            preconditionFailure("a slot that was sent has a mark")
        }
        guard Int(mark.attempt) <= options.roundLimit else {
            return [answer(.setAside(reason, server: record), number, mutation)]
        }
        (slot.conflicting, slot.phase) = (record, .resolving)
        slots[number] = slot
        let conflict = SyncConflict(local: mutation, remote: record, base: slot.previous, round: Int(mark.attempt))
        return [.resolve(conflict, slot: number)]
    }

    /// Gives the mutation a new id, because the server knows its id with another content.
    ///
    /// The first content of a mutation has an id of its own, so another copy of this store used the id. The content after a
    /// conflict has the id of the first content. The server may then have written an earlier try of this device, so the record
    /// is requested, and the conflict is decided again.
    private mutating func renamed(
        _ reason: SetAsideChange.Reason, _ number: Int, _ mutation: OutgoingMutation, by random: UInt64, at now: Int64
    ) -> [Action] {
        guard var slot = slots[number], var mark = slot.mark else { preconditionFailure("a mutation was marked") }
        var mutation = mutation
        (mark.distinction, mutation.distinction) = (random, random)
        (slot.mark, slot.mutation) = (mark, mutation)
        guard mark.attempt == 1 else {
            slots[number] = slot
            return [fetch(.refused(reason), number, at: now)].compactMap { $0 }
        }
        (slot.phase, slot.mayBeDone) = (.marking, false)
        slots[number] = slot
        return [.mark([number: mark])]
    }

    /// Continues after a conflict was resolved.
    package mutating func resolved(_ decision: SyncConflict.Decision, slot number: Int, at now: Int64) -> [Action] {
        guard var slot = slots[number], case .resolving = slot.phase, var mutation = slot.mutation,
            let remote = slot.conflicting, var mark = slot.mark
        else { return [] }
        switch decision {
        case .applyRemote: return [answer(.yielded(to: remote), number, mutation)] + pump(at: now)
        case .retryLocal:
            if mutation.kind == .create {
                mutation.kind = .update
                // A creation leaves out null. The update must have the same fields when it is sent again after a crash.
                mark.fields = mutation.fields
            }
        case .retry(let fields):
            mutation.kind = .update
            mutation.fields = fields
            mark.fields = fields
        }
        mutation.baseVersion = remote.version
        mark.attempt += 1
        (mark.kind, mark.baseVersion) = (mutation.kind, mutation.baseVersion)
        slot.mutation = mutation
        slot.mark = mark
        slot.phase = .marking
        slot.conflicting = nil
        // The server refused the earlier mutation, so it was not performed.
        slot.mayBeDone = false
        slots[number] = slot
        return [.mark([number: mark])]
    }

    mutating func answer(
        _ outcome: Answer.Outcome, _ number: Int, _ mutation: OutgoingMutation
    ) -> Action {
        guard let slot = slots[number], let mark = slot.mark else {
            preconditionFailure("an answered mutation was marked")
        }
        slots[number]?.phase = .answering
        return .answer(
            Answer(
                slot: number, reference: slot.reference, mutation: mutation, mark: mark, tries: slot.tries,
                outcome: outcome))
    }

    mutating func fetch(_ purpose: FetchPurpose, _ number: Int, at now: Int64) -> Action? {
        guard var slot = slots[number], let mutation = slot.mutation else { return nil }
        slot.requests += 1
        slot.phase = .fetching(purpose, deadline: now + options.timeLimit)
        slots[number] = slot
        return .fetch(slot.reference, Ticket(slot: number, mutation: mutation.id, request: slot.requests))
    }

    // MARK: Ends

    /// Tells the outbox that answers are in the log, and that their events were read.
    package mutating func answered(slots numbers: [Int], at now: Int64) -> [Action] {
        for number in numbers {
            guard let slot = slots[number], case .answering = slot.phase else { continue }
            assert(
                pending.changes(of: slot.reference).first.map { $0.sequence > slot.last } ?? true, "the log was read")
            free(number)
        }
        return pump(at: now)
    }

    /// Tells the outbox that changes which cancel each other out were settled.
    package mutating func settled(slot number: Int, at now: Int64) -> [Action] {
        guard let slot = slots[number], case .settling = slot.phase else { return [] }
        pending.answer(slot.reference, through: slot.last)
        free(number)
        return pump(at: now)
    }

    // MARK: Failures

    private mutating func loseSession(_ number: Int, at now: Int64) -> [Action] {
        slots[number]?.phase = .waiting(until: now)
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
