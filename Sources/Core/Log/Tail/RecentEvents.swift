internal import TidelogSynchronization

/// The end of the log, and the groups that the log's environment has not absorbed yet. The events of these groups are in
/// memory, with the new positions of consumers.
///
/// A group is published here after it was written to the tail, and is removed after the environment has absorbed it. A
/// reader first takes a view of the recent groups, and then begins its transaction of the environment. It therefore
/// finds each group in at least one of the two.
///
/// No other type keeps the position of the log's last event or the number of its last group. Both only rise.
final class RecentEvents: Sendable {
    private let state: Mutex<State>
    /// The number of the last group that the environment has.
    private let absorbed: Atomic<UInt64>

    /// The published events of one round in a file of the tail.
    struct Run: Sendable {
        let segment: TailSegment
        var eventCount: Int
        var byteCount: Int
        var frame: UInt64

        var first: UInt64 { segment.first.value }
        /// One more than the number of the last event.
        var endNumber: UInt64 { segment.first.value + UInt64(eventCount) }
    }

    /// The recent groups at one moment. A view never changes.
    struct View: Sendable {
        /// The rounds, in the order of the log.
        fileprivate(set) var runs: ContiguousArray<Run> = []
        /// The number of the last group of the log, 0 if there is none.
        fileprivate(set) var frame: UInt64 = 0
        /// The number of the first event that the environment has not absorbed, the largest number if there is none.
        fileprivate(set) var first: UInt64 = .max
        /// The position of the last event of the log. The empty view does not know it.
        fileprivate(set) var end = Position.start
        /// The new positions of consumers. A consumer with the value `nil` is removed.
        fileprivate(set) var consumers: [String: Position?] = [:]

        static let empty = View()

        /// The bytes of all groups.
        var byteCount: Int { runs.reduce(0) { $0 + $1.byteCount } }

        /// Whether the view has events.
        var hasEvents: Bool { !runs.isEmpty && first <= end.sequence.value }

        /// The bytes of the event with this number, `nil` if it is not a recent one. They are valid as long as the view.
        @inline(__always)
        func event(_ number: UInt64) -> UnsafeRawBufferPointer? {
            guard number >= first, number <= end.sequence.value else { return nil }
            for run in runs where number < run.endNumber { return run.segment.event(at: Int(number - run.first)) }
            preconditionFailure("recent events have no gaps")
        }

        /// Passes the number and the bytes of each event to `body`, in order.
        func forEach(_ body: (UInt64, UnsafeRawBufferPointer) throws -> Void) rethrows {
            guard hasEvents else { return }
            var number = first
            for run in runs {
                while number < run.endNumber {
                    try body(number, run.segment.event(at: Int(number - run.first)))
                    number += 1
                }
            }
            assert(number == end.sequence.value + 1, "recent events have no gaps")
        }
    }

    private struct State {
        var view: View
        /// For each consumer, the number of the last group that moved it.
        var consumerFrames: [String: UInt64] = [:]

        mutating func forgetConsumers(upTo frame: UInt64) {
            for (name, last) in consumerFrames where last <= frame {
                consumerFrames[name] = nil
                view.consumers[name] = nil
            }
        }
    }

    /// - Parameter end: The end of the log in the environment.
    init(after end: End) {
        state = Mutex(State(view: View(frame: end.group, end: end.position)))
        absorbed = Atomic(end.group)
    }

    /// The end of the log.
    var end: End { state.withLock { End(group: $0.view.frame, position: $0.view.end) } }

    var view: View { state.withLock { $0.view } }

    /// The view for a transaction of the environment that begins now or later. It is empty if the environment has all groups.
    var unabsorbedView: View {
        let view = view
        return isAbsorbed(view) ? .empty : view
    }

    /// Whether a transaction of the environment that begins now or later sees all groups of `view`.
    func isAbsorbed(_ view: View) -> Bool { isAbsorbed(view.frame) }

    /// Whether the environment has the group with this number.
    func isAbsorbed(_ frame: UInt64) -> Bool { absorbed.load(ordering: .acquiring) >= frame }

    /// The number of the last group that the environment has.
    var absorbedFrame: UInt64 { absorbed.load(ordering: .acquiring) }

