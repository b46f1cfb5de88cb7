internal import Dispatch
internal import Synchronization

/// The events that are in the log and not in the rows yet. Those of small writes wait here, so that many of them are
/// projected in one transaction of the adapter.
///
/// Whoever looks for one record asks here first, and finds its latest event in the log. Whoever asks anything else of the
/// rows has everything projected before. So nobody sees the difference, except other processes, whose rows are a moment
/// behind, and who opens the store after a crash: the log is replayed from the rows' checkpoint, as always.
final class UnprojectedEvents: Sendable {
    private let log: EventLog
    private let rows: Rows
    private let projector: Projector
    private let layout: SchemaLayout
    private let state = Mutex(State())
    /// How many events wait, for those who need not know more.
    private let eventCount = Atomic<Int>(0)
    /// Held by the one who changes rows.
    private let turn = DispatchSemaphore(value: 1)

    /// How many events are projected at a time.
    static let limit = 1_024
    /// Groups of more events are projected at once: together they gain little.
    static let groupLimit = 256

    private struct State {
        var records = UnprojectedRecords()
        /// The last event that came to wait.
        var last = SequenceNumber.zero
        /// The last event that was projected.
        var projected = SequenceNumber.zero
        /// How many times waiting events were projected.
        var projectionCount: UInt64 = 0
    }

    /// Where a record's latest event is.
    enum Latest {
        /// Waiting.
        case waiting(UnprojectedRecords.Latest)
        /// In the rows, for whoever begins to read them now, or did so after `projectionCount` projections.
        case projected(projectionCount: UInt64)
    }

    init(log: EventLog, rows: Rows, projector: Projector, layout: SchemaLayout) {
        self.log = log
        self.rows = rows
        self.projector = projector
        self.layout = layout
    }

    /// Whether nothing waits.
    var isEmpty: Bool {
        @inline(__always) get { eventCount.load(ordering: .acquiring) == 0 }
    }

    /// Whether it is time to project what waits.
    var isFull: Bool { eventCount.load(ordering: .relaxed) >= Self.limit }

    func latest(of key: UnsafeRawBufferPointer, in model: ModelLayout) -> Latest {
        state.withLock { state in
            if let latest = state.records.latest(of: key, model: model.number) { return .waiting(latest) }
            return .projected(projectionCount: state.projectionCount)
        }
    }

    /// Has the events of `staged`, which were appended, wait; unless somebody has projected them already.
    func append(_ staged: StagedEvents) {
        let end = SequenceNumber(staged.start.sequence.value + UInt64(staged.count))
        state.withLock { state in
            guard end > state.projected else { return }
            // Groups that did not wait may have come between.
            if state.last <= state.projected { state.projected = staged.start.sequence }
            for index in 0..<staged.count {
                let event = staged.events[index]
                guard event.kind.changesRow else { continue }
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

    /// Projects what waits. Where the rows cannot take it in, it waits on.
    ///
    /// - Throws: what the rows' adapter throws.
    @inline(__always)
    func project() throws {
        guard !isEmpty else { return }
        try takeTurn()
        endTurn()
    }

    /// Calls `body`, which may change the rows and finds everything projected that was appended before.
    func withTurn<Result>(_ body: () throws -> Result) throws -> Result {
        try takeTurn()
        defer { endTurn() }
        return try body()
    }

    /// Waits until nobody changes the rows and projects what waits. Until ``endTurn()`` nobody else changes them.
    ///
    /// - Throws: as ``project()``; then it is nobody's turn.
    func takeTurn() throws {
        turn.wait()
        do { try projectInTurn() } catch {
            turn.signal()
            throw error
        }
    }

    func endTurn() { turn.signal() }

    /// Calls `body`, which mends the rows or replaces them. Afterwards they contain everything that was appended before.
    ///
    /// Nobody else changes rows meanwhile. Else a reader who still held the old ones could project events into those, and
    /// the new ones would lack them.
    func whileMending<Result>(_ body: () throws -> Result) rethrows -> Result {
        turn.wait()
        defer { turn.signal() }
        let head = log.head.sequence
        let result = try body()
        if rows.failure == nil { finishProjecting(upTo: head) }
        return result
    }

    private func projectInTurn() throws {
        guard !isEmpty else { return }
        let lease = try rows.lease()
        let end = try log.withReader { reader in
            // Not beyond: what comes after a sync that failed is for the next opening to judge.
            try projector.replay(
                reader, store: log.metadata.store, to: lease.files.adapter, layout: layout, upTo: log.head.sequence)
        }
        finishProjecting(upTo: end.sequence)
    }

    /// Forgets what the rows have committed, in that order, so that everything is always in one of the two.
    private func finishProjecting(upTo sequence: SequenceNumber) {
        state.withLock { state in
            state.records.removeAll(upTo: sequence)
            state.projected = sequence
            state.projectionCount += 1
            noteCount(state)
        }
    }
}
