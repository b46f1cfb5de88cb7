package import TidelogSchema

/// The machine that chooses the next mutation to send and handles each response. It is a pure state machine: the shell executes
/// its actions, and passes events, the time and random numbers to it.
///
/// The pending changes follow from the log (``PendingChanges``). The shell passes each event of the log to the machine with
/// ``logged(_:at:)``, including the events that the shell appended itself. Changes that cancel each other out need no event:
/// ``settled(slot:at:)`` ends them, and the outbox's position in the log passes them.
package struct Outbox: Sendable {
    /// Settings of the app, and values for tests.
    package struct Options: Sendable {
        /// The largest number of mutations in flight.
        package var maximumInFlight = 16
        /// The largest number of mutations that are begun while none is in flight; not above the number before.
        package var firstInFlight = 16
        /// The largest number of marked mutations, including waiting ones.
        package var maximumMarked = 256
        /// How many mutations are marked before there is room for them in flight, so that one write contains many marks.
        package var maximumAhead = 48
        /// The shortest time in milliseconds between two moments at which mutations are begun, so that one write marks many.
        package var beginInterval: Int64 = 0
        /// The longest time of a request in milliseconds.
        package var timeLimit: Int64 = 30_000
        /// The wait while the server gives no usable answer.
        package var backoff = Backoff()
        /// The wait of one mutation after the server answered it with an error that may pass.
        package var recordBackoff = Backoff(first: 500, maximum: 900_000)
        /// After this many such answers, and after the time below, a mutation is set aside.
        package var triesLimit: UInt32 = 10
        /// The number of milliseconds since the first such answer before which no mutation is set aside.
        package var triesTime: Int64 = 86_400_000
        /// The number of conflicts that one mutation may have before it is set aside.
        package var roundLimit = 10
        /// Whether the server recognises the ids of mutations, so that it does not perform a mutation twice.
        package var serverKnowsIDs = true
        /// Whether the server's records have versions. Otherwise a change is made on the condition that the record still has
        /// the stamp of the state from which the change started.
        package private(set) var hasVersions = true
        /// If nothing is pending and this many events have come since, the outbox's position moves to the end of the log.
        package var advanceDistance: UInt64 = 1_000

        package init() {}

        /// Sets the options for a server without versions, which does not know the ids of mutations either.
        package mutating func leaveVersions() { (hasVersions, serverKnowsIDs) = (false, false) }
    }

    private(set) var options: Options
    let models: SyncModels
    /// The pending changes, according to the log.
    package var pending: PendingChanges
    var slots = Slots()
    var slotOfRecord: [RecordReference: Int] = [:]
    /// The records that may have a mutation to send, in the order of their changes.
    var ready: [RecordReference] = []
    var readyStart = 0
    var isReady: Set<RecordReference> = []
    /// The records that wait for the creation of a parent, by the parent.
    var blocked: [RecordReference: [RecordReference]] = [:]
    /// The number of mutations without a usable answer since the last answer to a mutation. If it is not zero, only one request
    /// at a time is sent.
    var failures = 0
    var nextProbe: Int64 = 0
    /// The time from which further mutations may be begun.
    var nextBegin = Int64.min
    /// Whether a mutation waits for that time.
    var isBeginHeld = false
    /// The stamps of the last responses, for records with further changes. No row in the store has them.
    var stamps: [RecordReference: RecordStamp] = [:]
    /// The models with mutations that failed since the last success.
    var troubles: [String: Trouble] = [:]
    /// The device's clock minus the time of the inputs. The clock is only used for the time since a mutation first failed.
    package var clockOffset: Int64 = 0
    var advanced: SequenceNumber
    var isStarted = false
    var isOnline = true
    var hasSession = true

    /// Makes an outbox from the marks in the log.
    ///
    /// - Parameters:
    ///   - pending: The pending changes, read up to the log's end.
    ///   - position: The outbox's position.
    ///   - tries: The notes about failed tries of the marked mutations.
    package init(
        _ models: SyncModels, pending: PendingChanges, position: Position, marks: [Int: SentMark],
        tries: [Int: FailedTries] = [:], options: Options = Options()
    ) {
        self.models = models
        self.pending = pending
        self.options = options
        advanced = position.sequence
        for (number, mark) in marks.sorted(by: { $0.key < $1.key }) {
            // The mark of an answered mutation stays until the next mutation of its slot is marked.
            guard let reference = pending.reference(at: mark.first), slotOfRecord[reference] == nil else { continue }
            let previous = pending.changes(of: reference).first?.previous ?? .zero
            slots[number] = Slot(
                reference: reference, first: mark.first, last: mark.last, previous: previous, state: .remembered(mark),
                tries: tries[number].flatMap { $0.first == mark.first ? $0 : nil })
            slotOfRecord[reference] = number
        }
        for reference in pending.references { makeReady(reference) }
    }

    // MARK: Inputs

    /// Begins to send.
    package mutating func start(at now: Int64) -> [Action] {
        assert(!isStarted, "an outbox starts once")
        isStarted = true
        let held = pending.heldReferences.filter { !pending.changes(of: $0).isEmpty }
        return held.map { .join($0) } + pump(at: now)
    }

    /// Adds events of the log, in order.
    package mutating func logged(_ entries: [LogEntry], at now: Int64) -> [Action] {
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
        assert(entries.last.map { $0.position == pending.head } ?? true, "every event is read")
        guard isStarted else { return [] }
        return joined.map { .join($0) } + pump(at: now)
    }

    /// Tells the outbox the time. Requests may have timed out, and waits may be over.
    package mutating func timePassed(to now: Int64, jitter: UInt64) -> [Action] {
        var mixed = jitter
        let former = failures
        for number in slots.late(at: now) {
            mixed = mixed &* 0x5851_F42D_4C95_7F2D &+ 0x1405_7B7E_F767_814F
            failed(number, retryAfter: nil, at: now, jitter: mixed >> 16)
            // Mutations of one request run out of time together.
            failures = min(failures, former + 1)
        }
        return pump(at: now)
    }

    /// Tells the outbox whether a network is available. When it returns, everything is tried at once, because requests that
    /// were in flight when it was lost get no answer.
    package mutating func networkChanged(isOnline: Bool, at now: Int64) -> [Action] {
        let returns = isOnline && !self.isOnline
        self.isOnline = isOnline
        if !isOnline {
            for (number, slot) in slots.numbered where slot.isInFlight { slots[number]?.pause(until: now) }
        }
        guard returns else { return pump(at: now) }
        return serverReturned(at: now)
    }

    /// Tells the outbox that the server can be reached again. Work that waits because of the server is tried at once.
    package mutating func serverReturned(at now: Int64) -> [Action] {
        (failures, nextProbe) = (0, 0)
        hurry(at: now)
        return isStarted ? pump(at: now) : []
    }

    /// Ends the waits that do not belong to one mutation or model.
    private mutating func hurry(at now: Int64) {
        for (number, slot) in slots.numbered {
            if case .waiting(_, let pause) = slot.state, !pause.isAlone { slots[number]?.endPause(at: now) }
        }
    }

    /// Tells the outbox that there is a new token.
    package mutating func sessionRestored(at now: Int64) -> [Action] {
        hasSession = true
        hurry(at: now)
        return pump(at: now)
    }

    /// Tells the outbox whether the server recognises the ids of mutations. Responses of the server contain this.
    package mutating func noteSupport(ofMutationIDs isKnown: Bool) {
        options.serverKnowsIDs = isKnown && options.hasVersions
    }

    /// Tells the outbox that there is no token. All work then waits.
    package mutating func sessionLost() { hasSession = false }

    /// The time at which ``timePassed(to:jitter:)`` must be called next; `nil` if no work waits for a time.
    package var nextWake: Int64? {
        guard isStarted else { return nil }
        var times: [Int64] = []
        let mayStart = isOnline && hasSession && slots.busyCount < (failures == 0 ? options.maximumInFlight : 1)
        if let deadline = slots.nextDeadline { times.append(deadline) }
        if mayStart, let dueTime = nextDueTime { times.append(max(dueTime, failures > 0 ? nextProbe : 0)) }
        if failures > 0, mayStart, readyStart < ready.count {
            times.append(max(nextProbe, isBeginHeld ? nextBegin : 0))
        }
        if isBeginHeld, isOnline, hasSession { times.append(nextBegin) }
        for (model, trouble) in troubles where mayStart && !trouble.waiting.isEmpty && !isProbing(model) {
            if hasRoomForProbes(model) { times.append(max(trouble.nextProbe, failures > 0 ? nextProbe : 0)) }
        }
        return times.min()
    }

    /// The time at which the next waiting mutation may be sent, as far as its own pause and that of its model say.
    private var nextDueTime: Int64? {
        guard troubles.values.contains(where: \.isWhole) else { return slots.nextDueTime }
        var times: [Int64] = []
        for slot in slots.values {
            guard let dueTime = slot.dueTime else { continue }
            let trouble = troubles[slot.reference.model].flatMap { $0.isWhole ? $0 : nil }
            if trouble != nil, isProbing(slot.reference.model) { continue }
            times.append(max(dueTime, trouble?.nextProbe ?? 0))
        }
        return times.min()
    }

    // MARK: State

    /// Whether a mutation of the record is on its way, so that a pushed record may be its echo.
    package func isSending(_ reference: RecordReference) -> Bool {
        slotOfRecord[reference].map { slots.isSending($0) } ?? false
    }

    /// Whether the outbox waits for the answer to the request with this ticket.
    package func waits(for ticket: Ticket) -> Bool {
        guard let slot = slots[ticket.slot], slot.requests == ticket.request else { return false }
        switch slot.state {
        case .sent(let marked, _, _), .fetching(let marked, _, _): return marked.mutation.id == ticket.mutation
        default: return false
        }
    }

    /// The time at which the next pause of a mutation ends, also if there is no room to send it then; `nil` if none pauses.
    package var nextPauseEnd: Int64? { slots.nextDueTime }

    /// How many changes have no response yet.
    package var pendingCount: Int { pending.count }

    /// How many mutations are in flight.
    package var inFlightCount: Int { slots.inFlightCount }

    /// Whether changes wait for room in flight.
    package var isFull: Bool {
        slots.busyCount >= options.maximumInFlight && (readyStart < ready.count || slots.aheadCount > 0)
    }

    /// Whether every change up to the event `sequence` has its response, or was set aside.
    package func hasAnswered(through sequence: SequenceNumber) -> Bool {
        guard slots.values.allSatisfy({ $0.first > sequence }) else { return false }
        return pending.oldest.map { $0.sequence > sequence } ?? true
    }

    /// Whether nothing waits to be sent, and nothing is in flight.
    package var isEmpty: Bool { pending.count == 0 && slots.isEmpty }
}