    /// The memory of the last group, `nil` if the environment has absorbed all groups.
    var lastSegment: TailSegment? { state.withLock { $0.view.runs.last?.segment } }

    /// Notes that the numbers up to `frame` are not used for groups. The environment counts them together with the groups
    /// before them.
    func skip(upTo frame: UInt64) {
        state.withLock { state in
            precondition(frame > state.view.frame, "numbers rise")
            state.view.frame = frame
        }
    }

    /// Notes that the next group went directly to the environment, which has all groups before it. The log then ends at
    /// `position`.
    func noteCommitted(endingAt position: Position) {
        let last = end
        precondition(isAbsorbed(last.group), "the environment absorbs the tail before it gets another group")
        precondition(position.sequence >= last.position.sequence, "the end of the log rises")
        absorbed.store(last.group + 1, ordering: .releasing)
        state.withLock { state in
            state.view.frame = last.group + 1
            state.view.end = position
        }
    }

    /// Publishes the last group of `segment`, which ends at `end` and moves `consumers`.
    func publish(_ segment: TailSegment, end: Position, moving consumers: [String: Position?]) {
        let frame = segment.lastFrame
        state.withLock { state in
            precondition(frame > state.view.frame, "groups are published in order")
            let run = Run(segment: segment, eventCount: segment.eventCount, byteCount: segment.end, frame: frame)
            if state.view.runs.last?.segment === segment {
                state.view.runs[state.view.runs.count - 1] = run
            } else {
                state.view.runs.append(run)
            }
            state.view.frame = frame
            if state.view.first == .max { state.view.first = run.first }
            state.view.end = end
            for (name, position) in consumers {
                state.view.consumers.updateValue(position, forKey: name)
                state.consumerFrames[name] = frame
            }
        }
    }

    /// Copies the group `frame`, which was read from the tail, and publishes the copy.
    func publishCopy(of frame: TailFrame, _ bytes: UnsafeRawBufferPointer) {
        let last = state.withLock { $0.view.runs.last?.segment }
        let capacity = TailFormat.maximumFileByteCount
        let segment: TailSegment
        if let last, last.round == frame.header.round, bytes.count <= last.room {
            segment = last
        } else {
            segment = TailSegment(
                after: frame.header.start.sequence, round: frame.header.round, header: [], capacity: capacity,
                in: TailSegment.memory(capacity: capacity))
        }
        segment.add(frame, bytes)
        publish(segment, end: frame.end, moving: frame.consumers)
    }

    /// Removes the rounds whose groups the environment has up to `frame`, and the new positions that these groups give
    /// to consumers.
    func forgetRounds(upTo frame: UInt64) {
        state.withLock { state in
            state.view.runs.removeAll { $0.frame <= frame }
            if let first = state.view.runs.first { state.view.first = max(state.view.first, first.first) }
            state.forgetConsumers(upTo: frame)
        }
    }

    /// Removes the groups of `taken`, which the environment has absorbed.
    func forget(upTo taken: View) {
        let frame = taken.frame
        guard !isAbsorbed(frame) else { return }
        absorbed.store(frame, ordering: .releasing)
        let forgotten = state.withLock { state -> ContiguousArray<Run> in
            let old = state.view.runs
            state.view.runs.removeAll { $0.frame <= frame }
            // The number of the last group stays. It is higher than `frame` if the write of a later group has failed since
            // the view was taken.
            if state.view.runs.isEmpty {
                state.view.first = .max
            } else if taken.hasEvents {
                state.view.first = max(state.view.first, taken.end.sequence.value + 1)
            }
            state.forgetConsumers(upTo: frame)
            return old
        }
        // Freeing large memory takes time, so that it happens outside the lock.
        _ = consume forgotten
    }

    /// The end of a log: its last event and its last group.
    struct End: Sendable {
        /// The number of the last group. A failed write may have used this number, so that no group has it.
        let group: UInt64
        /// The position of the last event.
        let position: Position

        /// Whether the events of `group` come right after this end.
        func isFollowed(by group: SealedEvents) -> Bool {
            group.isEmpty || group.first.value == position.sequence.value + 1
        }
    }
}
