internal import Synchronization

/// Which events are in the log and not in the rows yet, and of which records they are.
final class UnprojectedEvents: Sendable {
    private let state = Mutex(State())
    /// How many there are, for those who need not know more.
    private let eventCount = Atomic<Int>(0)

    /// How many events are projected at a time.
    static let limit = 1_024
    /// Groups of more events are projected at once: together they gain little.
    static let groupLimit = 256

    private struct State {
        var records = UnprojectedRecords()
        /// The last event that was noted.
        var last = SequenceNumber.zero
        /// The last event that was projected.
        var projected = SequenceNumber.zero
        /// How many times events were projected.
        var projectionCount: UInt64 = 0
    }

    /// Where a record's latest event is.
    enum Latest {
        /// In the log alone.
        case unprojected(UnprojectedRecords.Latest)
        /// In the rows, for a reader that begins now, or began after `projectionCount` projections.
        case projected(projectionCount: UInt64)
    }

    /// Whether the rows lack nothing.
    var isEmpty: Bool {
        @inline(__always) get { eventCount.load(ordering: .acquiring) == 0 }
    }

    /// Whether it is time to project.
    var isFull: Bool { eventCount.load(ordering: .relaxed) >= Self.limit }

    func latest(of key: UnsafeRawBufferPointer, in model: ModelLayout) -> Latest {
        state.withLock { state in
            if let latest = state.records.latest(of: key, model: model.number) { return .unprojected(latest) }
            return .projected(projectionCount: state.projectionCount)
        }
    }

    /// Notes the events of `staged`, which were appended, unless somebody has projected them already.
    func append(_ staged: StagedEvents) {
        precondition(staged.count <= Self.groupLimit, "large groups are projected at once")
        let end = SequenceNumber(staged.start.sequence.value + UInt64(staged.count))
        state.withLock { state in
            guard end > state.projected else { return }
            // Groups that were projected at once may have come between.
            if state.last <= state.projected { state.projected = staged.start.sequence }
            assert(state.last <= staged.start.sequence, "events are noted in the log's order")
            for index in 0..<staged.count {
                let event = staged.events[index]
                guard event.changesRow else { continue }
                state.records.note(
                    .init(sequence: SequenceNumber(staged.sequence(at: index)), hasRow: event.rowByteCount > 0),
                    of: staged.key(at: index), model: event.modelNumber)
            }
            state.last = end
            noteCount(state)
        }
    }

    private func noteCount(_ state: State) {
        let count = state.last > state.projected ? state.last.value - state.projected.value : 0
        eventCount.store(Int(clamping: count), ordering: .releasing)
    }

    /// Forgets what the rows have committed, in that order, so that everything is always in one of the two.
    func finish(upTo sequence: SequenceNumber) {
        state.withLock { state in
            assert(sequence >= state.projected, "what was projected stays so")
            state.records.removeAll(upTo: sequence)
            state.projected = sequence
            state.projectionCount += 1
            noteCount(state)
        }
    }
}
