internal import TidelogSchema

extension Outbox {
    /// A mutation that is being prepared or sent.
    struct Slot: Sendable {
        /// The states of a mutation. Slots are copied often, and a copy of an indirect value is one reference.
        indirect enum State: Sendable {
            /// An earlier start of the engine marked the mutation and may have sent it. It is made again when there is room.
            case remembered(SentMark)
            /// The row is read from which the mutation is made. A remembered mutation has its mark already.
            case preparing(SentMark?, isAhead: Bool)
            /// The mark is written. A mutation that is ahead is marked before there is room for it in flight.
            case marking(Marked, isAhead: Bool)
            /// The mutation waits for room, or for the end of a pause.
            case waiting(Marked, Pause)
            /// The request is on its way. A repeated mutation may have reached the server before.
            case sent(Marked, deadline: Int64, isRepeated: Bool)
            /// The record is requested.
            case fetching(Marked, FetchPurpose, deadline: Int64)
            /// The conflict with the server's record is decided.
            case resolving(Marked, ServerRecord)
            /// The answer is written.
            case answering(Marked)
            /// The changes cancel each other out, and their end is written.
            case settling
        }

        /// A mutation whose mark is in the log, or is written there next.
        struct Marked: Sendable {
            var mutation: OutgoingMutation
            var mark: SentMark
            /// Whether the mutation may have reached the server already.
            var mayBeDone = false
        }

        /// A wait before the next request.
        struct Pause: Sendable {
            /// The time at which the wait ends.
            var until: Int64
            /// Whether the wait is for an error of this mutation alone, so that it does not end when the server or the network
            /// returns.
            var isAlone = false
            /// The purpose of a request for the record, if that is the next request instead of the mutation.
            var next: FetchPurpose?
        }

        let reference: RecordReference
        let first: SequenceNumber
        let last: SequenceNumber
        /// The record's event before the first one of the mutation; zero if there is none.
        let previous: SequenceNumber
        var state: State
        /// The version of the deleted record as far as the device knows; `nil` if it does not know it as deleted.
        var deletedVersion: UInt64?
        /// The number of requests without a usable answer since the server decided about the mutation.
        var failures = 0
        /// The server's errors that may pass; `nil` if there were none.
        var tries: FailedTries?
        /// Whether the mutation failed although other mutations of its model did not.
        var failsAlone = false
        /// How often an answer was older than the state that the server has.
        var staleCount = 0
        /// The number of requests.
        var requests: UInt64 = 0
        var lastTry: Int64 = 0
    }

    /// The reason why the record is requested.
    enum FetchPurpose: Sendable, Hashable {
        /// The mutation may have been performed, and the server does not recognise ids.
        case comparing
        /// The server refused, and its error did not contain the record.
        case refused(SetAsideChange.Reason)
        /// The server will not perform the mutation, but may have performed it when it came before.
        case setAside(SetAsideChange.Reason)
        /// The server wrote the change and could not return the record.
        case written
    }
}

extension Outbox.Slot {
    /// The mutation and its mark; `nil` before they are made, and after the changes were found to cancel each other out.
    var marked: Marked? {
        switch state {
        case .marking(let marked, _), .waiting(let marked, _), .sent(let marked, _, _): marked
        case .fetching(let marked, _, _), .resolving(let marked, _), .answering(let marked): marked
        case .remembered, .preparing, .settling: nil
        }
    }

    /// Whether a request is on its way.
    var isInFlight: Bool { deadline != nil }

    /// The time at which the request on its way counts as lost; `nil` if there is none.
    var deadline: Int64? {
        switch state {
        case .sent(_, let deadline, _), .fetching(_, _, let deadline): deadline
        default: nil
        }
    }

    /// Whether the mutation is on its way, or its answer is written.
    var isSending: Bool {
        switch state {
        case .sent, .answering: true
        default: false
        }
    }

    /// Whether the slot counts as in flight.
    var isBusy: Bool {
        switch state {
        // A mutation with a response gives its place to the next mutation while the response is appended.
        case .remembered, .waiting, .answering: false
        case .preparing(_, let isAhead), .marking(_, let isAhead): !isAhead
        case .resolving, .settling, .sent, .fetching: true
        }
    }

    /// Whether the slot waits for a place in flight, or will do so when it is marked.
    var waitsForRoom: Bool {
        switch state {
        case .remembered, .waiting: tries == nil
        case .preparing(_, let isAhead), .marking(_, let isAhead): isAhead
        case .resolving, .settling, .sent, .fetching, .answering: false
        }
    }

    /// The time from which the mutation may be sent or prepared; `nil` if something else must happen first.
    var dueTime: Int64? {
        switch state {
        case .remembered: .min
        case .waiting(_, let pause): pause.until
        default: nil
        }
    }

    /// The purpose of a request for the record that was on its way or comes next. Such a request is repeated if it fails, but a
    /// comparison is only made if it is still necessary then.
    var openPurpose: Outbox.FetchPurpose? {
        switch state {
        case .fetching(_, let purpose, _): purpose == .comparing ? nil : purpose
        case .waiting(_, let pause): pause.next
        default: nil
        }
    }

