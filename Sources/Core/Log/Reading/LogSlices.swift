/// A long read of a log, in slices. Each slice has its own view of the log.
///
/// The read ends its view after a number of events, and whenever the log's map must grow. It then continues with a new
/// view. A view that stayed open would keep the map from growing, and would keep free pages from being used again.
///
/// Events never change, and sequence numbers only rise. The slices together therefore give the same result as one view
/// would, up to the head at the beginning of the read. This holds as long as compaction neither drops events nor raises
/// the floor. If compaction does so, the read ends with ``CompactedMeanwhile``, and the caller begins again.
final class LogSlices {
    private let log: EventLog
    /// Whether one view stays open for the whole read.
    private let isHeld: Bool
    /// The progress of compaction at the beginning of the read.
    let compaction: LogMetadata.CompactionMark
    /// The last event at the beginning of the read, damaged or not. Later events are not read. If one view stays open,
    /// there are no later events.
    private let head: SequenceNumber
    private var openView: LogReader.View?
    private var useCount = 0
    /// Whether a cursor is using the present view.
    private var isIterating = false

    /// The largest number of events, or of uses, in one view.
    private static let sliceEventCount = 4_096
    /// How many times a read is tried in slices, if compaction interrupts it. The next attempt keeps one view open.
    static let attempts = 3

    init(_ log: EventLog, isHeld: Bool = false) throws {
        self.log = log
        self.isHeld = isHeld
        let view = try log.begin()
        do {
            compaction = LogMetadata.CompactionMark(try view.reader.metadata())
            // Damage may have put an event with a smaller number at the end.
            head = isHeld ? SequenceNumber(.max) : max(try view.reader.lastSequence(), log.knownHead)
        } catch {
            view.end()
            throw error
        }
        openView = view
    }

    deinit { openView?.end() }

    /// Whether this read uses files that were replaced, and lacks events up to `sequence` that were appended to the new files.
    func isOutdated(at sequence: SequenceNumber) throws -> Bool {
        guard let openView, openView.files.areRemoved else { return false }
        return try openView.reader.lastSequence() < sequence
    }

    /// A view of the log. The view and its results are valid until the next call on this instance.
    func view() throws -> LogReader {
        useCount += 1
        if useCount > Self.sliceEventCount || isWanted { pause() }
        if let openView { return openView.reader }
        let view = try log.begin()
        openView = view
        useCount = 0
        guard LogMetadata.CompactionMark(try view.reader.metadata()) == compaction else { throw CompactedMeanwhile() }
        return view.reader
    }

    /// Whether the files must be replaced or must grow, which happens as soon as no view is open.
    private var isWanted: Bool {
        @inline(__always) get { openView?.files.isWanted ?? false }
    }

    /// Ends the view. The next use begins a new one.
    func pause() {
        guard !isHeld, !isIterating else { return }
        openView.take()?.end()
    }

    /// Passes the events after `sequence` to `body`, in order, until `body` returns false.
    ///
    /// - Parameter paused: This closure runs between two slices, while no view is open.
    func forEach(
        after sequence: SequenceNumber, paused: ((SequenceNumber) throws -> Void)? = nil,
        _ body: (EventView) throws -> Bool
    ) throws {
        var place = sequence
        try repeatedly(paused) { count in
            try view().forEach(after: place) { event in
                guard event.sequence <= head else { return false }
                assert(event.sequence > place, "sequence numbers rise")
                place = event.sequence
                guard try body(event) else { return false }
                return goesOn(&count)
            }
            return place
        }
    }

    /// Passes the bytes of each stored event to `body`, verified or not, as ``LogReader/forEachUnverified(from:_:)`` does.
    func forEachUnverified(
        paused: ((SequenceNumber) throws -> Void)? = nil, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws -> UInt64? {
        var place: UInt64 = 0
        var strayed: UInt64?
        try repeatedly(paused) { count in
            strayed = try view().forEachUnverified(from: place == 0 ? 0 : place + 1) { sequence, bytes in
                // This event was appended after the read began. A number that is not the next one is damage, and is
                // passed to `body`.
                if sequence > head.value, sequence == place + 1 { return false }
                guard try body(sequence, bytes) else { return false }
                place = sequence
                return goesOn(&count) && place < .max
            }
            return SequenceNumber(place)
        }
        return strayed
    }

    /// Calls `slice` until a slice reaches the end of the read. The closure returns the last place that it has read.
    private func repeatedly(
        _ paused: ((SequenceNumber) throws -> Void)?, _ slice: (inout Int?) throws -> SequenceNumber
    ) throws {
        precondition(!isIterating, "one cursor works at a time")
        while true {
            var count: Int? = 0
            isIterating = true
            let place: SequenceNumber
            do { place = try slice(&count) } catch {
                isIterating = false
                throw error
            }
            isIterating = false
            pause()
            // The count is not `nil` if the slice reached the end of the read.
            guard count == nil else { return }
            try paused?(place)
        }
    }

    /// Counts an event. Returns whether the slice continues.
    private func goesOn(_ count: inout Int?) -> Bool {
        assert(count != nil, "a slice that is over hands out nothing")
        let next = (count ?? 0) + 1
        let isOver = next == Self.sliceEventCount || !isHeld && isWanted
        count = isOver ? nil : next
        return !isOver
    }

    /// The error for a read during which compaction has dropped events.
    struct CompactedMeanwhile: Error {}

    func metadata() throws -> LogMetadata { try view().metadata() }
    func event(at sequence: SequenceNumber) throws -> EventView? { try view().event(at: sequence) }
    func position(of consumer: String) throws -> Position? { try view().position(of: consumer) }
    func consumers() throws -> [(name: String, position: Position)] { try view().consumers() }
    func schemaSequences() throws -> [(version: UInt32, sequence: SequenceNumber)] { try view().schemaSequences() }
}

extension EventLog {
    /// Calls `body` with a read of the log in slices. If compaction interrupts the read, this method calls `body`
    /// again, from the beginning.
    func withSlices<Result>(_ body: (LogSlices) throws -> Result) throws -> Result {
        try translatingLogErrors("read the log") {
            for _ in 0..<LogSlices.attempts {
                do { return try body(LogSlices(self)) } catch is LogSlices.CompactedMeanwhile {}
            }
            return try body(LogSlices(self, isHeld: true))
        }
    }
}
