internal import TidelogLMDB

/// A long look at a log, in slices: now and then, and whenever the log's map is to grow, it gives up its view of the log and
/// goes on with a new one. A view that is held keeps the map from growing, and pages from being used again.
///
/// Events never change and numbers only rise, so the slices together show what one view would have shown, up to the head at
/// the beginning, for as long as compaction neither drops events nor raises the floor. If it does, the look ends with
/// ``CompactedMeanwhile``, and the caller begins again.
final class LogSlices {
    private let log: EventLog
    /// Whether one view is held for the whole look.
    private let isHeld: Bool
    /// What compaction had done when the look began.
    let compaction: CompactionMark
    /// The last event, damaged or not, when the look began; later ones are not looked at. One view has no later ones.
    private let head: SequenceNumber
    private var look: EventLog.Look?
    private var useCount = 0
    /// Whether a cursor is at work in the present view.
    private var isIterating = false

    /// How many events, or uses, a view is for.
    private static let sliceEventCount = 4_096
    /// How often a look is begun again after a compaction, before it holds one view.
    static let attempts = 3

    init(_ log: EventLog, isHeld: Bool = false) throws {
        self.log = log
        self.isHeld = isHeld
        let look = try log.begin()
        do {
            compaction = CompactionMark(try look.reader.metadata())
            // Damage may have put a smaller number at the end.
            head = isHeld ? SequenceNumber(.max) : max(try look.reader.lastSequence(), log.knownHead)
        } catch {
            look.end()
            throw error
        }
        self.look = look
    }

    deinit { look?.end() }

    /// Whether the look is at files that were replaced since, and lacks events up to `sequence` that were appended to those
    /// in their place.
    func isOutdated(at sequence: SequenceNumber) throws -> Bool {
        guard let look, look.files.areRemoved else { return false }
        return try look.reader.lastSequence() < sequence
    }

    /// A view of the log. It, and what it hands out, is valid until the next call on this look.
    func view() throws -> LogReader {
        useCount += 1
        if useCount > Self.sliceEventCount || isWanted { pause() }
        if let look { return look.reader }
        let look = try log.begin()
        (self.look, useCount) = (look, 0)
        guard CompactionMark(try look.reader.metadata()) == compaction else { throw CompactedMeanwhile() }
        return look.reader
    }

    /// Whether the files are to be replaced or to grow as soon as nobody looks at them.
    private var isWanted: Bool {
        @inline(__always) get { look?.files.isWanted ?? false }
    }

    /// Gives up the view for now.
    func pause() {
        guard !isHeld, !isIterating else { return }
        look.take()?.end()
    }

    /// Hands the events after `sequence` to `body`, in order, until it returns false.
    ///
    /// - Parameter paused: Called between two slices, while no view is held.
    func forEach(
        after sequence: SequenceNumber, paused: ((SequenceNumber) -> Void)? = nil,
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

    /// Hands every stored event's bytes to `body`, verified or not, as ``LogReader/forEachUnverified(from:_:)``.
    func forEachUnverified(
        paused: ((SequenceNumber) -> Void)? = nil, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws -> UInt64? {
        var place: UInt64 = 0
        var strayed: UInt64?
        try repeatedly(paused) { count in
            strayed = try view().forEachUnverified(from: place == 0 ? 0 : place + 1) { sequence, bytes in
                // Appended since. A number that does not come next is damage, and is handed out.
                if sequence > head.value, sequence == place + 1 { return false }
                guard try body(sequence, bytes) else { return false }
                place = sequence
                return goesOn(&count) && place < .max
            }
            return SequenceNumber(place)
        }
        return strayed
    }

    /// Calls `slice`, which returns how far it came, until one comes to its end by itself.
    private func repeatedly(
        _ paused: ((SequenceNumber) -> Void)?, _ slice: (inout Int?) throws -> SequenceNumber
    ) throws {
        precondition(!isIterating, "one cursor is at work at a time")
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
            // It is there where the slice came to its end by itself.
            guard count == nil else { return }
            paused?(place)
        }
    }

    /// Counts an event; returns whether the slice is to go on.
    private func goesOn(_ count: inout Int?) -> Bool {
        assert(count != nil, "a slice that is over hands out nothing")
        let next = (count ?? 0) + 1
        let isOver = next == Self.sliceEventCount || !isHeld && isWanted
        count = isOver ? nil : next
        return !isOver
    }
}

extension LogSlices {
    func metadata() throws -> LogMetadata { try view().metadata() }
    func event(at sequence: SequenceNumber) throws -> EventView? { try view().event(at: sequence) }
    func position(of consumer: String) throws -> Position? { try view().position(of: consumer) }
    func consumers() throws -> [(name: String, position: Position)] { try view().consumers() }
    func schemaSequences() throws -> [(version: UInt32, sequence: SequenceNumber)] { try view().schemaSequences() }
}

/// Compaction has dropped events in the middle of a look at the log.
struct CompactedMeanwhile: Error {}

extension EventLog {
    /// Calls `body` with a look at the log in slices; again, from the beginning, where compaction came between them.
    func withSlices<Result>(_ body: (LogSlices) throws -> Result) throws -> Result {
        try Self.translating("read the log") {
            for _ in 0..<LogSlices.attempts {
                do { return try body(LogSlices(self)) } catch is CompactedMeanwhile {}
            }
            return try body(LogSlices(self, isHeld: true))
        }
    }
}