    /// Ends a request without a usable answer. The mutation waits until `time`.
    mutating func pause(until time: Int64, isAlone: Bool = false) {
        guard let marked else { preconditionFailure("only a marked mutation is sent") }
        assert(isInFlight, "a request was on its way")
        state = .waiting(marked, Pause(until: time, isAlone: isAlone, next: openPurpose))
    }

    /// Ends a wait at `time`, if the mutation waits.
    mutating func endPause(at time: Int64) {
        guard case .waiting(let marked, var pause) = state else { return }
        pause.until = time
        state = .waiting(marked, pause)
    }
}

extension Outbox {
    /// The mutations that are being prepared or sent, by the numbers of their slots. A new mutation gets the smallest free one.
    struct Slots: Sendable {
        private var slots: [Slot?] = []
        /// The facts about each slot that every input needs. Reading them copies no mutation.
        private var facts: [Facts?] = []
        /// No slot with a smaller number is free.
        private var firstFree = 0
        /// How many slots there are.
        private(set) var count = 0
        /// How many of them count as in flight.
        private(set) var busyCount = 0
        /// How many wait for a place in flight.
        private(set) var aheadCount = 0
        /// How many had no error that may pass.
        private(set) var freshCount = 0
        /// How many requests are on their way.
        private(set) var inFlightCount = 0

        private struct Facts: Sendable {
            let isBusy, waitsForRoom, isFresh, isSending: Bool
            let deadline, dueTime: Int64?
            let lastTry: Int64

            init(_ slot: Slot) {
                (isBusy, waitsForRoom, isFresh) = (slot.isBusy, slot.waitsForRoom, slot.tries == nil)
                isSending = slot.isSending
                (deadline, dueTime, lastTry) = (slot.deadline, slot.dueTime, slot.lastTry)
            }
        }

        var isEmpty: Bool { count == 0 }

        subscript(number: Int) -> Slot? {
            get { number < slots.count ? slots[number] : nil }
            // The slot is changed in its place, so that its mutation is not copied.
            _modify {
                assert(number >= 0, "slots are numbered from 0")
                while slots.count <= number {
                    slots.append(nil)
                    facts.append(nil)
                }
                if let former = facts[number] { count(former, by: -1) }
                defer {
                    facts[number] = slots[number].map { Facts($0) }
                    if let new = facts[number] { count(new, by: 1) } else { firstFree = min(firstFree, number) }
                }
                yield &slots[number]
            }
        }

        private mutating func count(_ facts: Facts, by change: Int) {
            count += change
            if facts.isBusy { busyCount += change }
            if facts.waitsForRoom { aheadCount += change }
            if facts.isFresh { freshCount += change }
            if facts.deadline != nil { inFlightCount += change }
            assert(count >= 0 && busyCount >= 0 && aheadCount >= 0 && freshCount >= 0, "no slot is removed twice")
            assert(inFlightCount >= 0, "a request ends once")
        }

        /// Adds a slot, and returns its number.
        mutating func add(_ slot: Slot) -> Int {
            while firstFree < slots.count, facts[firstFree] != nil { firstFree += 1 }
            let number = firstFree
            self[number] = slot
            return number
        }

        mutating func remove(_ number: Int) -> Slot? {
            defer { self[number] = nil }
            return self[number]
        }

        /// Whether the mutation of a slot is on its way, or its answer is written.
        func isSending(_ number: Int) -> Bool { facts[number]?.isSending ?? false }

        // MARK: All slots

        /// The slots in the order of their numbers.
        var numbered: some Sequence<(number: Int, slot: Slot)> {
            slots.lazy.enumerated().compactMap { number, slot in slot.map { (number, $0) } }
        }

        /// The slots in the order of their numbers.
        var values: some Sequence<Slot> { slots.lazy.compactMap { $0 } }

        /// The slots whose requests count as lost at `time`, in the order of their numbers.
        func late(at time: Int64) -> [Int] {
            facts.indices.filter { facts[$0]?.deadline.map { $0 <= time } ?? false }
        }

        /// The slots whose waits are over at `time`, in the order in which they are tried.
        func due(at time: Int64) -> [Int] {
            facts.indices.filter { facts[$0]?.dueTime.map { $0 <= time } ?? false }
                .sorted { (facts[$0]?.lastTry ?? 0, $0) < (facts[$1]?.lastTry ?? 0, $1) }
        }

        /// The time at which the next request counts as lost; `nil` if none is on its way.
        var nextDeadline: Int64? { facts.lazy.compactMap { $0?.deadline }.min() }

        /// The time at which the next wait ends; `nil` if no slot waits.
        var nextDueTime: Int64? { facts.lazy.compactMap { $0?.dueTime }.min() }

        /// The time of the last try among all mutations.
        var lastTry: Int64 { facts.lazy.compactMap { $0?.lastTry }.max() ?? 0 }
    }
}
