package import TidelogCore

/// Decides which mutation goes out next and how each response is handled. A pure machine: the shell runs its actions and
/// reports events to it, with the time and random numbers.
///
/// The pending changes follow from the log alone (``PendingChanges``): the shell reads each event to the machine by
/// ``logged(_:)``, also those that it appended itself.
package struct Outbox: Sendable {
    /// Numbers that an app may choose, and faults for tests.
    package struct Options: Sendable {
        /// How many mutations are in flight at most.
        package var maximumInFlight = 16
        /// How many mutations are marked at most, with the waiting ones.
        package var maximumMarked = 256
        /// How many mutations are marked before there is room for them in flight, so that one write has many marks.
        package var maximumAhead = 48
        /// How many milliseconds a request may take.
        package var timeLimit: Int64 = 30_000
        /// How long to wait after failures.
        package var backoff = Backoff()
        /// How many conflicts one mutation may meet before it is set aside.
        package var roundLimit = 10
        /// Whether the server knows the ids of mutations, so that it does not repeat what it has done.
        package var serverKnowsIDs = true
        /// The outbox's position follows the log's end if nothing is pending and so many events have come since.
        package var advanceDistance: UInt64 = 1_000
        /// A fault that a test looks for.
        package var fault: PlantedFault?

        package init() {}
    }

    /// One mutation on its way.
    struct Slot: Sendable {
        enum Phase: Sendable {
            case preparing, marking, resolving, answering, settling
            case waiting(until: Int64)
            case sent(deadline: Int64)
            case fetching(FetchPurpose, deadline: Int64)
        }

        let reference: RecordReference
        let first: SequenceNumber
        let last: SequenceNumber
        var previous: SequenceNumber
        var phase = Phase.preparing
        /// The mark in the log; `nil` before the first one.
        var mark: SentMark?
        var mutation: OutgoingMutation?
        /// The server's record that a conflict is about.
        var conflicting: ServerRecord?
        /// Counts failures without an answer since the last answer.
        var failures = 0
        /// Counts requests.
        var requests: UInt64 = 0
        /// Whether the mutation may have reached the server already.
        var mayBeDone: Bool
        /// The question to ask when the wait is over, if the mutation is not to be sent then.
        var fetchNext: FetchPurpose?
        var lastTry: Int64 = 0
        /// Whether the mutation is marked before there is room for it in flight.
        var isAhead = false
    }

    /// Why the record is asked for.
    enum FetchPurpose: Sendable, Hashable {
        /// The mutation may be done, and the server does not know ids.
        case comparing
        /// The server refused, and the error did not have the record.
        case refused(SetAsideReason)
        /// The server wrote the change and could not show the record.
        case written
    }

    private(set) var options: Options
    let models: SyncModels
    /// The pending changes, by the log.
    package var pending: PendingChanges
    var slots: [Int: Slot] = [:]
    var slotOfRecord: [RecordReference: Int] = [:]
    /// Records that may have a mutation to send, in the order of their changes.
    var ready: [RecordReference] = []
    var readyStart = 0
    var isReady: Set<RecordReference> = []
    /// Records that wait for the creation of a parent, by the parent.
    var blocked: [RecordReference: [RecordReference]] = [:]
    /// Failures without an answer since the last answer to anything: while there are some, one request at a time goes out.
    var failures = 0
    var nextProbe: Int64 = 0
    var advanced: SequenceNumber
    var isStarted = false
    var isOnline = true
    var hasSession = true

    /// An outbox with the marks that the log has.
    ///
    /// - Parameters:
    ///   - pending: The index, read up to the log's end.
    ///   - position: The outbox's position.
    package init(
        _ models: SyncModels, pending: PendingChanges, position: Position, marks: [Int: SentMark],
        options: Options = Options()
    ) {
        (self.models, self.pending, self.options) = (models, pending, options)
        advanced = position.sequence
        for (number, mark) in marks.sorted(by: { $0.key < $1.key }) where options.fault != .marksIgnored {
            guard let reference = pending.reference(at: mark.first), slotOfRecord[reference] == nil else { continue }
            let previous = pending.changes(of: reference).first?.previous ?? .zero
            slots[number] = Slot(
                reference: reference, first: mark.first, last: mark.last, previous: previous,
                phase: .waiting(until: 0), mark: mark, mayBeDone: true)
            slotOfRecord[reference] = number
        }
        for reference in pending.references { makeReady(reference) }
        staleMarks = marks.keys.filter { slots[$0] == nil }.sorted()
    }

    /// Marks of mutations that have their response: a crash came between two writes of an older version, or damage.
    private var staleMarks: [Int] = []

    // MARK: Inputs

    /// Begins to send.
    package mutating func start(at now: Int64) -> [OutboxAction] {
        isStarted = true
        let stale = staleMarks.map { OutboxAction.removeMark(slot: $0) }
        staleMarks = []
        let held = pending.references.filter { pending.held($0) != nil && !pending.changes(of: $0).isEmpty }
        return stale + held.map { .join($0) } + pump(at: now)
    }

    /// Adds events of the log, in order.
    package mutating func logged(_ entries: [LogEntry], at now: Int64) -> [OutboxAction] {
        var joined: [RecordReference] = []
        for entry in entries {
            var released: RecordReference?
            if case .decided(let first) = entry.content { released = pending.held(at: first) }
            pending.append(entry)
            if let released { makeReady(released) }
            switch entry.content {
            case .change(let change):
                if pending.held(change.reference) == nil {
                    makeReady(change.reference)
                } else if !pending.changes(of: change.reference).isEmpty, !joined.contains(change.reference) {
                    joined.append(change.reference)
                }
            case .visible(let reference): unblock(reference)
            case .setAside(let change): unblock(change.reference)
            case .decided, .shadowed, .other: break
            }
            if let answer = entry.answer { unblock(answer.reference) }
        }
        guard isStarted else { return [] }
        return joined.map { .join($0) } + pump(at: now)
    }

    /// Takes note that a time came: requests that took too long, waits that are over.
    package mutating func timePassed(to now: Int64, jitter: UInt64) -> [OutboxAction] {
        var mixed = jitter
        for number in slots.keys.sorted() {
            guard let slot = slots[number] else { continue }
            switch slot.phase {
            case .sent(let deadline) where deadline <= now && options.fault != .noTimeLimit: break
            case .fetching(_, let deadline) where deadline <= now: break
            default: continue
            }
            mixed = mixed &* 0x5851_F42D_4C95_7F2D &+ 0x1405_7B7E_F767_814F
            failed(number, retryAfter: nil, at: now, jitter: mixed >> 16)
        }
        return pump(at: now)
    }

    /// Takes note whether there is a network. When it returns, everything is tried at once: requests that were in flight
    /// when it went away have no answer.
    package mutating func networkChanged(isOnline: Bool, at now: Int64) -> [OutboxAction] {
        let returns = isOnline && !self.isOnline
        self.isOnline = isOnline
        if !isOnline {
            for number in slots.keys where slots[number]?.isInFlight ?? false {
                if case .fetching(let purpose, _) = slots[number]?.phase, purpose != .comparing {
                    slots[number]?.fetchNext = purpose
                }
                slots[number]?.phase = .waiting(until: now)
            }
        }
        guard returns, options.fault != .networkReturnIgnored else { return pump(at: now) }
        return serverReturned(at: now)
    }

    /// Takes note that the server answers again: what waits because of failures is tried at once.
    package mutating func serverReturned(at now: Int64) -> [OutboxAction] {
        (failures, nextProbe) = (0, 0)
        for number in slots.keys {
            if case .waiting = slots[number]?.phase { slots[number]?.phase = .waiting(until: now) }
        }
        return isStarted ? pump(at: now) : []
    }

    /// Takes note that there is a new token.
    package mutating func sessionRestored(at now: Int64) -> [OutboxAction] {
        hasSession = true
        for number in slots.keys {
            if case .waiting = slots[number]?.phase { slots[number]?.phase = .waiting(until: now) }
        }
        return pump(at: now)
    }

    /// Takes note whether the server knows the ids of mutations, as its responses say.
    package mutating func noteSupport(ofMutationIDs isKnown: Bool) { options.serverKnowsIDs = isKnown }

    /// Takes note that there is no token; everything waits.
    package mutating func sessionLost() { hasSession = false }

    /// The time at which ``timePassed(to:jitter:)`` is to be called next; `nil` if nothing waits for a time.
    package var nextWake: Int64? {
        guard isStarted else { return nil }
        var times: [Int64] = []
        let busyCount = slots.values.count { $0.isBusy }
        let mayStart = isOnline && hasSession && busyCount < (failures == 0 ? options.maximumInFlight : 1)
        for slot in slots.values {
            switch slot.phase {
            case .sent(let deadline): if options.fault != .noTimeLimit { times.append(deadline) }
            case .fetching(_, let deadline): times.append(deadline)
            case .waiting(let until): if mayStart { times.append(max(until, failures > 0 ? nextProbe : 0)) }
            case .preparing, .marking, .resolving, .answering, .settling: break
            }
        }
        if failures > 0, mayStart, readyStart < ready.count { times.append(nextProbe) }
        return times.min()
    }

    // MARK: How things stand

    /// Whether a mutation of the record is on its way, so that a pushed record may be its echo.
    package func isSending(_ reference: RecordReference) -> Bool {
        guard let number = slotOfRecord[reference], let slot = slots[number] else { return false }
        switch slot.phase {
        case .sent, .answering: return true
        default: return false
        }
    }

    /// How many changes have no response yet.
    package var pendingCount: Int { pending.count }

    /// How many mutations are in flight.
    package var inFlightCount: Int { slots.values.count { $0.isInFlight } }

    /// Whether every change up to the event `sequence` has its response, or was set aside.
    package func hasAnswered(through sequence: SequenceNumber) -> Bool {
        guard slots.values.allSatisfy({ $0.first > sequence }) else { return false }
        return pending.oldest.map { $0.sequence > sequence } ?? true
    }

    /// Whether nothing waits to be sent, and nothing is in flight.
    package var isEmpty: Bool { pending.count == 0 && slots.isEmpty }
}

extension Outbox.Slot {
    /// Whether a request is on its way.
    var isInFlight: Bool {
        switch phase {
        case .sent, .fetching: true
        default: false
        }
    }
}
